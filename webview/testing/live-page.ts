/** A page with one live tab, and its steps, for tests of its state machine. */
import { emptyConversation, type ChatEvent, type Conversation, type Permission } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import type { Effect, UiEvent, Page, Tab } from "../state/page-model";
import { openPage, step } from "../state/page-state";
import { emptyPage } from "../state/saved-page";

export const ELIZA = { id: "elizacp", name: "Eliza" };

/** A page that has received a `state` message, with one live tab. */
export function livePage(conversation: Partial<Conversation> = {}, now = 0): Page {
  let page = run(openPage(emptyPage, 100, now)[0], { kind: "received", message: stateMessage(["t1"]) }, now).page;
  page = run(
    page,
    {
      kind: "received",
      message: {
        type: "snapshot",
        tabId: "t1",
        bootId: "b1",
        seq: 0,
        requestNumber: 999,
        conversation: { ...emptyConversation(ELIZA, "/w"), ...conversation },
      },
    },
    now,
  ).page;
  return page;
}
export function stateMessage(
  tabs: readonly TabId[],
  rest: Partial<Extract<HostToPage, { type: "state" }>> = {},
): HostToPage {
  return {
    type: "state",
    agents: [ELIZA, { id: "gem", name: "Gemini" }],
    currentAgentId: ELIZA.id,
    tabs,
    sidecar: { state: "running" },
    ...rest,
  };
}
export function run(
  page: Page,
  event: UiEvent,
  now = 0,
): { readonly page: Page; readonly effects: readonly Effect[]; readonly posts: readonly PageToHost[] } {
  const [after, effects] = step(page, event, now);
  return { page: after, effects, posts: effects.flatMap(effect => (effect.kind === "post" ? [effect.message] : [])) };
}
export function tabOf(page: Page, tabId = "t1"): Tab {
  const tab = page.tabs.get(tabId);
  if (tab === undefined) throw new Error(`No tab ${tabId}`);
  return tab;
}
export const event = (seq: number, event: ChatEvent, bootId = "b1"): UiEvent => ({
  kind: "received",
  message: { type: "event", tabId: "t1", bootId, seq, event },
});
export const running: ChatEvent = { type: "turn", turn: { state: "running", messageId: "m" } };

export const QUESTION: Permission = {
  kind: "permission",
  id: "p",
  agent: "Eliza",
  toolEntryId: "x",
  title: "?",
  toolKind: "other",
  content: [],
  options: [],
};
/** The user's answer to `QUESTION`. */
export const answered: UiEvent = {
  kind: "answered",
  tabId: "t1",
  permissionId: "p",
  choice: { kind: "option", optionId: "o" },
};
