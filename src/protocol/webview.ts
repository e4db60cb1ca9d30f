/**
 * Page ↔ extension host, by `postMessage`. The page makes ids of tabs and messages (UUIDs); it knows no session ids.
 * VS Code drops what is posted to a hidden view and destroys the page; see `delivery.ts` for why nothing is lost.
 * The host validates everything that a page says (`src/chat/validate-page-message.ts`): the page is the least trusted program.
 */
import type { AgentChoice } from "./agents";
import type { Attachment, Mention, Want } from "./attachments";
import type { ActionId, ChatEvent, Conversation, Entry, TerminalView } from "./chat";
import type { ControlValue } from "./controls";
import type { Position } from "./delivery";
import type { ElicitationChoice } from "./elicitation";
import type { PermissionChoice } from "./sidecar";

export type TabId = string;

/** Where the page is with one tab. `shown`, `agentId` and `cwd` let a tab go on whose sidecar is gone. */
export interface TabPosition {
  readonly tabId: TabId;
  readonly at?: Position;
  readonly asked: number;
  readonly shown: readonly Entry[];
  readonly agentId?: string;
  readonly cwd?: string;
  /** What the tab is called; absent as long as it has only its agent's name. */
  readonly title?: string;
}

/** What an agent made, or wants to make, of a file or a part of it; without `oldText` it is new. */
export interface Change {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

export type PageToHost =
  /** At start, when the page misses something, and when the host says `askAgain`. Only the tabs that need an answer. */
  | {
      readonly type: "webview-ready";
      readonly tabs: readonly TabPosition[];
      /**
       * As in the last `state`, 0 before the first: a page that has not heard of a loss may be about to show more than
       * `shown`.
       */
      readonly losses: number;
    }
  /** `agentId`: of its agent; absent: the one of new tabs. */
  | { readonly type: "new-tab"; readonly tabId: TabId; readonly agentId?: string }
  | { readonly type: "close-tab"; readonly tabId: TabId }
  | { readonly type: "select-tab"; readonly tabId: TabId }
  | {
      readonly type: "prompt";
      readonly tabId: TabId;
      readonly messageId: string;
      readonly text: string;
      readonly attachments?: readonly Attachment[];
      /**
       * As in `webview-ready`: a page that has not heard of a loss may make this prompt a draft again. Absent: it is
       * not a page that says it.
       */
      readonly losses?: number;
    }
  /** As `chat/withdraw` and `chat/sendQueued`. */
  | { readonly type: "withdraw"; readonly tabId: TabId; readonly messageId: string }
  | { readonly type: "send-queued"; readonly tabId: TabId }
  /** What fits behind an `@`; answered by `found` with the same `asked`, unless a newer one came. */
  | { readonly type: "find"; readonly asked: number; readonly query: string }
  /** Answered by `attach` for this tab, or by `failed`. */
  | { readonly type: "want"; readonly tabId: TabId; readonly want: Want }
  | { readonly type: "cancel"; readonly tabId: TabId }
  | {
      readonly type: "answer-permission";
      readonly tabId: TabId;
      readonly permissionId: string;
      readonly choice: PermissionChoice;
    }
  /** The user wants to allow everything: the host asks for a confirmation, and until when. */
  | { readonly type: "bypass"; readonly tabId: TabId }
  /** Ends the bypass of this session. */
  | { readonly type: "end-bypass"; readonly tabId: TabId }
  | {
      readonly type: "answer-elicitation";
      readonly tabId: TabId;
      readonly elicitationId: string;
      readonly choice: ElicitationChoice;
    }
  | { readonly type: "set-option"; readonly tabId: TabId; readonly controlId: string; readonly value: ControlValue }
  | { readonly type: "action"; readonly tabId: TabId; readonly action: ActionId }
  | { readonly type: "select-agent"; readonly agentId: string }
  /** `preview`: what the agent works on, shown while the focus stays where it is. */
  | { readonly type: "open-link"; readonly href: string; readonly preview?: true }
  | ({ readonly type: "open-diff"; readonly tabId: TabId } & Change)
  /** What the page shows of a terminal, as it is now. */
  | {
      readonly type: "open-terminal";
      readonly tabId: TabId;
      readonly command: string;
      readonly output: string;
      readonly exit?: NonNullable<TerminalView["exit"]>;
    }
  /**
   * How many events and snapshots the page has handled since its start; the host stops posting when too many are open.
   */
  | { readonly type: "ack"; readonly handled: number }
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "info" | "debug";
      readonly message: string;
      readonly data?: Readonly<Record<string, unknown>>;
    };

/** State of the sidecar as the page shows it. `message` is one sentence for the user. */
export type SidecarState =
  | { readonly state: "running" }
  | { readonly state: "restarting"; readonly message: string }
  | { readonly state: "failed"; readonly message: string; readonly actions: readonly ActionId[] };

/**
 * Acts that are not asked about: the agent's, or those of a built-in extension whose setting `approve` was `all` when
 * the tab began.
 */
export const BYPASSED_BY = ["agent", "workspace", "cargo", "ferris", "sparkle"] as const;
export type BypassedBy = (typeof BYPASSED_BY)[number];
export interface Bypassed {
  readonly tabId: TabId;
  readonly by: readonly BypassedBy[];
}

export type HostToPage =
  /**
   * The answer to the first `webview-ready`, and whenever a part changes. Tabs that the page does not have are opened.
   */
  | {
      readonly type: "state";
      readonly agents: readonly AgentChoice[];
      readonly currentAgentId: string;
      readonly tabs: readonly TabId[];
      readonly selected?: TabId;
      readonly sidecar: SidecarState;
      /** How often sessions of this host were lost; absent: never. */
      readonly losses?: number;
      /** Tabs that go on with what was set when they began, where that is something else now; absent: none. */
      readonly outdated?: readonly TabId[];
      /** Tabs in which something is done without asking; absent: none. */
      readonly bypassed?: readonly Bypassed[];
      /** Enter begins a line, and Shift, Ctrl or Cmd with it sends (`symposium.requireModifierToSend`). */
      readonly requireModifier?: true;
    }
  | {
      readonly type: "event";
      readonly tabId: TabId;
      readonly bootId: string;
      readonly seq: number;
      readonly event: ChatEvent;
    }
  | {
      readonly type: "snapshot";
      readonly tabId: TabId;
      readonly bootId: string;
      readonly seq: number;
      readonly asked?: number;
      readonly conversation: Conversation;
    }
  /** The best first. */
  | { readonly type: "found"; readonly asked: number; readonly mentions: readonly Mention[] }
  /**
   * Put these beside the draft of this tab; absent: of the selected one, or of a new one where there is none. The focus
   * goes to the prompt.
   */
  | { readonly type: "attach"; readonly tabId?: TabId; readonly attachments: readonly Attachment[] }
  /** Something was not posted: ask with `webview-ready` for every tab. */
  | { readonly type: "askAgain" }
  /**
   * A command asks the page to open a tab, which it does as if the user had. `agentId`: of its agent; absent: the one
   * of new tabs.
   */
  | { readonly type: "openTab"; readonly agentId?: string }
  /** The user selected an agent by a button of this tab: it takes the agent if nothing was answered in it. */
  | { readonly type: "agentSelected"; readonly tabId: TabId; readonly agentId: string }
  /**
   * A request about this tab failed: one sentence. `messageId`: it was this prompt, which is not in the conversation
   * and will not be.
   */
  | {
      readonly type: "failed";
      readonly tabId: TabId;
      readonly messageId?: string;
      readonly message: string;
      /** The tab got no session: nothing that is on its way to one will be accepted. */
      readonly noSession?: true;
    };
