/** The seed of random tests, a 32-bit integer. */
export const seed: number;
