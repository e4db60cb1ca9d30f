/** Events and snapshots of a conversation in the page's state machine (`page-state.ts`). Pure. */
import * as l10n from "@vscode/l10n";
import { applyEvent } from "../../src/protocol/chat/chat";
import { receive } from "../../src/protocol/chat/delivery";
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import { forwarded, repeatedMessages } from "./composing";
import * as drafts from "./drafts";
import { found } from "./find";
import { broken, chain, isQuestion, SAVE, show, turnOf, withTab, type Page, type Step, type Tab } from "./page-model";
import { missing, positioned } from "./page-requests";

type TabMessage = Extract<HostToPage, { type: "event" | "snapshot" }>;

export function tabMessageReceived(page: Page, tab: Tab, message: TabMessage, now: number): Step {
  const { bootId, seq } = message;
  const receipt = receive(tab.seen, {
    kind: message.type,
    bootId,
    seq,
    ...(message.type === "snapshot" && message.requestNumber !== undefined
      ? { requestNumber: message.requestNumber }
      : {}),
  });
  switch (receipt.kind) {
    case "skip":
      return [page, [show(tab)]];
    case "show": {
      const conversation =
        message.type === "event" ? applyEvent(tab.conversation, message.event) : message.conversation;
      return chain(
        messageApplied(
          page,
          {
            ...tab,
            seen: receipt.seen,
            conversation,
            bootId,
            phase: "live",
            asking: { kind: "no" },
            lastMessageAt: now,
          },
          message,
        ),
        p => answerReceived(p, message, now),
      );
    }
    case "requestReplay":
      return tab.asking.kind === "missing"
        ? [page, [show(tab)]]
        : positioned(withTab(page, { ...tab, seen: receipt.seen, asking: missing(now) }), [tab.tabId], [show(tab)]);
    case "startOver": {
      const restartedTab = {
        ...(tab.bootId === undefined || bootId === tab.bootId ? tab : broken(tab, l10n.t("Symposium was restarted."))),
        seen: receipt.seen,
        asking: missing(now),
      };
      return positioned(withTab(page, restartedTab), [tab.tabId], [show(tab)]);
    }
  }
}

function answerReceived(page: Page, message: TabMessage, now: number): Step {
  const tab = page.tabs.get(message.tabId);
  return tab && message.type === "event" && message.event.type === "found"
    ? found(page, tab, message.event, now)
    : [page, []];
}

/**
 * After an event only the next prompt is posted. After a snapshot, prompts missing from it are re-sent under the same
 * ids.
 */
function messageApplied(page: Page, tab: Tab, message: TabMessage): Step {
  const { conversation } = tab;
  const remainingDrafts = drafts.arrived(tab.drafts, conversation);
  const open = new Set(conversation.entries.flatMap(entry => (isQuestion(entry) && !entry.answered ? [entry.id] : [])));
  const answering =
    tab.answering.length === 0 ? tab.answering : tab.answering.filter(({ entryId }) => open.has(entryId));
  const updated = { ...tab, drafts: remainingDrafts, answering };
  const moreEffects =
    message.type === "snapshot" ? repeatedMessages(page, updated) : forwarded(page, tab.drafts.onTheWay, updated);
  // SAVE precedes the messages, because the saved page must not be older than the posted messages.
  const after = turnOf(updated) === "idle" ? withoutTurnRemark(updated) : updated;
  return [withTab(page, after), [show(tab), ...(moreEffects.length === 0 ? [] : [SAVE, ...moreEffects])]];
}

/** Removes a remark that is valid only until the end of the turn. */
function withoutTurnRemark(tab: Tab): Tab {
  return tab.remark?.until === "idle" ? { ...tab, remark: undefined } : tab;
}
