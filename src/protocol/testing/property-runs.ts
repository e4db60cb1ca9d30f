/** Runs of a property test in `npm test`, on which `SYMPOSIUM_RUNS` has no effect. */
const ALL = 10_000;

/**
 * Runs of a slow property test. `usual`: in `npm test`. In `npm run check` the share SYMPOSIUM_RUNS/10,000 of them, but
 * at least `least`. For more runs: `SYMPOSIUM_RUNS=100000 npm run hunt -- 10 PATH`.
 */
export const propertyRuns = (usual: number, least = 20): number =>
  Math.max(Math.min(least, usual), Math.ceil((usual * Number(process.env["SYMPOSIUM_RUNS"] ?? ALL)) / ALL));
