/**
 * Content of a card, independent of the renderer. Pure.
 *
 * Invariant: all Markdown in `Card` is sanitized by `markdown-safe`. `form`, `attached`, `terminals` and a picture's
 * `alt` contain untrusted text, which is rendered only as text.
 */
import type { Attachment } from "../../../src/protocol/chat/attachments";
import type { TerminalView } from "../../../src/protocol/chat/chat";
import type { FormAsk } from "../../../src/protocol/chat/elicitation";

export type Tone = "plain" | "info" | "success" | "warning" | "error";
export type CardIcon =
  | "tool"
  | "read"
  | "edit"
  | "delete"
  | "execute"
  | "search"
  | "fetch"
  | "think"
  | "question"
  | "plan"
  | "info"
  | "warning"
  | "error"
  | "file"
  | "sound"
  | "compact"
  | "subagent"
  | "message";

export interface CardButton {
  /** See `meaningOf`. */
  readonly id: string;
  readonly label: string;
  readonly weight: "main" | "plain" | "quiet";
  readonly hint?: string;
  /** Can be pressed again, and does not disable the other buttons. */
  readonly stays?: true;
}

export interface CardHeader {
  readonly icon: CardIcon;
  readonly text: string;
  readonly tone: Tone;
  readonly status?: { readonly text: string; readonly tone: Tone };
}

export interface Picture {
  /** A `data:` URI. */
  readonly src: string;
  readonly alt: string;
}

export interface ShownTerminal {
  readonly terminal: TerminalView;
  /** Working directory, if it differs from the session's. */
  readonly where: string | undefined;
}

/** Old and new content of a file, for a diff editor. */
export interface Change {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/** Markdown, or an image. */
export type Part = string | Picture;

export interface Card {
  /** The entry's id; further parts of one entry append `#2`, `#3`… */
  readonly key: string;
  readonly kind:
    | "prompt"
    | "answer"
    | "thought"
    | "media"
    | "tool"
    | "permission"
    | "elicitation"
    | "plan"
    | "notice"
    | "compaction"
    | "subagent"
    | "message"
    | "unknown";
  /** Text is still being appended. */
  readonly growing: boolean;
  readonly header: CardHeader | undefined;
  readonly body: string;
  readonly pictures: readonly Picture[];
  /** Shown below the header when unfolded. */
  readonly folded: readonly Part[];
  readonly startsUnfolded: boolean;
  /** Shown below the body with its own buttons; a form that is not open can be neither changed nor submitted. */
  readonly form: { readonly ask: FormAsk; readonly asks: string; readonly open: boolean } | undefined;
  /** Attachments of the prompt. */
  readonly attached: readonly Attachment[];
  /** Terminals of the tool call, with live output. */
  readonly terminals: readonly ShownTerminal[];
  /** Changes opened by the buttons `change:0`, `change:1`… */
  readonly changes: readonly Change[];
  readonly buttons: readonly CardButton[];
  /** Actions in a menu after the other buttons (`card-menu.ts`). Their labels are text, not Markdown. */
  readonly menuButtons: readonly CardButton[];
}

export interface RenderContext {
  /** The entry is the last one, and its turn is running. */
  readonly growing: boolean;
  /** The question can be answered now: the sidecar is running and the session is live. */
  readonly answerable: boolean;
  readonly answering: boolean;
  /** Number of further open questions; absent if zero. */
  readonly waiting?: number;
  /** Terminals that the entry references. */
  readonly terminals: readonly ShownTerminal[];
}

export const noTerminals: readonly ShownTerminal[] = [];
const nothingAttached: readonly Attachment[] = [];

export function card(id: string, kind: Card["kind"], rest: Partial<Card>): Card {
  return {
    key: keyOf(id),
    kind,
    growing: false,
    header: undefined,
    body: "",
    pictures: [],
    folded: [],
    startsUnfolded: false,
    form: undefined,
    attached: nothingAttached,
    terminals: noTerminals,
    changes: [],
    buttons: [],
    menuButtons: [],
    ...rest,
  };
}

/** Ids are arbitrary text of an agent. An id that is a property of `Object.prototype` is escaped. */
export function keyOf(id: string): string {
  return id in Object.prototype ? `~${id}` : id;
}
