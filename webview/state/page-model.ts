/** What the page knows, what can happen to it and what follows; `page-state.ts` is the machine. Pure. */
import type { AgentChoice } from "../../src/protocol/agents";
import type { Attachment, Mention, Want } from "../../src/protocol/attachments";
import {
  emptyConversation,
  interrupted,
  type ActionId,
  type Conversation,
  type Entry,
  type Permission,
} from "../../src/protocol/chat";
import type { ControlValue } from "../../src/protocol/controls";
import type { Seen } from "../../src/protocol/delivery";
import type { Elicitation, ElicitationChoice } from "../../src/protocol/elicitation";
import type { PermissionChoice } from "../../src/protocol/sidecar";
import type { Bypassed, Change, HostToPage, PageToHost, SidecarState, TabId } from "../../src/protocol/webview";
import { noDrafts, queueLost, type Drafts } from "./drafts";

export const MAX_TABS = 10;
export type Asking =
  | { readonly kind: "no" }
  /** missing: an answer must come. checking: none need come, when nothing was missed. */
  | { readonly kind: "missing" | "checking"; readonly since: number; readonly wait: number };

export interface Remark {
  readonly tone: "info" | "error";
  readonly text: string;
  /** It is said only as long as there is no sidecar, or until the turn has ended. */
  readonly until?: "sidecar" | "idle";
  /** A button offers a tab with this agent. */
  readonly newTabWith?: AgentChoice;
}

export interface Tab {
  readonly tabId: TabId;
  readonly seen: Seen;
  readonly conversation: Conversation;
  readonly phase: "restored" | "live" | "interrupted";
  /** The boot that the conversation came from. */
  readonly bootId: string | undefined;
  readonly asking: Asking;
  /** When something of this tab last came. */
  readonly heard: number;
  readonly drafts: Drafts;
  /** Questions that the user answered and the sidecar has not confirmed. */
  readonly answering: readonly { readonly entryId: string; readonly since: number }[];
  /** One sentence beside the input, until the next prompt at the latest. */
  readonly remark: Remark | undefined;
}

/**
 * What the agent works on, for a user who wants to see it: one place at a time, and never into what they type. Times of
 * the page's clock.
 */
export interface Follow {
  readonly wanted: string | undefined;
  readonly opened: number;
  readonly typed: number;
}

export interface Page {
  readonly tabs: ReadonlyMap<TabId, Tab>;
  readonly selected: TabId | undefined;
  /** Tabs that the user closed: a `state` that was under way does not open them again. */
  readonly closed: ReadonlySet<TabId>;
  readonly agents: readonly AgentChoice[];
  readonly currentAgentId: string;
  readonly sidecar: SidecarState;
  /** Whether the host has answered this page yet. */
  readonly host:
    | { readonly kind: "silent"; readonly since: number; readonly losses: 0 }
    | { readonly kind: "met"; readonly selected: TabId | undefined; readonly losses: number };
  /** Events and snapshots handled, and how many of them the host knows of. */
  readonly handled: number;
  readonly acknowledged: number;
  /** Whether the editor goes where the agent of the selected tab works. */
  readonly following: boolean;
  readonly follow: Follow;
  /** Where `asked` of a new tab starts. */
  readonly asked: number;
  /** Enter begins a line, and sends only with Shift, Ctrl or Cmd. */
  readonly requireModifier: boolean;
  /** The newest question for what fits behind an `@`. */
  readonly finding: { readonly asked: number; readonly tabId: TabId; readonly query: string };
  /** Of the tab that is being opened: what is to be attached, and its agent, if it is not the one of new tabs. */
  readonly toAttach: readonly Attachment[];
  readonly openingWith: string | undefined;
  /** Tabs that go on with what was set when they began, where that is something else now. */
  readonly outdated: readonly TabId[];
  /** Tabs in which something is done without asking. */
  readonly bypassed: readonly Bypassed[];
}

