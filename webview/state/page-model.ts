/** State, events and effects of the page; `page-state.ts` is the state machine. Pure. */
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Attachment, Mention, ContextSource } from "../../src/protocol/chat/attachments";
import {
  emptyConversation,
  type ActionId,
  type Conversation,
  type Entry,
  type Permission,
} from "../../src/protocol/chat/chat";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import type { ControlValue } from "../../src/protocol/chat/controls";
import type { PageCursor } from "../../src/protocol/chat/delivery";
import type { Elicitation, ElicitationChoice } from "../../src/protocol/chat/elicitation";
import type { SessionAction } from "../../src/protocol/chat/session-actions";
import type { PermissionChoice } from "../../src/protocol/sidecar";
import type {
  Bypassed,
  Change,
  CodeFiles,
  FoundFile,
  HostToPage,
  PageToHost,
  ReviewAction,
  SidecarState,
  TabId,
} from "../../src/protocol/page/host-to-page";
import type { CodeColors } from "../../src/protocol/page/code-colors";
import type { FirstScreen } from "../../src/protocol/page/first-screen";
import type { Branching, PendingBranch, Rewinding } from "./branch-model";
import { noDrafts, type Drafts } from "./drafts";
import { CLOSED, NO_REVEAL, type Find, type FindAction, type Reveal } from "./find-model";

export { MAX_TABS } from "../../src/protocol/page/host-to-page";
/** Place of the page in VS Code. An editor shows one tab. */
export type Surface = "view" | "editor";

export type RequestState =
  | { readonly kind: "no" }
  /** missing: the host will answer. checking: the host answers only if the page has missed a message. */
  | { readonly kind: "missing" | "checking"; readonly since: number; readonly wait: number };

export interface Remark {
  readonly tone: "info" | "warning" | "error";
  readonly text: string;
  /** Its buttons. The selection of one removes the remark. */
  readonly actions?: readonly ActionId[];
  /** Shown only until the sidecar is running again, or until the turn ends. */
  readonly until?: "sidecar" | "idle";
  /** Offers a button that opens a tab with this agent. */
  readonly newTabWith?: AgentChoice;
}

export interface Tab {
  readonly tabId: TabId;
  readonly seen: PageCursor;
  readonly conversation: Conversation;
  readonly phase: "restored" | "live" | "interrupted";
  /** Boot id of the sidecar that sent the conversation. */
  readonly bootId: string | undefined;
  readonly asking: RequestState;
  /** Time of the last message for this tab. */
  readonly lastMessageAt: number;
  readonly drafts: Drafts;
  /** Id of the prompt that was posted before the sidecar exited. The session may contain it. */
  readonly postedBefore?: string;
  /** Questions that the user has answered and the sidecar has not confirmed. */
  readonly answering: readonly { readonly entryId: string; readonly since: number }[];
  /** The last request for earlier entries: their number, and its time. */
  readonly earlierRequest?: { readonly count: number; readonly at: number };
  readonly find: Find;
  /** Number of searches in the conversation so far. */
  readonly findRequests: number;
  readonly reveal: Reveal;
  readonly files: FileNames;
  /** The end of the conversation that the user has seen; `undefined` before the first content. See `tab-status.ts`. */
  readonly read: string | undefined;
  /** The open questions on screen. */
  readonly seenQuestions: readonly SeenQuestion[];
  /** A sentence near the input, shown at most until the next prompt. */
  readonly remark: Remark | undefined;
}

/** Names of files in the answers of a tab. */
export interface FileNames {
  readonly found: ReadonlyMap<string, FoundFile>;
  /** Names that the host was asked for. */
  readonly asked: ReadonlySet<string>;
}
export const NO_FILES: FileNames = { found: new Map(), asked: new Set() };

export interface FocusedEntry {
  readonly tabId: TabId;
  readonly entryId: string;
}

/** `since`: time since which this version of the question is on screen (page's clock). */
export interface SeenQuestion {
  readonly question: Permission | Elicitation;
  readonly since: number;
}

/**
 * Follow mode: the pending location, and the times of the last opened location and of the last typing (page's clock).
 */
