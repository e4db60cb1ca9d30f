/** The version that both ends of the bench's wire name in `hello`. */
export const BUILD = "bench";
