/** The open questions of a conversation in a queue: many of them at once are asked one after the other. Pure. */
import type { Entry } from "../../src/protocol/chat";
import { isQuestion } from "./page-model";

/** Questions that are drawn side by side; of more, only the first is drawn. */
const MAX_SIDE_BY_SIDE = 2;

export interface QuestionQueue {
  /** Ids of the open questions that are drawn. */
  readonly shown: ReadonlySet<string>;
  /** Number of the others. */
  readonly waiting: number;
}

export const NO_QUESTIONS: QuestionQueue = { shown: new Set(), waiting: 0 };

export function questionQueue(entries: readonly Entry[]): QuestionQueue {
  const open = entries.flatMap(entry => (isQuestion(entry) && !entry.answered ? [entry.id] : []));
  const shown = open.length <= MAX_SIDE_BY_SIDE ? open : open.slice(0, 1);
  return { shown: new Set(shown), waiting: open.length - shown.length };
}