export interface Follow {
  readonly wanted: string | undefined;
  readonly opened: number;
  readonly typed: number;
}

export interface Page {
  readonly surface: Surface;
  /** The title that the host has received. */
  readonly reportedTitle: string;
  readonly tabs: ReadonlyMap<TabId, Tab>;
  readonly selected: TabId | undefined;
  /** The card that has the keyboard focus, or had it when the page lost the focus. */
  readonly focused: FocusedEntry | undefined;
  /** Time of the last answer by a command of VS Code (page's clock). */
  readonly answeredByCommand: number;
  /** Tabs closed by the user: a `state` message in flight does not reopen them. */
  readonly closed: ReadonlySet<TabId>;
  readonly agents: readonly AgentChoice[];
  readonly currentAgentId: string;
  readonly sidecar: SidecarState;
  /** Whether the host has answered this page yet. */
  readonly host:
    | { readonly kind: "silent"; readonly since: number }
    | { readonly kind: "met"; readonly selected: TabId | undefined };
  /** Number of events and snapshots handled, and the number acknowledged to the host. */
  readonly handled: number;
  readonly acknowledged: number;
  /** Whether follow mode is on. */
  readonly following: boolean;
  readonly follow: Follow;
  /** Initial `requestNumber` of a new tab. */
  readonly requestNumber: number;
  /** Enter inserts a line break; Shift, Ctrl or Cmd with Enter sends. */
  readonly requireModifier: boolean;
  /** The newest search for mentions. */
  readonly finding: { readonly requestNumber: number; readonly tabId: TabId; readonly query: string };
  /** For the tab being opened: attachments to add, and its agent if it differs from that of new tabs. */
  readonly toAttach: readonly Attachment[];
  readonly openingWith: string | undefined;
  /** The draft of a link, for the tab being opened. */
  readonly openingDraft: string | undefined;
  /** The newest branch, until its tab is open. */
  readonly branch: PendingBranch | undefined;
  /** Tabs that still use their old settings after a change. */
  readonly outdated: readonly TabId[];
  /** Tabs in which some actions run without asking the user. */
  readonly bypassed: readonly Bypassed[];
  /** Content of tabs without a prompt. `undefined` until the host has sent it. */
  readonly firstScreen: FirstScreen | undefined;
}

/** Session actions that the page forwards unchanged. */
export type PlainAction = SessionAction<"sendQueued" | "clearQueue" | "endBypass" | "cancelInstall" | "showEarlier">;

/** The user's actions on a prompt, until it is sent and while it is queued. */
export type Composing =
  | { readonly kind: "typed"; readonly tabId: TabId; readonly text: string }
  | { readonly kind: "submitted"; readonly tabId: TabId; readonly messageId: string; readonly text: string }
  | { readonly kind: "attached"; readonly tabId: TabId; readonly attachments: readonly Attachment[] }
  | { readonly kind: "attachmentOpened"; readonly tabId: TabId; readonly attachment: Attachment }
  | { readonly kind: "detached"; readonly tabId: TabId; readonly attachment: Attachment }
  /** Requests an attachment that only the host can supply. */
  | { readonly kind: "contextRequested"; readonly tabId: TabId; readonly source: ContextSource }
  /** An item cannot be attached; `why` is a sentence. */
  | { readonly kind: "notTaken"; readonly tabId: TabId; readonly why: string }
  /** Adds a suggested prompt to the draft. */
  | { readonly kind: "suggested"; readonly tabId: TabId; readonly text: string }
  /** The text after an `@` has changed. */
  | { readonly kind: "searched"; readonly tabId: TabId; readonly query: string }
  /** Removes a prompt from the queue. */
  | { readonly kind: "withdrawn"; readonly tabId: TabId; readonly messageId: string; readonly to: "edit" | "drop" }
  /** Forwarded to the session unchanged. */
  | { readonly kind: "acted"; readonly tabId: TabId; readonly action: PlainAction };

