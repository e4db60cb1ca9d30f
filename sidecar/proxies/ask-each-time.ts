/** In `_meta` of a permission request from Symposium: the client must not answer it by a standing approval. */
export const ASK_EACH_TIME_META = "symposium.dev/askEachTime";
