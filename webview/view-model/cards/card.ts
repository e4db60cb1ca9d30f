/**
 * Content of a card, independent of the renderer. Pure.
 *
 * Invariant: all Markdown in `Card` is sanitized by `markdown-safe`. `form`, `attached`, `terminals` and a picture's
 * `alt` contain untrusted text, which is rendered only as text.
 */
import type { Attachment } from "../../../src/protocol/chat/attachments";
import type { Addition, Permission, TerminalView, ToolCall } from "../../../src/protocol/chat/chat";
import type { Diff } from "../../../src/protocol/chat/diff-places";
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
  /** Drawn in place of the label, which is then the name and the tooltip. */
  readonly icon?: "edit" | "fork" | "retry";
  /** Can be pressed again, and does not disable the other buttons. */
  readonly stays?: true;
}

export interface CardHeader {
  readonly icon: CardIcon;
  readonly text: string;
  readonly tone: Tone;
  readonly status?: { readonly text: string; readonly tone: Tone };
}

/** A part of a line. `href`: opened by the host. */
export type LinePart =
  | { readonly kind: "text" | "code" | "added" | "removed"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

export interface ToolLine {
  readonly state: "running" | "failed" | "ended";
  readonly parts: readonly LinePart[];
  /** Empty for a call without an unusual result. */
  readonly result: string;
  readonly tone: Tone;
  /** Duration of a long call; otherwise empty. */
  readonly time: string;
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

/** A change of a file, drawn line by line. */
export interface ShownDiff {
  readonly diff: Diff;
  /** Path in the session's folder, or the whole path. */
  readonly name: string;
  /** The path is that of the card's line, and is not repeated. */
  readonly isNamed: boolean;
  /** Number of the first line of the texts in the file, if it is known. */
  readonly line?: number;
  /** `whole`: for a decision of the user. */
  readonly extent: "start" | "whole";
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
  /** Whether each Mermaid block of the body is complete, in order. */
  readonly diagrams: readonly boolean[];
  readonly pictures: readonly Picture[];
  /** The line of a tool call, which is drawn instead of a header. It folds the body, pictures, diffs and terminals. */
  readonly line: ToolLine | undefined;
  /** Place in a group of calls that one line shows together. */
  readonly group: GroupPart | undefined;
  /** Another card shows this one's content. */
  readonly isHidden: boolean;
  readonly diffs: readonly ShownDiff[];
  /** Shown below the header when unfolded. */
  readonly folded: readonly Part[];
  readonly startsUnfolded: boolean;
  /** Shown below the body with its own buttons; a form that is not open can be neither changed nor submitted. */
  readonly form: { readonly ask: FormAsk; readonly asks: string; readonly open: boolean } | undefined;
  /** Attachments of the prompt. */
  readonly attached: readonly Attachment[];
  /** Additions of extensions, shown below the prompt. */
  readonly additions: readonly Addition[];
  /** Terminals of the tool call, with live output. */
  readonly terminals: readonly ShownTerminal[];
  /** Changes opened by `changeButton`, in the order of `diffs`. */
  readonly changes: readonly Change[];
  readonly buttons: readonly CardButton[];
  /** A menu with variants of one of the buttons, directly after it. */
  readonly splitMenu: { readonly after: string; readonly buttons: readonly CardButton[] } | undefined;
  /**
   * Actions after the other buttons (`card-menu.ts`): those with an icon as buttons, the others in a menu. Their labels
   * are text, not Markdown.
   */
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
  /** Folder of the session, an absolute path. */
  readonly cwd: string;
  readonly place: EntryPlace;
}

/** Part of a card in a group. `key`: of the group's first card. */
export interface GroupPart {
  readonly key: string;
  /** Only in the first card. */
  readonly head?: GroupHead;
}

export interface GroupHead {
  readonly isRunning: boolean;
  readonly text: string;
}

/** How other entries affect the card of an entry (`entry-places.ts`). */
export interface EntryPlace {
  readonly isHidden: boolean;
  readonly group?: GroupPart;
  /** The answered permission request of a tool call. */
  readonly question?: Permission;
  /** The tool call of a permission request. */
  readonly call?: ToolCall;
}

/** The place of an entry that no other entry affects. */
export const OWN_PLACE: EntryPlace = { isHidden: false };

export const noTerminals: readonly ShownTerminal[] = [];
const noAdditions: readonly Addition[] = [];
const noDiagrams: readonly boolean[] = [];
const nothingAttached: readonly Attachment[] = [];

export function card(id: string, kind: Card["kind"], rest: Partial<Card>): Card {
  return {
    key: keyOf(id),
    kind,
    growing: false,
    header: undefined,
    body: "",
    diagrams: noDiagrams,
    pictures: [],
    line: undefined,
    group: undefined,
    isHidden: false,
    diffs: [],
    folded: [],
    startsUnfolded: false,
    form: undefined,
    attached: nothingAttached,
    additions: noAdditions,
    terminals: noTerminals,
    changes: [],
    buttons: [],
    splitMenu: undefined,
    menuButtons: [],
    ...rest,
  };
}

/** Ids are arbitrary text of an agent. An id that is a property of `Object.prototype` is escaped. */
export function keyOf(id: string): string {
  return id in Object.prototype ? `~${id}` : id;
}
