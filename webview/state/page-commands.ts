/** Commands of VS Code in the selected tab, such as those of key bindings. Pure. */
import type { Entry, PermissionOptionKind } from "../../src/protocol/chat/chat";
import type { PageCommand, TabId } from "../../src/protocol/page/host-to-page";
import { assertNever } from "../../src/protocol/wire/wire";
import { stopped } from "./composing";
import { moveTab } from "./moved-tabs";
import { answered } from "./page-actions";
import { isLive, isQuestion, post, SAVE, type Effect, type Page, type Step, type Tab } from "./page-model";
import { questionQueue } from "./question-queue";

/**
 * Milliseconds that a question must have been on screen before a command can answer it. Agents choose the moment and
 * the content of a question. Without the delay, a key press for the previous question, or a held key, would approve a
 * question that the user has not read. Web browsers delay the buttons of their security dialogs likewise.
 */
export const SEEN_MS = 1_000;

export function runCommand(page: Page, command: PageCommand, now: number): Step {
  const tab = page.tabs.get(page.selected ?? "");
  if (tab === undefined) return [page, []];
  switch (command) {
    case "focusPrompt":
      return [page, [{ kind: "focus", tabId: tab.tabId }]];
    case "nextQuestion":
      return nextQuestion(page, tab);
    case "allowOnce":
      return answerOnce(page, tab, "allow_once", now);
    case "rejectOnce":
      return answerOnce(page, tab, "reject_once", now);
    case "stop":
      return stopped(page, tab);
    case "moveToEditor":
    case "moveToWindow":
    case "moveToView":
      return moveTab(page, tab, command);
    default:
      return assertNever(command, "page command");
  }
}

/** The focused question precedes its tab's others, then those of the following tabs. */
function nextQuestion(page: Page, selected: Tab): Step {
  const tabs = [...page.tabs.values()],
    at = tabs.indexOf(selected);
  const questions = [...tabs.slice(at), ...tabs.slice(0, at)].flatMap(({ tabId, conversation: { entries } }) =>
    [...questionQueue(entries).shown].map(entryId => ({ tabId, entryId })),
  );
  const focused = questions.findIndex(
      ({ tabId, entryId }) => tabId === selected.tabId && entryId === focusedIn(page, selected),
    ),
    next = questions[(focused + 1) % questions.length];
  return next === undefined ? [page, []] : focusQuestion(page, next.tabId, next.entryId);
}

function focusQuestion(page: Page, tabId: TabId, entryId: string): Step {
  const focus: Effect = { kind: "focusQuestion", tabId, entryId };
  return tabId === page.selected
    ? [page, [focus]]
    : [{ ...page, selected: tabId }, [{ kind: "select", tabId }, post({ type: "selectTab", tabId }), SAVE, focus]];
}

/**
 * Answers the focused question, otherwise the first one that the user has seen. Selects only an unambiguous option for
 * one time, and never a permanent one.
 */
function answerOnce(page: Page, tab: Tab, kind: PermissionOptionKind, now: number): Step {
  if (!isLive(page, tab) || now - page.answeredByCommand < SEEN_MS) return [page, []];
  const open = tab.conversation.entries.filter(entry => isQuestion(entry) && entry.answered === undefined),
    focused = open.find(({ id }) => id === focusedIn(page, tab));
  const question = focused ?? open.find(entry => isSeen(tab, entry, now));
  if (question?.kind !== "permission" || !isSeen(tab, question, now)) return [page, []];
  const [option, ...others] = question.options.filter(each => each.kind === kind);
  if (option === undefined || others.length > 0) return [page, []];
  const { tabId } = tab,
    choice = { kind: "option", optionId: option.optionId } as const;
  return answered(
    { ...page, answeredByCommand: now },
    tab,
    question.id,
    { type: "answerPermission", tabId, permissionId: question.id, choice },
    now,
  );
}

/** The id of the tab's focused entry. */
const focusedIn = ({ focused }: Page, { tabId }: Tab): string | undefined =>
  focused?.tabId === tabId ? focused.entryId : undefined;

/** Whether this version of the question has been on screen long enough, and is not being answered. */
function isSeen({ seenQuestions, answering }: Tab, entry: Entry, now: number): boolean {
  return (
    seenQuestions.some(({ question, since }) => question === entry && now - since >= SEEN_MS) &&
    !answering.some(({ entryId }) => entryId === entry.id)
  );
}
