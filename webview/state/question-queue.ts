/** Queue of a conversation's open questions: many simultaneous questions are shown one after the other. Pure. */
import type { Entry } from "../../src/protocol/chat/chat";
import { isQuestion } from "./page-model";

/**
 * Maximum number of questions shown together. If more are open, only the first is shown. Two parallel calls are common,
 * and their questions fit into the view.
 */
const MAX_SIDE_BY_SIDE = 2;

export interface QuestionQueue {
  /** Ids of the shown open questions. */
  readonly shown: ReadonlySet<string>;
  /** Number of open questions that are not shown. */
  readonly waiting: number;
}

export const NO_QUESTIONS: QuestionQueue = { shown: new Set(), waiting: 0 };

export function questionQueue(entries: readonly Entry[]): QuestionQueue {
  const open = entries.flatMap(entry => (isQuestion(entry) && !entry.answered ? [entry.id] : []));
  const shown = open.length <= MAX_SIDE_BY_SIDE ? open : open.slice(0, 1);
  return { shown: new Set(shown), waiting: open.length - shown.length };
}
