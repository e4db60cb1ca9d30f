/** The crates that a project depends on, according to its `Cargo.lock`. Pure. */
import type { ProjectFact } from "../../src/protocol/agents/recommendations";
import type { LockedPackage } from "../extensions/ferris/lock-file";

export type UsedCrate = Extract<ProjectFact, { readonly kind: "crate" }>;

/** Cargo distinguishes `-` and `_`, but the registry does not. */
export function crateKey(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Dependencies of the project's packages, direct and indirect, by `crateKey`. A package of the project itself is
 * included if another package depends on it. `through` is the direct dependency with the shortest path to the crate.
 * Time is linear in the file.
 */
export function usedCrates(packages: readonly LockedPackage[]): ReadonlyMap<string, UsedCrate> {
  const used = new Map<string, UsedCrate>(),
    packagesOf = packagesByDependency(packages),
    resolved = new Set<string>(),
    queue: { readonly crate: LockedPackage; readonly through: string | undefined }[] = [];
  const enqueue = (dependencies: readonly string[], through: string | undefined): void => {
    for (const dependency of dependencies) {
      const wanted = withoutSource(dependency);
      if (resolved.has(wanted)) continue;
      resolved.add(wanted);
      for (const crate of packagesOf.get(wanted) ?? []) queue.push({ crate, through });
    }
  };
  for (const { source, dependencies } of packages) if (source === undefined) enqueue(dependencies, undefined);
  // The queue grows during the loop. Its order is by the length of the path.
  for (const { crate, through } of queue) {
    const key = crateKey(crate.name);
    if (!used.has(key))
      used.set(key, { kind: "crate", name: crate.name, ...(through === undefined ? {} : { through }) });
    enqueue(crate.dependencies, through ?? crate.name);
  }
  return used;
}

/** The packages to which a dependency refers, by `NAME` and by `NAME VERSION`. */
function packagesByDependency(packages: readonly LockedPackage[]): ReadonlyMap<string, readonly LockedPackage[]> {
  const found = new Map<string, LockedPackage[]>();
  for (const each of packages)
    for (const key of [each.name, `${each.name} ${each.version}`]) {
      const earlier = found.get(key);
      if (earlier) earlier.push(each);
      else found.set(key, [each]);
    }
  return found;
}

/** `NAME VERSION` of `NAME VERSION (SOURCE)`. */
function withoutSource(dependency: string): string {
  return dependency.split(" ", 2).join(" ");
}
