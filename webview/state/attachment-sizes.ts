/** Sizes of what is attached: how much the page may hold, and what of it was kept. Pure. */
import type { Attachment } from "../../src/protocol/attachments";
import type { QueuedPrompt } from "../../src/protocol/chat";

/**
 * Characters of the images and texts that are attached and not sent, of all tabs together: they are in the copy that
 * the page leaves behind with each key, so that nothing of them is lost when it goes.
 */
export const UNSENT_LIMIT = 4_000_000;

/** Characters of what it holds, beside its name. */
export function weightOf(attachment: Attachment): number {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "symbol":
      return 0;
    case "selection":
    case "problems":
    case "terminal":
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

/** With its name alone, for a copy that has no room for more. */
export function bareOf(attachment: Attachment): Attachment {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "symbol":
      return attachment;
    case "selection":
    case "problems":
    case "terminal":
      return attachment.text === "" ? attachment : { ...attachment, text: "" };
    case "image":
      return attachment.data === "" ? attachment : { ...attachment, data: "" };
  }
}

/** Whether there is more of it than its name, where there should be. */
export function isWhole(attachment: Attachment): boolean {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "symbol":
      return true;
    case "selection":
    case "problems":
    case "terminal":
      return attachment.text !== "";
    case "image":
      return attachment.data !== "";
  }
}
