/**
 * Page ↔ extension host, by `postMessage`. The page creates the ids of tabs and messages (UUIDs) and has no session
 * ids. VS Code drops messages to a hidden view and destroys its page; `delivery.ts` explains why nothing is lost. The
 * host validates all messages of the page (`page-to-host.ts`), because the page is the least trusted
 * program.
 */
import type { AgentChoice } from "../agents/agents";
import type { Attachment, Mention } from "../chat/attachments";
import type { ActionId, ChatEvent, Conversation } from "../chat/chat";
import type { CodeColors } from "./code-colors";
import type { FirstScreen } from "./first-screen";
import type { MovedTab, TabId } from "./page-to-host";

export type { Change, CodeFiles, MovedTab, PageToHost, ReviewAction, TabId, TabPosition } from "./page-to-host";

/** State of the sidecar in the page. `message` is one sentence for the user. */
export type SidecarState =
  | { readonly state: "running" }
  | { readonly state: "restarting"; readonly message: string }
  /** Conversations can be read, but not continued. */
  | { readonly state: "readOnly"; readonly message: string; readonly actions: readonly ActionId[] }
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

/** A file with a name in an answer. */
export interface FoundFile {
  readonly name: string;
  /** Opened by `openLink`. */
  readonly href: string;
  /** Path and line for the user. */
  readonly place: string;
}

/**
 * Commands of VS Code that the page runs in its selected tab. `allowOnce` and `rejectOnce` answer a permission request
 * that the user has seen for a while.
 */
export type PageCommand = "focusPrompt" | "nextQuestion" | "allowOnce" | "rejectOnce" | "stop" | MoveCommand;
/** Commands that pass the selected tab to another surface; answered by `moveTab`. */
export type MoveCommand = "moveToEditor" | "moveToWindow" | "moveToView";

/** Maximum number of tabs in the chat view. */
export const MAX_TABS = 20;

/** A message of the extension host about the chat. */
export interface HostNotice {
  readonly tone: "info" | "warning" | "error";
  readonly message: string;
  readonly actions: readonly ActionId[];
}

export type HostToPage =
  /** Answers the first `webviewReady`, and reports each change. The page opens missing tabs. */
  | {
      readonly type: "state";
      readonly agents: readonly AgentChoice[];
      readonly currentAgentId: string;
      readonly tabs: readonly TabId[];
      readonly selected?: TabId;
      readonly sidecar: SidecarState;
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
      readonly requestNumber?: number;
      readonly conversation: Conversation;
    }
  /** Best match first. */
  | { readonly type: "mentionsFound"; readonly requestNumber: number; readonly mentions: readonly Mention[] }
  /**
   * Adds the attachments to the draft of this tab; default: the selected tab, or a new one if there is none. The focus
   * moves to the prompt. `text`: lines for the end of the draft of an existing tab.
   */
  | {
      readonly type: "attach";
      readonly tabId?: TabId;
      readonly attachments: readonly Attachment[];
      readonly text?: string;
    }
  /** Answers `webviewReady` and `newTab`, and reports each change. */
  | { readonly type: "firstScreen"; readonly screen: FirstScreen }
  /** Answers `webviewReady`, and reports each change. Without `colors`, those of the theme are unknown. */
  | { readonly type: "codeColors"; readonly colors?: CodeColors }
  /** Answers `findFiles`, without the names of no file. */
  | { readonly type: "filesFound"; readonly tabId: TabId; readonly files: readonly FoundFile[] }
  /** A message was not posted. The page sends `webviewReady` for every tab. */
  | { readonly type: "requestReplay" }
  /**
   * A command opens a tab; the page handles it like an action of the user. `agentId`: the tab's agent; default: the
   * agent of new tabs. `draft`: text of a link for the prompt. It is never sent without the user, and an empty selected
   * tab receives it instead of a new one.
   */
  | { readonly type: "openTab"; readonly agentId?: string; readonly draft?: string; readonly tabId?: undefined }
  /**
   * Opens or selects the tab of a stored session, whose conversation has the id of the tab. The journal is the start of
   * the conversation. `entryId`: the entry that a search has found.
   */
  | {
      readonly type: "openTab";
      readonly tabId: TabId;
      readonly agentId: string;
      readonly cwd: string;
      readonly entryId?: string;
    }
  /**
   * Answers `forkSession`, or opens a branch that the user created elsewhere. `transcript`: the context of its first
   * prompt.
   */
  | {
      readonly type: "forked";
      readonly tabId: TabId;
      readonly agentId: string;
      readonly cwd: string;
      readonly transcript?: string;
    }
  /** Shows a message about the chat in the selected tab, with buttons for the actions. */
  | ({ readonly type: "notice" } & HostNotice)
  | { readonly type: "runCommand"; readonly command: PageCommand }
  /** Opens a tab that another surface has shown. It continues the same session. */
  | ({ readonly type: "movedTab" } & MovedTab)
  /** Removes a tab that another surface shows, without closing its session. */
  | { readonly type: "releaseTab"; readonly tabId: TabId }
  /** Closes the tab like an action of the user. */
  | { readonly type: "closeTab"; readonly tabId: TabId }
  /** The user selected an agent with a button of this tab. The tab switches to the agent if it has no answer yet. */
  | { readonly type: "agentSelected"; readonly tabId: TabId; readonly agentId: string }
  /**
   * A request for this tab failed. `message`: one sentence. `messageId`: the failed prompt, which is never added to the
   * conversation.
   */
  | {
      readonly type: "failed";
      readonly tabId: TabId;
      readonly messageId?: string;
      readonly message: string;
      /** The tab has no session, so prompts in flight are not accepted. */
      readonly noSession?: true;
    };
