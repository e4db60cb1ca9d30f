/** Dependencies of the chat on the rest of the host. */
import type { Gathered } from "../editor/mentions/context-sources";
import type { WorkingFolders } from "../editor/files/working-folders";
import type { Log } from "../log";
import type { AgentChoice } from "../protocol/agents/agents";
import type { Mention, ContextSource } from "../protocol/chat/attachments";
import type { ActionId, ChatEvent } from "../protocol/chat/chat";
import type { BypassUntil } from "../protocol/sidecar";
import type {
  Change,
  CodeFiles,
  FoundFile,
  HostToPage,
  MovedTab,
  PageToHost,
  TabId,
} from "../protocol/page/host-to-page";
import type { OpenableSession } from "../protocol/sessions/sessions";
import type { CodeColors } from "../protocol/page/code-colors";
import type { ReviewActions } from "../review/review-actions";
import type { PersistedControls } from "../settings/store/persisted-controls";
import type { Settings } from "../settings/store/settings";
import type { SidecarClient } from "../sidecar/client";
import type { SidecarPhase } from "../sidecar/restart-policy";

/** Actions that run a VS Code command. */
export type HostAction = Exclude<
  ActionId,
  "sendAgain" | "sendTranscript" | "takeOver" | "openOrigin" | "addToConfiguration"
>;

/** Content of tabs without a prompt. */
export interface FirstScreenProvider {
  /** Posts the content and reads the states of the agents again. */
  refresh(): void;
  /** Adds a detected agent to the user's settings. No effect on other ids. */
  addFound(agentId: string): Promise<void>;
  /** Disables agent extensions in the user's settings. */
  disable(extensionIds: readonly string[]): Promise<void>;
  /** Opens the text that the enabled extensions add to prompts. Rejects with a message for the user. */
  preview(): Promise<void>;
}

/** The other surfaces of the chat. */
export interface OtherSurfaces {
  /** Whether another surface shows the tab. This surface then gives it up. */
  isElsewhere(tabId: TabId): boolean;
  move(tab: MovedTab, to: "view" | "editor" | "window"): void;
  /** Opens a new tab in the chat view. */
  openInView(agentId: string | undefined): void;
  /** Shows the tab of a stored session where it is open, otherwise in the chat view. */
  openSession(session: OpenableSession): void;
  /** The title of the only tab of an editor has changed. */
  titleChanged(title: string): void;
}

export interface ChatDeps {
  readonly page: {
    readonly isLive: boolean;
    post(message: HostToPage): void;
    /** Resolves with whether the message was delivered. For messages that the page does not request again. */
    deliver(message: HostToPage): Promise<boolean>;
  };
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient>; restart(): void };
  readonly folders: WorkingFolders;
  /** The user's persisted choices for an agent. */
  readonly chosen: Pick<PersistedControls, "of">;
  readonly composer: Composer;
  readonly firstScreen: FirstScreenProvider;
  readonly others: OtherSurfaces;
  readonly log: Log;
  settings(): Settings;
  isTrusted(): boolean;
  selectAgent(agentId: string): Promise<void>;
  /** Runs an action that does not concern a session. `selectAgent` ends with a call of `agentSelected`. */
  perform(action: Exclude<HostAction, "restartAgent" | "restartSidecar">): Promise<void>;
  /** Shows a pick list of the configured agents except `exceptId`. `undefined`: the user cancelled. */
  pickAgent(exceptId: string | undefined): Promise<AgentChoice | undefined>;
  /** Adds Symposium's entry to the agent's own configuration after a confirmation. Never rejects. */
  addToConfiguration(agentId: string): Promise<void>;
  /** Shows a modal confirmation. `undefined`: the user cancelled. */
  confirmBypass(agent: string): Promise<BypassUntil | undefined>;
  /** Rejects with a message for the user. */
  openLink(href: string, preview: boolean): Promise<void>;
  openDiff(change: Change, agent: string): Promise<void>;
  readonly code: AnswerCode;
  readonly names: AnswerNames;
  readonly review: ReviewActions;
  /** Colors of code in the active color theme; `undefined`: unknown. Never rejects. */
  codeColors(): Promise<CodeColors | undefined>;
  showText(title: string, text: string): Promise<void>;
  showPrintout(terminal: Extract<PageToHost, { type: "openTerminal" }>): void;
  /** Shows an error that belongs to no tab, in the visible chat or in a notification of VS Code. */
  notify(message: string, actions: readonly HostAction[]): void;
  /** Fires when the set of outdated tabs changes. */
  outdatedChanged?(tabs: readonly TabId[]): void;
  /** Fires when the page appears, and when it selects another tab. */
  shownTabChanged?(): void;
  tabClosed?(tabId: TabId): void;
  /** Fires when the page receives or loses the keyboard focus. */
  focusChanged?(hasFocus: boolean): void;
  /** Receives each event that is forwarded to the page, with the id of the tab's agent. */
  forwarded(tabId: TabId, event: ChatEvent, agentId: string | undefined): void;
}

/** Uses the code of an answer in the editor. Each method rejects with a message for the user. */
export interface AnswerCode {
  insert(code: string): Promise<void>;
  /** `cwd`: folder of the session, for relative names. Resolves when the change is shown, or if the user cancelled. */
  propose(code: string, files: CodeFiles, cwd?: string): Promise<void>;
}

/** Opens the names in answers. */
export interface AnswerNames {
  /** The files with these names. `cwd`: folder of the session. Never rejects. */
  files(names: readonly string[], cwd?: string): Promise<readonly FoundFile[]>;
  /** Rejects with a message for the user. */
  openSymbol(name: string): Promise<void>;
}

/** Provides mentions and attachments from the editor. */
export interface Composer {
  /**
   * Searches mentions for the text after an `@`, best match first. Calls `found` once, and again with the results of
   * slower sources. Never calls `found` after `signal` aborts.
   */
  find(query: string, found: (mentions: readonly Mention[]) => void, signal: AbortSignal): Promise<void>;
  /** Rejects with a message for the user. */
  gather(source: ContextSource): Promise<Gathered>;
}