/** What a user does with a prompt, until it is sent and as long as it waits. */
export type Composing =
  | { readonly kind: "typed"; readonly tabId: TabId; readonly text: string }
  | { readonly kind: "submitted"; readonly tabId: TabId; readonly messageId: string; readonly text: string }
  | { readonly kind: "attached"; readonly tabId: TabId; readonly attachments: readonly Attachment[] }
  | { readonly kind: "detached"; readonly tabId: TabId; readonly attachment: Attachment }
  /** Something is to be attached that only the host knows. */
  | { readonly kind: "wanted"; readonly tabId: TabId; readonly want: Want }
  /** Something cannot be attached; `why` is a sentence. */
  | { readonly kind: "notTaken"; readonly tabId: TabId; readonly why: string }
  /** An `@` is typed, and this behind it. */
  | { readonly kind: "searched"; readonly tabId: TabId; readonly query: string }
  /** A prompt that waits is taken out of the queue. */
  | { readonly kind: "withdrawn"; readonly tabId: TabId; readonly messageId: string; readonly to: "edit" | "drop" }
  | { readonly kind: "queueSent"; readonly tabId: TabId };

/** What a user does in one tab. */
export type UserAction =
  | Composing
  | { readonly kind: "closed"; readonly tabId: TabId }
  | { readonly kind: "selected"; readonly tabId: TabId }
  | { readonly kind: "stopped"; readonly tabId: TabId }
  /** Absent `agentId`: with the same agent. */
  | { readonly kind: "newTabWanted"; readonly tabId: TabId; readonly agentId?: string }
  | {
      readonly kind: "answered";
      readonly tabId: TabId;
      readonly permissionId: string;
      readonly choice: PermissionChoice;
    }
  | { readonly kind: "bypassWanted" | "bypassEnded"; readonly tabId: TabId }
  | {
      readonly kind: "elicitationAnswered";
      readonly tabId: TabId;
      readonly elicitationId: string;
      readonly choice: ElicitationChoice;
    }
  | ({ readonly kind: "diffWanted"; readonly tabId: TabId } & Change)
  | { readonly kind: "terminalWanted"; readonly tabId: TabId; readonly terminalId: string }
  | { readonly kind: "controlChosen"; readonly tabId: TabId; readonly controlId: string; readonly value: ControlValue }
  /** `messageId`: for a prompt that the action may send. */
  | { readonly kind: "actionChosen"; readonly tabId: TabId; readonly action: ActionId; readonly messageId: string };

export type UiEvent =
  | UserAction
  | { readonly kind: "received"; readonly message: HostToPage }
  | { readonly kind: "opened"; readonly tabId: TabId }
  | { readonly kind: "agentChosen"; readonly agentId: string }
  | { readonly kind: "linkClicked"; readonly href: string }
  | { readonly kind: "followToggled" }
  /** A frame with what arrived is on screen. */
  | { readonly kind: "drawn" }
  | { readonly kind: "ticked" };

export type Effect =
  | { readonly kind: "post"; readonly message: PageToHost }
  /** Give the tab a place on screen, and select it. */
  | { readonly kind: "open" | "select"; readonly tabId: TabId }
  /** Open a new tab under a fresh id, as if the user had. */
  | { readonly kind: "openOne" }
  /** Put this text into the tab's input. */
  | { readonly kind: "fill"; readonly tabId: TabId; readonly text: string }
  /** Take the focus to the tab's input. */
  | { readonly kind: "focus"; readonly tabId: TabId }
  /** This fits behind the `@`. */
  | { readonly kind: "offer"; readonly tabId: TabId; readonly query: string; readonly mentions: readonly Mention[] }
  /** Draw the tab, in a frame or so. */
  | { readonly kind: "show"; readonly tabId: TabId }
  | { readonly kind: "showAgents" }
  /** Before anything else happens: what the user did is not lost with the page. */
  | { readonly kind: "save" }
  /** In a moment: it is only what an agent said, and all of the page is saved each time. */
  | { readonly kind: "saveSoon" };

