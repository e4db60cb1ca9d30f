/** Limits of the values of extension settings, without the schema that checks them. */

/** Characters of a text. */
export const MAX_TEXT = 1_000;
/** Lines of a list of texts. */
export const MAX_TEXTS = 100;
