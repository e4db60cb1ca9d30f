/**
 * Attachments of a prompt. Paths are absolute; line numbers start at 1 and both ends are included. `text` is a copy
 * from the time of attaching. The page stores attachments with the draft; the sidecar converts them to ACP content.
 * Pure.
 */
import type { Attachment, ContextSource } from "./attachment-schema";
import { MAX_ATTACHMENTS } from "./limits";

export type { Attachment, ContextSource } from "./attachment-schema";
export { ATTACHED_TEXT_LIMIT, IMAGE_LIMIT, MAX_ATTACHMENTS } from "./limits";

/** An item of the list that `@` opens. */
export interface Mention {
  /** Text inserted after the `@`. */
  readonly name: string;
  /** Location or content. */
  readonly about: string;
  readonly adds:
    | { readonly kind: "attachment"; readonly attachment: Attachment }
    | { readonly kind: "context"; readonly source: ContextSource };
}

/** Label of the attachment's chip. */
export function nameOf(attachment: Attachment): string {
  switch (attachment.kind) {
    case "file":
      return lastOf(attachment.path);
    case "folder":
      return `${lastOf(attachment.path)}/`;
    case "symbol":
      return attachment.name;
    case "selection":
      return `${attachment.name}:${lines(attachment)}`;
    case "problems":
      return `${attachment.count} ${attachment.count === 1 ? "problem" : "problems"}`;
    case "terminal":
      return `Terminal ${attachment.name}`;
    case "transcript":
      return "Transcript";
    case "image":
      return attachment.name;
  }
}

/** First to last line: `7` or `7-12`. */
export function lines({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }): string {
  return startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
}

/** Whether the attachments are duplicates. */
export function isSame(a: Attachment, b: Attachment): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Adds attachments without duplicates, up to the limit. */
export function withAttachments(
  attachments: readonly Attachment[],
  added: readonly Attachment[],
): readonly Attachment[] {
  return added.reduce<readonly Attachment[]>(
    (all, each) =>
      all.length >= MAX_ATTACHMENTS || all.some(existing => isSame(existing, each)) ? all : [...all, each],
    attachments,
  );
}

function lastOf(path: string): string {
  return path.split(/[\\/]/).findLast(part => part !== "") ?? path;
}
