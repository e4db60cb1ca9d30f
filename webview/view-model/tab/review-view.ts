/** Content of the dock's panel about unreviewed changes. Pure. */
import type { Conversation, Entry } from "../../../src/protocol/chat/chat";
import type { ReviewSummary } from "../../../src/protocol/review/review";
import { readableLine } from "../../../src/protocol/text/visible-text";
import type { LinePart } from "../cards/card";
import { fileCount } from "../text/plural-texts";
import { texts } from "../text/chat-texts";
import { chipView } from "./chip";

export interface ReviewView {
  /** 0 if changes may be missing, and no file is listed. */
  readonly files: number;
  /** `4 files`, `+31`, `−7`. Numbers of lines are absent if they are 0. Without files, a sentence. */
  readonly parts: readonly LinePart[];
  /** The newest first. Empty if there is only one, which has all changes. */
  readonly turns: readonly ReviewTurnView[];
}

export interface ReviewTurnView {
  readonly entryId: string;
  /** One line of the prompt. Plain text. */
  readonly title: string;
  readonly parts: readonly LinePart[];
}

export function reviewView({ review, entries }: Pick<Conversation, "review" | "entries">): ReviewView | undefined {
  if (review?.isIncomplete) return { files: 0, parts: [{ kind: "text", text: texts.reviewIncomplete }], turns: [] };
  if (review === undefined || review.files === 0) return undefined;
  return {
    files: review.files,
    parts: partsOf(review),
    turns: review.turns.length < 2 ? [] : turnsOf(review, entries),
  };
}

/** The summary has no order. */
function turnsOf({ turns }: ReviewSummary, entries: Conversation["entries"]): readonly ReviewTurnView[] {
  const prompts = entries.filter(entry => entry.kind === "user"),
    places = new Map(prompts.map(({ id }, i) => [id, i])),
    placeOf = (turn: Turn): number => places.get(turn.entryId) ?? -1;
  return turns
    .toSorted((a, b) => placeOf(b) - placeOf(a))
    .map(turn => ({ entryId: turn.entryId, title: titleOf(prompts[placeOf(turn)]), parts: partsOf(turn) }));
}
type Turn = ReviewSummary["turns"][number];

/** Maximum length of a title, which the panel cuts to one line. */
const TITLE = /^[^]{0,200}/u;

/** The page has only the newest entries of a long conversation. */
function titleOf(prompt: Extract<Entry, { readonly kind: "user" }> | undefined): string {
  if (prompt === undefined) return texts.earlierPrompt;
  const start = TITLE.exec(prompt.text)?.[0] ?? "";
  return readableLine(start) || (prompt.attachments ?? []).map(each => chipView(each).name).join(", ");
}

interface Counts {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

function partsOf({ files, added, removed }: Counts): readonly LinePart[] {
  return [
    { kind: "text", text: fileCount(files) },
    ...(added === 0 ? [] : [{ kind: "added", text: `+${added}` } as const]),
    ...(removed === 0 ? [] : [{ kind: "removed", text: `−${removed}` } as const]),
  ];
}
