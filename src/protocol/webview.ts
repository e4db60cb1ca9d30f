/**
 * Page ↔ extension host, by `postMessage`. The page creates the ids of tabs and messages (UUIDs) and has no session
 * ids. VS Code drops messages to a hidden view and destroys its page; `delivery.ts` explains why nothing is lost. The
 * host validates all messages of the page (`src/chat/validate-page-message.ts`), because the page is the least trusted
 * program.
 */
import type { AgentChoice } from "./agents";
import type { Attachment, Mention, Want } from "./attachments";
import type { ActionId, ChatEvent, Conversation, Entry, TerminalView } from "./chat";
import type { ControlValue } from "./controls";
import type { Position } from "./delivery";
import type { ElicitationChoice } from "./elicitation";
import type { PermissionChoice } from "./sidecar";

export type TabId = string;

/** Position of the page in one tab. `shown`, `agentId` and `cwd` allow a tab to continue after its sidecar is lost. */
export interface TabPosition {
  readonly tabId: TabId;
  readonly at?: Position;
  readonly asked: number;
  readonly shown: readonly Entry[];
  readonly agentId?: string;
  readonly cwd?: string;
  /** Title of the tab; absent while it is just the agent's name. */
  readonly title?: string;
}

/** A change of a file, or of a part of it, that an agent made or proposes. Without `oldText` it is new. */
export interface Change {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

export type PageToHost =
  /** Sent at start, when the page misses a message, and on `askAgain`. Contains only the tabs that need an answer. */
  | {
      readonly type: "webview-ready";
      readonly tabs: readonly TabPosition[];
      /**
       * Value of the last `state`, 0 before the first. A page that has not received a loss yet may be about to show
       * more than `shown`.
       */
      readonly losses: number;
    }
  /** `agentId`: the tab's agent; default: the agent of new tabs. */
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
       * As in `webview-ready`: a page that has not received a loss yet may turn this prompt into a draft again. Absent:
       * the message does not come from a page.
       */
      readonly losses?: number;
    }
  /** Like `chat/withdraw` and `chat/sendQueued`. */
  | { readonly type: "withdraw"; readonly tabId: TabId; readonly messageId: string }
  | { readonly type: "send-queued"; readonly tabId: TabId }
  /**
   * Searches suggestions for the text after an `@`; answered by `found` with the same `asked`, unless a newer search
   * has arrived.
   */
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
  /** The user wants to allow everything: the host asks for confirmation and for the end of the bypass. */
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
  /** `preview`: opens a file of follow mode without moving the focus. */
  | { readonly type: "open-link"; readonly href: string; readonly preview?: true }
  | ({ readonly type: "open-diff"; readonly tabId: TabId } & Change)
  /** Opens the terminal's content as the page shows it now. */
  | {
      readonly type: "open-terminal";
      readonly tabId: TabId;
      readonly command: string;
      readonly output: string;
      readonly exit?: NonNullable<TerminalView["exit"]>;
    }
  /**
   * Number of events and snapshots that the page has handled since its start. The host stops posting if too many are
   * unacknowledged.
   */
  | { readonly type: "ack"; readonly handled: number }
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "info" | "debug";
      readonly message: string;
      readonly data?: Readonly<Record<string, unknown>>;
    };

/** State of the sidecar in the page. `message` is one sentence for the user. */
export type SidecarState =
  | { readonly state: "running" }
  | { readonly state: "restarting"; readonly message: string }
  | { readonly state: "failed"; readonly message: string; readonly actions: readonly ActionId[] };

/**
 * Components whose actions run without asking: the agent, or a built-in extension whose setting `approve` was `all`
 * when the tab was opened.
 */
export const BYPASSED_BY = ["agent", "workspace", "cargo", "ferris", "sparkle"] as const;
export type BypassedBy = (typeof BYPASSED_BY)[number];
export interface Bypassed {
  readonly tabId: TabId;
  readonly by: readonly BypassedBy[];
}

export type HostToPage =
  /** Answers the first `webview-ready`, and reports each change. The page opens tabs that it does not have. */
  | {
      readonly type: "state";
      readonly agents: readonly AgentChoice[];
      readonly currentAgentId: string;
      readonly tabs: readonly TabId[];
      readonly selected?: TabId;
      readonly sidecar: SidecarState;
      /** Number of times that sessions of this host were lost; default: 0. */
      readonly losses?: number;
      /** Tabs that still use their old settings after a change; absent if there are none. */
      readonly outdated?: readonly TabId[];
      /** Tabs in which some actions run without asking; absent if there are none. */
      readonly bypassed?: readonly Bypassed[];
      /** Enter inserts a line break; Shift, Ctrl or Cmd with Enter sends (`symposium.requireModifierToSend`). */
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
  /** Best match first. */
  | { readonly type: "found"; readonly asked: number; readonly mentions: readonly Mention[] }
  /**
   * Adds the attachments to the draft of this tab; default: the selected tab, or a new one if there is none. The focus
   * moves to the prompt.
   */
  | { readonly type: "attach"; readonly tabId?: TabId; readonly attachments: readonly Attachment[] }
  /** A message was not posted: the page requests with `webview-ready` for every tab. */
  | { readonly type: "askAgain" }
  /**
   * A command opens a tab; the page handles it like an action of the user. `agentId`: the tab's agent; default: the
   * agent of new tabs.
   */
  | { readonly type: "openTab"; readonly agentId?: string }
  /** The user selected an agent with a button of this tab. The tab switches to the agent if it has no answer yet. */
  | { readonly type: "agentSelected"; readonly tabId: TabId; readonly agentId: string }
  /**
   * A request for this tab failed: one sentence. `messageId`: the failed prompt, which is not in the conversation and
   * will not be.
   */
  | {
      readonly type: "failed";
      readonly tabId: TabId;
      readonly messageId?: string;
      readonly message: string;
      /** The tab has no session: no prompt on its way to one will be accepted. */
      readonly noSession?: true;
    };
