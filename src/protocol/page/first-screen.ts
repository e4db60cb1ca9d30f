/** Content of a tab without a prompt: the agents, extensions and files that the page offers there. */
import type { AgentChoice } from "../agents/agents";

/** An agent that the user can choose. It may not be configured yet. */
export interface AgentOffer extends AgentChoice {
  /** State in a few words, such as “installed”. Empty while it is unknown. */
  readonly about: string;
  /** How its program is started. */
  readonly origin: string;
  /** Image as a `data:` URI; absent without an icon. */
  readonly icon?: string;
  /** The agent is being installed. */
  readonly isInstalling?: true;
}

/** Enabled extension that applies to this workspace. */
export interface OfferedExtension {
  readonly id: string;
  readonly name: string;
}

/** File of the active editor. `path`: relative to its workspace folder. `problems`: errors and warnings in it. */
export interface ActiveFile {
  readonly path: string;
  readonly problems: number;
}

export interface FirstScreen {
  /** At most `MAX_OFFERS`, in the order of display. */
  readonly agents: readonly AgentOffer[];
  readonly extensions: readonly OfferedExtension[];
  readonly activeFile?: ActiveFile;
  /** Whether a workspace folder is open. */
  readonly hasFolder: boolean;
}

export const MAX_OFFERS = 5;
