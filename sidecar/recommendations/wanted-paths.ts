/** Selects the paths whose existence is read for conditions. Lists are untrusted, so their number is limited. Pure. */
import type { AcceptedRecommendation, Recommender } from "../../src/protocol/agents/recommendations";
import { pathsIn } from "./condition";
import type { Rule } from "./list";

export interface WantedPaths {
  readonly paths: ReadonlySet<string>;
  /** Whether `paths` contains all paths in the rules of the recommender. */
  isComplete(by: Recommender): boolean;
}

export interface PathLimits {
  readonly all: number;
  readonly perRecommender: number;
}

const LIMITS: PathLimits = { all: 2_000, perRecommender: 500 };

/** The facts of accepted recommendations come first, because a missing path would make them stale. */
export function wantedPaths(
  rules: readonly Rule[],
  accepted: readonly AcceptedRecommendation[],
  { all, perRecommender }: PathLimits = LIMITS,
): WantedPaths {
  const past = accepted
    .flatMap(({ reasons }) => reasons.flatMap(({ facts }) => facts))
    .flatMap(fact => (fact.kind === "file" ? [fact.path] : []));
  const paths = new Set(past.slice(0, all)),
    added = new Map<string, number>(),
    incomplete = new Set<string>();
  for (const { by, when } of rules) {
    const name = JSON.stringify(by);
    for (const each of pathsIn(when)) {
      if (paths.has(each)) continue;
      const count = added.get(name) ?? 0;
      if (count >= perRecommender || paths.size >= all) incomplete.add(name);
      else {
        paths.add(each);
        added.set(name, count + 1);
      }
    }
  }
  return { paths, isComplete: by => !incomplete.has(JSON.stringify(by)) };
}
