/**
 * Versions of npm packages in a registry document, for the built-in agents, whose configurations name no version.
 * Includes entries that Symposium rejects, such as those with the id of a built-in agent: only the package name and the
 * exact version are used. Pure.
 */
import { currentPackage, unpinnedPackage } from "../../../src/protocol/agents/built-in-agents";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { npmSpec } from "../../../src/protocol/agents/package-spec";
import { objectOr } from "../../rpc/json";
import { isNewer } from "./versions";

/** Newest version by the current name of the package. */
export type PackageVersions = ReadonlyMap<string, string>;

/** The registry's format. Excludes prereleases, which an unpinned package never installs. */
const RELEASE = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** `agents`: the raw entries of the document. */
export function packageVersions(agents: readonly unknown[]): PackageVersions {
  const versions = new Map<string, string>();
  for (const agent of agents) {
    const { package: text } = objectOr(objectOr(objectOr(agent)["distribution"])["npx"]),
      { name, version } = (typeof text === "string" ? npmSpec(text) : undefined) ?? {};
    if (name === undefined || version === undefined || !RELEASE.test(version)) continue;
    const current = currentPackage(name),
      known = versions.get(current);
    if (known === undefined || isNewer(version, known)) versions.set(current, version);
  }
  return versions;
}

/** The registry's version of an agent whose configuration names none. */
export function versionInRegistry(
  { distribution }: Pick<AgentConfig, "distribution">,
  versions: PackageVersions,
): string | undefined {
  const name = unpinnedPackage(distribution);
  return name === undefined ? undefined : versions.get(name);
}
