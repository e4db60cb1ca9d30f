/**
 * Ratios of running times. Candidate and yardstick take turns, so that whatever else the machine does meets both, and
 * medians are compared, so that a pause of either does not count.
 */

export interface Measured {
  /** What was measured, in words. */
  readonly what: string;
  /** What it is compared with. */
  readonly yardstick: string;
  /** Time of the candidate divided by that of the yardstick: below 1 is faster. */
  readonly ratio: number;
  /** Medians of one round, in milliseconds. */
  readonly milliseconds: { readonly candidate: number; readonly yardstick: number };
}

/** What a `*.bench.ts` exports by default. */
export type Bench = () => Promise<readonly Measured[]> | readonly Measured[];

type Work = () => unknown;

export async function compare(what: string, candidate: Work, yardstick: string, reference: Work, rounds = 31): Promise<Measured> {
  const times = { candidate: [] as number[], reference: [] as number[] };
  for (let round = -3; round < rounds; round++) {
    const ours = await timed(candidate), theirs = await timed(reference);
    if (round < 0) continue;
    times.candidate.push(ours);
    times.reference.push(theirs);
  }
  const ours = median(times.candidate), theirs = median(times.reference);
  return { what, yardstick, ratio: ours / theirs, milliseconds: { candidate: ours, yardstick: theirs } };
}

async function timed(work: Work): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
