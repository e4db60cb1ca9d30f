/** What decides over what chance decides in the tests; a whole number of 32 bits. */
export const seed: number;
