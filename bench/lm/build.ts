/** The version that both ends of the bench's connection send in `hello`. */
export const BUILD = "bench";
