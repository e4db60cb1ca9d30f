// Random tests use the same seed each time, so that a commit passes everywhere or nowhere. `npm run hunt` tries new
// seeds.

/** An arbitrary default. SYMPOSIUM_SEED can be a number or "random". */
const SEED = "20261122";

const given = process.env.SYMPOSIUM_SEED ?? SEED;
if (given !== "random" && !/^-?\d+$/.test(given))
  throw new Error(`SYMPOSIUM_SEED must be a number or "random", not "${given}".`);

/** A 32-bit integer. */
export const seed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given);
