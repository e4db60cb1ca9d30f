/**
 * Selects the source of a crate: the requested version, else the version in the workspace, else the newest stable
 * version. Pure.
 *
 * Invariant: a crate that the workspace fetches from a registry is looked up only in that registry, for any version. In
 * another registry, another party may own the name.
 */
import { compareVersions } from "../../agents/registry/versions";
import { contains } from "../../permissions/workspace-boundary";
import { requirementOf, sameName, withoutBuild, type VersionRequest } from "./crate-version";
import { isDependency, type LockedPackage } from "./lock-file";
import type { Dependency, Workspace } from "./workspace";

/** `why` completes the sentence "serde 1.0.0 is …". */
export type Choice =
  | {
      readonly kind: "member";
      readonly name: string;
      readonly version: string;
      readonly folder: string;
      readonly why: string;
    }
  /** A path dependency outside of the workspace. */
  | { readonly kind: "folder"; readonly name: string; readonly folder: string; readonly why: string }
  | { readonly kind: "git"; readonly name: string; readonly url: string; readonly commit: string; readonly why: string }
  /**
   * `isLocked`: from the workspace's `Cargo.lock`, which must be used for the lookup. `index`: undefined for cargo's
   * default registry. `isExact`: no newer release can change the result.
   */
  | {
      readonly kind: "registry";
      readonly name: string;
      readonly requirement: string;
      readonly index: string | undefined;
      readonly isLocked: boolean;
      readonly isExact: boolean;
      readonly why: string;
    }
  /** `why` is a sentence. */
  | { readonly kind: "none"; readonly why: string };

const LATEST = "the newest stable version";

/** `folder`: the session's folder. */
export function chooseCrate(
  requested: string,
  wanted: VersionRequest,
  workspace: Workspace | undefined,
  folder: string,
): Choice {
  if (!workspace) return fromRegistry(requested, wanted, undefined);
  const dependencies = workspace.members.flatMap(member => member.dependencies),
    renamed = dependencies.find(({ rename }) => rename !== undefined && sameName(rename, requested));
  const called = (name: string): boolean => sameName(name, requested),
    member = workspace.members.find(({ name }) => called(name));
  if (member && fits(wanted, member.version)) return { kind: "member", ...member, why: "a package of this workspace" };
  const direct = dependencies.filter(dependency => called(dependency.name));
  const name = member || direct.length > 0 ? requested : (renamed?.name ?? requested);
  const declared = renamed && name === renamed.name ? [renamed] : direct;
  return inWorkspace(name, wanted, workspace, declared, folder);
}

function inWorkspace(
  name: string,
  wanted: VersionRequest,
  workspace: Workspace,
  direct: readonly Dependency[],
  folder: string,
): Choice {
  const locked = (workspace.locked ?? []).filter(each => sameName(each.name, name)),
    fitting = locked.filter(({ version }) => fits(wanted, version));
  const [dependency] = direct;
  if (fitting.length > 0) return fromLock(fitting, locked, workspace, direct, folder);
  if (wanted.kind === "unsaid" && dependency?.from.kind === "folder")
    return inFolder(dependency.name, dependency.from.folder);
  if (wanted.kind === "unsaid" && dependency?.from.kind === "other")
    return {
      kind: "none",
      why: `${dependency.name} comes from git in this workspace, and no Cargo.lock specifies its commit yet. Run \`cargo generate-lockfile\` first, or request a version.`,
    };
  const registry = [...direct.map(({ from }) => from), ...locked.map(({ source }) => source)].find(
      from => from?.kind === "registry",
    ),
    index = registry?.kind === "registry" ? registry.index : undefined;
  if (wanted.kind !== "unsaid" || dependency?.from.kind !== "registry")
    return fromRegistry(locked[0]?.name ?? dependency?.name ?? name, wanted, index);
  const { requirement } = dependency;
  return {
    kind: "registry",
    name: dependency.name,
    requirement,
    index,
    isLocked: false,
    isExact: false,
    why: `the newest version for the requirement “${requirement}” in this workspace's Cargo.toml (it has no Cargo.lock yet)`,
  };
}

