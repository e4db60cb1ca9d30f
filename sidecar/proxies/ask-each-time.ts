/** Key in `_meta` of a permission request: the client must not answer the request with a saved approval. */
export const ASK_EACH_TIME_META = "symposium.dev/askEachTime";
