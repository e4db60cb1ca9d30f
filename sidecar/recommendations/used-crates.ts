/** The crates that a project depends on, according to its `Cargo.lock`. Pure. */
import type { ProjectFact } from "../../src/protocol/agents/recommendations";
import { isDependency, type LockedPackage } from "../extensions/ferris/lock-file";

export type UsedCrate = Extract<ProjectFact, { readonly kind: "crate" }>;

/** Cargo distinguishes `-` and `_`, but the registry does not. */
export function crateKey(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * Dependencies of the project's packages, direct and indirect, by `crateKey`. A package of the project itself is
 * included if another package depends on it. `through` is the direct dependency with the shortest path to the crate.
 */
export function usedCrates(packages: readonly LockedPackage[]): ReadonlyMap<string, UsedCrate> {
  const used = new Map<string, UsedCrate>(),
    byName = new Map<string, LockedPackage[]>(),
    visited = new Set<LockedPackage>();
  for (const each of packages) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  const dependenciesOf = ({ dependencies }: LockedPackage): readonly LockedPackage[] =>
    dependencies.flatMap(each =>
      (byName.get(each.split(" ", 1)[0] ?? "") ?? []).filter(found => isDependency(each, found)),
    );
  let level = packages
    .filter(({ source }) => source === undefined)
    .flatMap(dependenciesOf)
    .map(crate => ({ crate, through: crate.name, isDirect: true }));
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { crate, through, isDirect } of level) {
      if (visited.has(crate)) continue;
      visited.add(crate);
      const key = crateKey(crate.name);
      if (!used.has(key)) used.set(key, { kind: "crate", name: crate.name, ...(isDirect ? {} : { through }) });
      next.push(...dependenciesOf(crate).map(each => ({ crate: each, through, isDirect: false })));
    }
    level = next;
  }
  return used;
}