/** The user's actions in one tab. */
export type UserAction =
  | Composing
  | FindAction
  | Branching
  | Rewinding
  /** Without `entryId`: on all changes of the conversation. */
  | { readonly kind: "reviewed"; readonly tabId: TabId; readonly action: ReviewAction; readonly entryId?: string }
  | { readonly kind: "closed"; readonly tabId: TabId }
  | { readonly kind: "selected"; readonly tabId: TabId }
  | { readonly kind: "stopped"; readonly tabId: TabId }
  /** Default of `agentId`: the agent of this tab. */
  | { readonly kind: "newTabWanted"; readonly tabId: TabId; readonly agentId?: string }
  | {
      readonly kind: "answered";
      readonly tabId: TabId;
      readonly permissionId: string;
      readonly choice: PermissionChoice;
    }
  | { readonly kind: "bypassWanted"; readonly tabId: TabId }
  /** Switches an unprompted tab to the built-in agent, which is not selected for new tabs. */
  | { readonly kind: "demoStarted"; readonly tabId: TabId }
  /** The question cards on screen have changed. */
  | { readonly kind: "questionsSeen"; readonly tabId: TabId; readonly entryIds: readonly string[] }
  | {
      readonly kind: "elicitationAnswered";
      readonly tabId: TabId;
      readonly elicitationId: string;
      readonly choice: ElicitationChoice;
    }
  | ({ readonly kind: "diffWanted"; readonly tabId: TabId } & Change)
  /** Inserts the code of an answer in the editor, or proposes it for a file. */
  | { readonly kind: "codeInserted"; readonly tabId: TabId; readonly code: string }
  | ({ readonly kind: "codeApplied"; readonly tabId: TabId; readonly code: string } & CodeFiles)
  /** Inline code of the tab's answers has the form of these names. */
  | { readonly kind: "filesNamed"; readonly tabId: TabId; readonly names: readonly string[] }
  | { readonly kind: "symbolWanted"; readonly tabId: TabId; readonly name: string }
  | { readonly kind: "terminalWanted"; readonly tabId: TabId; readonly terminalId: string }
  | { readonly kind: "controlChosen"; readonly tabId: TabId; readonly controlId: string; readonly value: ControlValue }
  /** `messageId`: id of a prompt that the action may send. */
  | { readonly kind: "actionChosen"; readonly tabId: TabId; readonly action: ActionId; readonly messageId: string };

export type UiEvent =
  | UserAction
  | { readonly kind: "received"; readonly message: HostToPage }
  | { readonly kind: "opened"; readonly tabId: TabId }
  | { readonly kind: "agentChosen"; readonly agentId: string }
  | { readonly kind: "linkClicked"; readonly href: string }
  | { readonly kind: "extensionsDisabled"; readonly ids: readonly string[] }
  | { readonly kind: "extensionsPreviewed" }
  | { readonly kind: "followToggled" }
  /** The focus has moved to the card of an entry, or away from all cards. */
  | { readonly kind: "focusMoved"; readonly to: FocusedEntry | undefined }
  | { readonly kind: "pageFocused"; readonly hasFocus: boolean }
  /** A frame with the received changes is on screen. */
  | { readonly kind: "drawn" }
  | { readonly kind: "ticked" };

export type Effect =
  | { readonly kind: "post"; readonly message: PageToHost }
  /** Creates the tab on screen, selects it, or removes it. */
  | { readonly kind: "open" | "select" | "close"; readonly tabId: TabId }
  /** Opens a new tab with a fresh id, like the user's action. */
  | { readonly kind: "openOne" }
  /** Sets the text of the tab's input. */
  | { readonly kind: "fill"; readonly tabId: TabId; readonly text: string }
  /** Focuses the tab's input. */
  | { readonly kind: "focus"; readonly tabId: TabId }
  /** Focuses the card of the question. */
  | { readonly kind: "focusQuestion"; readonly tabId: TabId; readonly entryId: string }
  /** Focuses the input of the tab's find bar and selects its text. */
  | { readonly kind: "focusFind"; readonly tabId: TabId }
  /** Shows suggestions for the text after the `@`. */
  | { readonly kind: "offer"; readonly tabId: TabId; readonly query: string; readonly mentions: readonly Mention[] }
  /** Draws the tab with one of the next frames. */
  | { readonly kind: "show"; readonly tabId: TabId }
  | { readonly kind: "showAgents" }
  /** `undefined`: the page's own colors. */
  | { readonly kind: "colorCode"; readonly colors: CodeColors | undefined }
  /** Saves before the next event, because the page may be destroyed at any time. */
  | { readonly kind: "save" }
  /** Saves later. Used for changes by an agent, because each save writes the whole page. */
  | { readonly kind: "saveSoon" };

