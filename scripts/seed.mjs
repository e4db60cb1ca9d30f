// Random tests use the same seed each time, so that a commit passes everywhere or nowhere. `npm run hunt` tries new
// seeds for as long as desired.

/** An arbitrary number. SYMPOSIUM_SEED overrides it with another one, or "random". */
const SEED = "20261122";

const wanted = process.env.SYMPOSIUM_SEED ?? SEED;
if (wanted !== "random" && !/^-?\d+$/.test(wanted))
  throw new Error(`SYMPOSIUM_SEED must be a number or "random", not "${wanted}".`);

/** A 32-bit integer. */
export const seed = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
