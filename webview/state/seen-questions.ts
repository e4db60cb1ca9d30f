/** Records since when the open questions of a tab have been on screen. Pure. */
import { isQuestion, withTab, type Page, type SeenQuestion, type Tab } from "./page-model";

/** `entryIds`: all questions whose cards are on screen. */
export function questionsSeen(page: Page, tab: Tab, entryIds: readonly string[], now: number): Page {
  const before = new Map(tab.seenQuestions.map(seen => [seen.question.id, seen])),
    ids = new Set(entryIds);
  const seenQuestions = tab.conversation.entries.flatMap((entry): SeenQuestion[] => {
    if (!isQuestion(entry) || entry.answered || !ids.has(entry.id)) return [];
    const seen = before.get(entry.id);
    // An agent can change a question under its id, and the user has then not seen it.
    return [seen?.question === entry ? seen : { question: entry, since: now }];
  });
  const isSame =
    seenQuestions.length === before.size && seenQuestions.every(seen => before.get(seen.question.id) === seen);
  return isSame ? page : withTab(page, { ...tab, seenQuestions });
}

/** Call after a drawing, which may have changed questions on screen. */
export function questionsRedrawn(page: Page, now: number): Page {
  return [...page.tabs.values()].reduce(
    (result, tab) =>
      tab.seenQuestions.length === 0
        ? result
        : questionsSeen(
            result,
            tab,
            tab.seenQuestions.map(({ question }) => question.id),
            now,
          ),
    page,
  );
}
