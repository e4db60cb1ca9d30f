/** Attachments of a prompt, and sources of content that only the editor has; see `attachments.ts`. */
import * as v from "valibot";
import { ATTACHED_TEXT_LIMIT, IMAGE_LIMIT, MAX_ATTACHMENTS } from "./limits";
import { count, filled, list, matching, text, whole, type Infer } from "../wire/schema";

/** Maximum number of files in one drop. More than `MAX_ATTACHMENTS` are refused with a message, not silently. */
const MAX_DROPPED = 10_000;

const path = filled(4_096);
const name = filled(4_096);
const content = text(ATTACHED_TEXT_LIMIT);
const lines = { startLine: whole(1), endLine: whole(1) };

export const attachment = v.variant("kind", [
  v.object({ kind: v.picklist(["file", "folder"]), path }),
  v.object({ kind: v.literal("symbol"), name, path, ...lines }),
  /** Without `path` the document has no file yet. `name` is its name in the editor. */
  v.object({ kind: v.literal("selection"), name, path: v.exactOptional(path), ...lines, text: content }),
  /** Diagnostics of the editor, one per line. */
  v.object({ kind: v.literal("problems"), count, text: content }),
  v.object({ kind: v.literal("terminal"), name: text(4_096), text: content }),
  /** The tab's conversation, for an agent that does not remember it (`chat-transcript.ts`). */
  v.object({ kind: v.literal("transcript"), text: content }),
  v.object({
    kind: v.literal("image"),
    name: text(4_096),
    mimeType: matching(100, /^image\/[a-z0-9.+-]+$/),
    /** Base64. Empty if the page was restored from an earlier window, which saved the image by name only. */
    data: matching(IMAGE_LIMIT, /^[A-Za-z0-9+/]*={0,2}$/),
  }),
]);
export type Attachment = Infer<typeof attachment>;

export const attachments = list(attachment, MAX_ATTACHMENTS);

export const contextSource = v.variant("kind", [
  v.object({ kind: v.picklist(["selection", "problems", "terminal"]) }),
  /** Dropped on the page: URIs as the editor supplies them. */
  v.object({ kind: v.literal("dropped"), uris: list(filled(8_192), MAX_DROPPED) }),
]);
export type ContextSource = Infer<typeof contextSource>;
