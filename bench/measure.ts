/**
 * Ratios of running times. Candidate and yardstick take turns, so that whatever else the machine does meets both, and
 * medians are compared, so that a pause of either does not count.
 */

export interface Measured {
  /** What was measured, in words. */
  readonly what: string;
  /** What it is compared with. */
  readonly yardstick: string;
  /** The candidate divided by the yardstick: below 1 is faster, or smaller. */
  readonly ratio: number;
  /** The ratio that is to be reached, if one is. */
  readonly goal?: number;
  /** Of times: medians of one round, or what the bench says that they are. */
  readonly milliseconds?: { readonly candidate: number; readonly yardstick: number };
  /** Of memory. */
  readonly megabytes?: { readonly candidate: number; readonly yardstick: number };
}

/** Figures that are true of one machine only; a column that a row has not is empty. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

export interface BenchFixture {
  /** Fewer rounds, for a look: ratios are rough then. */
  readonly quick: boolean;
  /** What the ratios were made of. */
  readonly table: (table: Table) => void;
}

/** What a `*.bench.ts` exports by default. */
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
    const ours = await timed(candidate),
      theirs = await timed(reference);
    if (round < 0) continue;
    times.candidate.push(ours);
    times.reference.push(theirs);
  }
  const ours = median(times.candidate),
    theirs = median(times.reference);
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
