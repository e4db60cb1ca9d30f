/**
 * What a user adds to a prompt besides words. Paths are absolute, lines count from 1 and both ends are included; `text`
 * is what stood there when it was added. The page keeps them beside the draft, the sidecar makes ACP content of them.
 * Pure.
 */
export type Attachment =
  | { readonly kind: "file" | "folder"; readonly path: string }
  | {
      readonly kind: "symbol";
      readonly name: string;
      readonly path: string;
      readonly startLine: number;
      readonly endLine: number;
    }
  /** Without `path` it is of a document that has no file yet; `name` is what the editor calls it. */
  | {
      readonly kind: "selection";
      readonly name: string;
      readonly path?: string;
      readonly startLine: number;
      readonly endLine: number;
      readonly text: string;
    }
  /** What the editor finds wrong: one line for each. */
  | { readonly kind: "problems"; readonly count: number; readonly text: string }
  | { readonly kind: "terminal"; readonly name: string; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: "image"; readonly name: string; readonly mimeType: string; readonly data: string };

/** What the user asks for whose content only the editor knows. */
export type Want =
  | { readonly kind: "selection" | "problems" | "terminal" }
  /** Dropped on the page: addresses as the editor gives them. */
  | { readonly kind: "dropped"; readonly uris: readonly string[] };

/** A line of the list that opens with `@`. */
export interface Mention {
  /** What is written in the prompt behind the `@`. */
  readonly name: string;
  /** Where it is, or what it holds. */
  readonly about: string;
  readonly adds:
    | { readonly kind: "attachment"; readonly attachment: Attachment }
    | { readonly kind: "want"; readonly want: Want };
}

/** Of one prompt. */
export const MOST_ATTACHMENTS = 50;
/** Characters of one attachment's text. */
export const ATTACHED_TEXT_LIMIT = 200_000;
/** Characters of one image's `data`; the page makes larger ones fit. */
export const IMAGE_LIMIT = 1_500_000;

/** What a chip says. */
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
    case "image":
      return attachment.name;
  }
}

/** Of its first to its last line: `7`, or `7-12`. */
export function lines({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }): string {
  return startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
}

/** Whether adding both would say the same twice. */
export function isSame(a: Attachment, b: Attachment): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** With some more, each once, as far as there is room. */
export function withMore(attachments: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  return more.reduce<readonly Attachment[]>(
    (all, each) => (all.length >= MOST_ATTACHMENTS || all.some(known => isSame(known, each)) ? all : [...all, each]),
    attachments,
  );
}

function lastOf(path: string): string {
  return path.split(/[\\/]/).findLast(part => part !== "") ?? path;
}