function fromLock(
  fitting: readonly LockedPackage[],
  locked: readonly LockedPackage[],
  workspace: Workspace,
  direct: readonly Dependency[],
  folder: string,
): Choice {
  const { chosen, how } = selectVersion(fitting, workspace, folder),
    { name, version, source } = chosen;
  const others =
      locked.length > 1
        ? `; Cargo.lock has ${locked
            .map(each => each.version)
            .sort(compareVersions)
            .join(" and ")}${how}`
        : "",
    why = `the version in this workspace's Cargo.lock${others}`;
  switch (source?.kind) {
    case "registry":
      return {
        kind: "registry",
        name,
        requirement: `=${withoutBuild(version)}`,
        index: source.index,
        isLocked: true,
        isExact: true,
        why,
      };
    case "git":
      return { kind: "git", name, url: source.url, commit: source.commit, why: `${why}, from git` };
    case undefined: {
      const place = direct.find(({ from }) => from.kind === "folder")?.from;
      return place?.kind === "folder"
        ? inFolder(name, place.folder)
        : {
            kind: "none",
            why: `${name} ${version} is in a folder of this computer that only the manifests of this workspace's dependencies specify. Find its path there.`,
          };
    }
  }
}

function inFolder(name: string, folder: string): Choice {
  return { kind: "folder", name, folder, why: "a path dependency of this workspace" };
}

/**
 * The version that the package in the session's folder depends on, else the newest version that any workspace package
 * depends on, else the newest version.
 */
function selectVersion(
  fitting: readonly LockedPackage[],
  workspace: Workspace,
  folder: string,
): { readonly chosen: LockedPackage; readonly how: string } {
  const newest = (among: readonly LockedPackage[]): LockedPackage | undefined =>
    [...among].sort((a, b) => compareVersions(b.version, a.version))[0];
  const own = (workspace.locked ?? []).filter(({ source }) => source === undefined);
  const neededBy = (names: readonly string[]) =>
    fitting.filter(each =>
      own.some(
        ({ name, dependencies }) =>
          names.includes(name) && dependencies.some(dependency => isDependency(dependency, each)),
      ),
    );
  const [currentMember] = workspace.members
      .filter(member => contains(member.folder, folder))
      .sort((a, b) => b.folder.length - a.folder.length),
    all = workspace.members.map(({ name }) => name);
  const forMember = currentMember && newest(neededBy([currentMember.name])),
    forWorkspace = forMember ?? newest(neededBy(all)),
    chosen = forWorkspace ?? newest(fitting);
  if (!chosen) throw new Error("no package to choose from");
  return {
    chosen,
    how: forMember
      ? `, and this is what ${currentMember?.name} depends on`
      : forWorkspace
        ? ", and this is what the workspace's own packages depend on"
        : ", and this is the newest",
  };
}

function fits(wanted: VersionRequest, version: string): boolean {
  return wanted.kind === "unsaid" || (wanted.kind === "exact" && withoutBuild(version) === wanted.version);
}

function fromRegistry(name: string, wanted: VersionRequest, index: string | undefined): Choice {
  const registryNote = index !== undefined ? ", from the registry that this workspace uses for it" : "";
  switch (wanted.kind) {
    case "unsaid":
    case "latest":
      return {
        kind: "registry",
        name,
        requirement: "*",
        index,
        isLocked: false,
        isExact: false,
        why: `${LATEST}${registryNote}`,
      };
    case "exact":
      return {
        kind: "registry",
        name,
        requirement: requirementOf(wanted),
        index,
        isLocked: false,
        isExact: true,
        why: "the requested version",
      };
    case "range":
      return {
        kind: "registry",
        name,
        requirement: requirementOf(wanted),
        index,
        isLocked: false,
        isExact: false,
        why: `the newest version for “${wanted.range}”`,
      };
  }
}
