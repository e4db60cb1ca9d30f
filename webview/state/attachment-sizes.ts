/** Size limit of unsent attachments. Pure. */
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { QueuedPrompt } from "../../src/protocol/chat/chat";

/**
 * Maximum number of characters of unsent attached images and texts, of all tabs together. The page saves all of them
 * with each key press, so that a destroyed page loses nothing.
 */
export const UNSENT_LIMIT = 4_000_000;

/** Number of characters of the content, without the name. */
export function weightOf(attachment: Attachment): number {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "symbol":
      return 0;
    case "selection":
    case "problems":
    case "terminal":
    case "transcript":
      return attachment.text.length;
    case "image":
      return attachment.data.length;
  }
}

export function weightOfAll(prompts: readonly Pick<QueuedPrompt, "attachments">[]): number {
  return prompts.reduce(
    (sum, { attachments = [] }) => sum + attachments.reduce((own, each) => own + weightOf(each), 0),
    0,
  );
}

/** Whether the attachment has its content. Always true for kinds without content. */
export function isWhole(attachment: Attachment): boolean {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "symbol":
      return true;
    case "selection":
    case "problems":
    case "terminal":
    case "transcript":
      return attachment.text !== "";
    case "image":
      return attachment.data !== "";
  }
}