export type Step = readonly [page: Page, effects: readonly Effect[]];

/** The displayed turn state: a prompt in flight counts as the start of a turn. */
export function turnOf(tab: Tab): Conversation["turn"]["state"] {
  const { state } = tab.conversation.turn;
  return state === "idle" && tab.drafts.onTheWay.length > 0 ? "starting" : state;
}

/** Whether a session receives the user's actions in this tab. */
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

export function freshTab(tabId: TabId, agent: AgentChoice, requestNumber: number, now: number): Tab {
  return {
    tabId,
    seen: { at: undefined, requestNumber, tooLate: requestNumber },
    conversation: emptyConversation(agent, ""),
    phase: "restored",
    bootId: undefined,
    asking: { kind: "no" },
    lastMessageAt: now,
    drafts: noDrafts,
    answering: [],
    find: CLOSED,
    findRequests: 0,
    reveal: NO_REVEAL,
    files: NO_FILES,
    read: undefined,
    seenQuestions: [],
    remark: undefined,
  };
}

export function withTab(page: Page, tab: Tab): Page {
  return { ...page, tabs: new Map(page.tabs).set(tab.tabId, tab) };
}

export function withTabs(page: Page, change: (tab: Tab) => Tab): Page {
  return { ...page, tabs: new Map([...page.tabs].map(([tabId, tab]) => [tabId, change(tab)])) };
}

/** Replaces the draft; `step` updates the input. */
export function withDrafts(page: Page, tab: Tab, drafts: Drafts): Step {
  return drafts === tab.drafts ? [page, []] : [withTab(page, { ...tab, drafts }), [show(tab), SAVE]];
}

export function remarkOn(page: Page, tabId: TabId | undefined, remark: Remark): Step {
  const tab = tabId === undefined ? undefined : page.tabs.get(tabId);
  return tab ? [withTab(page, { ...tab, remark }), [show(tab)]] : [page, []];
}

/**
 * Ends all activity in the tab, see `interrupted`.
 *
 * The conversation then differs from every sidecar's state, so that only a snapshot can update it, possibly of the same
 * boot. The snapshot must answer a later request, because an earlier snapshot may lack displayed entries.
 */
export function broken(tab: Tab, why: string): Tab {
  const { bypassed: _, ...conversation } = tab.conversation;
  const terminals = conversation.terminals?.map(terminal => (terminal.exit ? terminal : { ...terminal, exit: {} }));
  return {
    ...tab,
    phase: "interrupted",
    seen: { ...tab.seen, at: undefined, tooLate: tab.seen.requestNumber },
    conversation: {
      ...conversation,
      entries: interrupted(conversation, why),
      turn: { state: "idle" },
      ...(terminals ? { terminals } : {}),
    },
  };
}

/** Interrupts all tabs because the sidecar exited. */
export function interruptAll(page: Page, why: string): Page {
  return withTabs(page, tab => {
    const [first] = tab.drafts.onTheWay;
    return { ...broken(tab, why), ...(first === undefined ? {} : { postedBefore: first.messageId }) };
  });
}

export function agentOf(agents: readonly AgentChoice[], id: string): AgentChoice {
  return agents.find(agent => agent.id === id) ?? { id, name: id };
}

export function chain(start: Step, ...steps: readonly ((page: Page) => Step)[]): Step {
  return steps.reduce<Step>(([page, effects], next) => {
    const [after, moreEffects] = next(page);
    return [after, [...effects, ...moreEffects]];
  }, start);
}
