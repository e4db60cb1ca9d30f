/** Limits of prompts and conversations that the page and the host's schemas share. */

/** Maximum number of attachments per prompt. */
export const MAX_ATTACHMENTS = 50;
/** Maximum number of characters of one attachment's text. */
export const ATTACHED_TEXT_LIMIT = 200_000;
/** Maximum number of characters of one image's `data`; the page scales larger images down. */
export const IMAGE_LIMIT = 1_500_000;

/** Maximum number of queued prompts. */
export const QUEUE_LIMIT = 20;
