/**
 * Compares this build of the chat page with another one: `SYMPOSIUM_BENCH_BASE` is the path of its webview.js. Both
 * builds take turns in every round, so that other load on the machine affects both.
 */
import { quantile } from "../measure";

const OWN = "dist/webview.js";
/** Maximum ratio of this build to the other one. Smaller differences are noise. */
export const GOAL_OF_BUILDS = 1.1;

/** Paths of this build and of the other one, if it is given. */
export function builds(): readonly string[] {
  const base = process.env["SYMPOSIUM_BENCH_BASE"];
  return base === undefined ? [OWN] : [OWN, base];
}

/** Returns the results of each build. Every second round starts with the other build. */
export async function inTurns<T>(rounds: number, measure: () => Promise<T>): Promise<readonly (readonly T[])[]> {
  const files = builds(),
    results = files.map((): T[] => []);
  for (let round = 0; round < rounds; round++)
    for (const i of round % 2 === 0 ? files.keys() : [...files.keys()].reverse())
      results[i]?.push(await withBuild(files[i] ?? OWN, measure));
  return results;
}

export const median = (values: readonly number[] = []): number => quantile(values, 0.5);

/** `View.open` reads the variable. */
async function withBuild<T>(file: string, work: () => Promise<T>): Promise<T> {
  process.env["SYMPOSIUM_BENCH_WEBVIEW"] = file;
  try {
    return await work();
  } finally {
    delete process.env["SYMPOSIUM_BENCH_WEBVIEW"];
  }
}
