/** Without `SYMPOSIUM_RUNS`. */
const ALL = 10_000;

/**
 * Runs of a slow property test. `all`: in `npm run hunt`. `npm test` and `npm run check` run the share
 * SYMPOSIUM_RUNS/10,000 of them, but at least `least`. For more runs: `SYMPOSIUM_RUNS=100000 npm run hunt -- 10 PATH`.
 */
export const propertyRuns = (all: number, least = 20): number =>
  Math.max(Math.min(least, all), Math.ceil((all * Number(process.env["SYMPOSIUM_RUNS"] ?? ALL)) / ALL));