export type Step = readonly [page: Page, effects: readonly Effect[]];

/** The turn as the user sees it: a prompt that is under way has begun one. */
export function turnOf(tab: Tab): Conversation["turn"]["state"] {
  const { state } = tab.conversation.turn;
  return state === "idle" && tab.drafts.onTheWay.length > 0 ? "starting" : state;
}

/** Whether there is a session that hears what the user does here. */
export function isLive({ sidecar }: Page, { phase }: Tab): boolean {
  return phase === "live" && sidecar.state === "running";
}

export function isQuestion(entry: Entry): entry is Permission | Elicitation {
  return entry.kind === "permission" || entry.kind === "elicitation";
}

export const SAVE: Effect = { kind: "save" };
export const SAVE_SOON: Effect = { kind: "saveSoon" };
export const post = (message: PageToHost): Effect => ({ kind: "post", message });
export const show = ({ tabId }: Tab): Effect => ({ kind: "show", tabId });

export function freshTab(tabId: TabId, agent: AgentChoice, asked: number, now: number): Tab {
  return {
    tabId,
    seen: { at: undefined, asked, tooLate: asked },
    conversation: emptyConversation(agent, ""),
    phase: "restored",
    bootId: undefined,
    asking: { kind: "no" },
    heard: now,
    drafts: noDrafts,
    answering: [],
    remark: undefined,
  };
}

export function withTab(page: Page, tab: Tab): Page {
  return { ...page, tabs: new Map(page.tabs).set(tab.tabId, tab) };
}

export function withTabs(page: Page, change: (tab: Tab) => Tab): Page {
  return { ...page, tabs: new Map([...page.tabs].map(([tabId, tab]) => [tabId, change(tab)])) };
}

/** Another draft in it; the input shows what the draft says, see `step`. */
export function withDrafts(page: Page, tab: Tab, drafts: Drafts): Step {
  return drafts === tab.drafts ? [page, []] : [withTab(page, { ...tab, drafts }), [show(tab), SAVE]];
}

export function remarkOn(page: Page, tabId: TabId | undefined, remark: Remark): Step {
  const tab = tabId === undefined ? undefined : page.tabs.get(tabId);
  return tab ? [withTab(page, { ...tab, remark }), [show(tab)]] : [page, []];
}

/**
 * Nothing looks as if it still went on; see `interrupted`. What waited becomes the draft again. What is shown is then
 * no longer what any sidecar said, so only a snapshot can follow it, also one of the same boot, should that live after
 * all; and only one that is asked for from now on, because one that comes late may lack what was shown since.
 */
export function broken(tab: Tab, why: string): Tab {
  const { queue, bypassed: _, ...conversation } = tab.conversation;
  const terminals = conversation.terminals?.map(terminal => (terminal.exit ? terminal : { ...terminal, exit: {} }));
  const drafts = queueLost(tab.drafts, queue?.prompts ?? [], conversation);
  return {
    ...tab,
    drafts,
    phase: "interrupted",
    seen: { ...tab.seen, at: undefined, tooLate: tab.seen.asked },
    conversation: {
      ...conversation,
      entries: interrupted(conversation, why),
      turn: { state: "idle" },
      ...(terminals ? { terminals } : {}),
    },
  };
}

export function breakAll(page: Page, why: string): Page {
  return withTabs(page, tab => broken(tab, why));
}

export function agentOf(agents: readonly AgentChoice[], id: string): AgentChoice {
  return agents.find(agent => agent.id === id) ?? { id, name: id };
}

export function chain(start: Step, ...steps: readonly ((page: Page) => Step)[]): Step {
  return steps.reduce<Step>(([page, effects], next) => {
    const [after, more] = next(page);
    return [after, [...effects, ...more]];
  }, start);
}
