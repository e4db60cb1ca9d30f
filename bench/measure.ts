/**
 * Ratios of running times. Candidate and yardstick take turns, so that other load on the machine affects both. Medians
 * are compared, so that a single pause does not count.
 */

export interface Measured {
  /** Description of the candidate. */
  readonly what: string;
  /** Description of the yardstick. */
  readonly yardstick: string;
  /** The candidate divided by the yardstick. Below 1: faster or smaller. */
  readonly ratio: number;
  /** Maximum ratio, if any. */
  readonly goal?: number;
  /** Times: medians of one round, unless the bench documents otherwise. */
  readonly milliseconds?: { readonly candidate: number; readonly yardstick: number };
  /** Memory sizes. */
  readonly megabytes?: { readonly candidate: number; readonly yardstick: number };
}

/** Figures valid for one machine only. A missing column of a row is empty. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

export interface BenchFixture {
  /** Fewer rounds with less precise ratios. */
  readonly quick: boolean;
  /** Path of the native conductor, if it was requested. */
  readonly native?: string;
  /** Prints the figures behind the ratios. */
  readonly table: (table: Table) => void;
}

/** The default export of a `*.bench.ts`. */
export type Bench = (fixture: BenchFixture) => Promise<readonly Measured[]> | readonly Measured[];

type Work = () => unknown;

export async function compare(
  what: string,
  candidate: Work,
  yardstick: string,
  reference: Work,
  rounds = 31,
): Promise<Measured> {
  const times = { candidate: [] as number[], reference: [] as number[] };
  for (let round = -3; round < rounds; round++) {
    const candidateTime = await timed(candidate),
      referenceTime = await timed(reference);
    if (round < 0) continue;
    times.candidate.push(candidateTime);
    times.reference.push(referenceTime);
  }
  const candidateMs = quantile(times.candidate, 0.5),
    referenceMs = quantile(times.reference, 0.5);
  return {
    what,
    yardstick,
    ratio: candidateMs / referenceMs,
    milliseconds: { candidate: candidateMs, yardstick: referenceMs },
  };
}

async function timed(work: Work): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** `part`: from 0 to 1. Not a number if there are no values. */
export function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN;
}
