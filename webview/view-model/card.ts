/**
 * A card: what it says, not how it is drawn. Pure.
 *
 * Invariant: everything in `Card` that is rendered as Markdown has been through `markdown-safe`; what is in `form`, in
 * `attached`, in `terminals` and in a picture's `alt` is text of others, and goes to the screen as text only.
 */
import type { Attachment } from "../../src/protocol/attachments";
import type { TerminalView } from "../../src/protocol/chat";
import type { FormAsk } from "../../src/protocol/elicitation";

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
  /** It can be pressed again, and takes nothing from the others. */
  readonly stays?: true;
}

export interface CardHeader {
  readonly icon: CardIcon;
  readonly text: string;
  readonly tone: Tone;
  readonly status?: { readonly text: string; readonly tone: Tone };
}

export interface Picture {
  /** A `data:` address. */
  readonly src: string;
  readonly alt: string;
}

export interface ShownTerminal {
  readonly terminal: TerminalView;
  /** Its folder, when that is not the session's. */
  readonly where: string | undefined;
}

/** A file as it was and as it is to be, to be compared in an editor. */
export interface Change {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/** Markdown, or an image. */
export type Part = string | Picture;

export interface Card {
  /** The entry's id; further parts of one entry have `#2`, `#3`… after it. */
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
  /** Text is still being added. */
  readonly growing: boolean;
  readonly header: CardHeader | undefined;
  readonly body: string;
  readonly pictures: readonly Picture[];
  /** Shown below the header when unfolded. */
  readonly folded: readonly Part[];
  readonly startsUnfolded: boolean;
  /** Asked below the body, with its own buttons; one that is not open is shown, and cannot be changed or sent. */
  readonly form: { readonly ask: FormAsk; readonly asks: string; readonly open: boolean } | undefined;
  /** What the user sent with the prompt. */
  readonly attached: readonly Attachment[];
  /** What runs, or ran, in it, as it is printed. */
  readonly terminals: readonly ShownTerminal[];
  /** What its buttons `change:0`, `change:1`… open. */
  readonly changes: readonly Change[];
  readonly buttons: readonly CardButton[];
  /** Behind a button of their own, after the others: see `card-menu.ts`. Their labels are text, not Markdown. */
  readonly more: readonly CardButton[];
}

export interface Circumstances {
  /** The entry is the last, and its turn runs. */
  readonly growing: boolean;
  /** Its question can be answered now: the sidecar lives, and no answer is under way. */
  readonly answerable: boolean;
  readonly answering: boolean;
  /** Questions that are asked after this one; absent: none. */
  readonly waiting?: number;
  /** Those that it mentions. */
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
    more: [],
    ...rest,
  };
}

/** An id may be any text of an agent's; a few would be taken for something that every object has. */
export function keyOf(id: string): string {
  return id in Object.prototype ? `~${id}` : id;
}
