/** What the chat needs of the rest of the host. */
import type { Gathered } from "../editor/mentions/context-sources";
import type { WorkingFolders } from "../editor/files/working-folders";
import type { Log } from "../log";
import type { Mention, Want } from "../protocol/attachments";
import type { ActionId, ChatEvent } from "../protocol/chat";
import type { BypassUntil } from "../protocol/sidecar";
import type { Change, HostToPage, PageToHost, TabId } from "../protocol/webview";
import type { ChosenControls } from "../settings/store/persisted-controls";
import type { Settings } from "../settings/store/settings";
import type { SidecarClient } from "../sidecar/client";
import type { SidecarPhase } from "../sidecar/restart-policy";

/** What the host does; the rest is the page's. */
export type HostAction = Exclude<ActionId, "sendAgain" | "addToConfiguration">;

export interface ChatDeps {
  readonly page: {
    readonly isLive: boolean;
    post(message: HostToPage): void;
    /** Resolves with whether it got there: for what nobody asks for again. */
    deliver(message: HostToPage): Promise<boolean>;
  };
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient>; restart(): void };
  readonly folders: WorkingFolders;
  /** What the user chose for an agent. */
  readonly chosen: Pick<ChosenControls, "of">;
  readonly composer: Composer;
  readonly log: Log;
  settings(): Settings;
  isTrusted(): boolean;
  selectAgent(agentId: string): Promise<void>;
  /** Those that are not about a session. */
  act(action: Exclude<HostAction, "restartAgent" | "restartSidecar" | "selectAgent">): Promise<void>;
  /** From a list; it becomes the agent of new tabs. `undefined`: the user cancelled. */
  chooseAgent(): Promise<string | undefined>;
  /** Asks, and adds Symposium's entry to the agent's own configuration. Never rejects. */
  addToConfiguration(agentId: string): Promise<void>;
  /** Asks for a confirmation that cannot be overlooked. `undefined`: the user cancelled. */
  confirmBypass(agent: string): Promise<BypassUntil | undefined>;
  /** Rejects with a sentence for the user. */
  openLink(href: string, preview: boolean): Promise<void>;
  openDiff(change: Change, agent: string): Promise<void>;
  showPrintout(terminal: Extract<PageToHost, { type: "open-terminal" }>): void;
  /** A sentence with its buttons, when no page is there to show it, or no tab. */
  tell(message: string, actions: readonly HostAction[]): void;
  /** There are others now, or none, that go on with what was set when they began. */
  outdatedChanged?(tabs: readonly TabId[]): void;
  /** Receives each event that is forwarded to the page, with the id of the tab's agent. */
  forwarded(tabId: TabId, event: ChatEvent, agentId: string | undefined): void;
}

/** The editor's side of what a prompt holds besides words. */
export interface Composer {
  /**
   * What fits behind an `@`, the best first. Says so once, and again when slower sources have answered; not after
   * `signal`.
   */
  find(query: string, found: (mentions: readonly Mention[]) => void, signal: AbortSignal): Promise<void>;
  /** Rejects with a sentence for the user. */
  gather(want: Want): Promise<Gathered>;
}
