/** Parses the parts of `cargo metadata` that determine the version of a crate in a workspace. Pure and lenient. */
import path from "node:path";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { LockedPackage } from "./lock-file";

export interface Workspace {
  readonly root: string;
  readonly members: readonly Member[];
  /** Undefined if the workspace has no `Cargo.lock`. */
  readonly locked: readonly LockedPackage[] | undefined;
}

export interface Member {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly dependencies: readonly Dependency[];
}

/** A dependency as declared in a manifest. */
export interface Dependency {
  /** Package name. */
  readonly name: string;
  /** The name under which the manifest imports the package, if different. */
  readonly rename: string | undefined;
  readonly requirement: string;
  readonly from:
    | { readonly kind: "registry"; readonly index: string }
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "other" };
}

/** Parses the output of `cargo metadata --no-deps`. */
export function membersIn(metadata: JsonObject): { readonly root: string; readonly members: readonly Member[] } {
  return {
    root: stringOr(metadata["workspace_root"], ""),
    members: arrayOr(metadata["packages"]).filter(isObject).map(memberIn),
  };
}

function memberIn(found: JsonObject): Member {
  return { ...packageIn(found), dependencies: arrayOr(found["dependencies"]).filter(isObject).map(dependencyIn) };
}

function dependencyIn({ name, rename, req, source, path: folder }: JsonObject): Dependency {
  const from = stringOr(source, "");
  return {
    name: stringOr(name, ""),
    rename: stringOr(rename, undefined),
    requirement: stringOr(req, "*"),
    from:
      typeof folder === "string"
        ? { kind: "folder", folder }
        : from.startsWith("registry+")
          ? { kind: "registry", index: from.slice("registry+".length) }
          : from.startsWith("sparse+")
            ? { kind: "registry", index: from }
            : { kind: "other" },
  };
}

export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** The only dependency of the root package in the output of `cargo metadata`. */
export function dependencyOfRoot(metadata: JsonObject): FoundPackage | undefined {
  const { root, nodes } = objectOr(metadata["resolve"]),
    node = arrayOr(nodes)
      .map(objectOr)
      .find(({ id }) => id === root);
  const [dependency] = arrayOr(node?.["dependencies"]);
  const found = arrayOr(metadata["packages"])
    .map(objectOr)
    .find(({ id }) => typeof id === "string" && id === dependency);
  return found && packageIn(found);
}

function packageIn({ name, version, manifest_path: manifest }: JsonObject): FoundPackage {
  return { name: stringOr(name, ""), version: stringOr(version, ""), folder: path.dirname(stringOr(manifest, "")) };
}
