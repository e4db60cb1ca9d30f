/** In `_meta` of a permission question of ours: no standing approval of the client's may answer it. */
export const ASK_EACH_TIME = "symposium.dev/askEachTime";
