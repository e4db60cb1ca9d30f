/** Dependencies of the settings pages on the rest of the host. */
import type { Log } from "../../log";
import type { SettingsToHost } from "../../protocol/settings/settings-to-host";
import type { HostToSettings } from "../../protocol/settings/settings-view";
import type { Configuration } from "../store/configuration";
import type { SidecarClient } from "../../sidecar/client";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import type { Recommendations } from "./recommendations";
import type { UpdateCheck } from "./update-check";

/** Targets of navigation buttons. */
export type Place = "trust" | "agentsFile" | "extensionsFile" | "settings" | "page" | "walkthrough" | "logs";

export interface SettingsDeps {
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient> };
  readonly configuration: Pick<
    Configuration,
    "settings" | "selectAgent" | "addAgent" | "removeAgent" | "setBypass" | "changeExtensions" | "set"
  >;
  readonly updates: Pick<UpdateCheck, "known" | "registry" | "check" | "take">;
  readonly recommendations: Pick<Recommendations, "state" | "read" | "accept" | "dismiss" | "restore" | "keep">;
  readonly log: Log;
  isTrusted(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Working folder of agents without a tab. */
  cwd(): string;
  /** Number of open tabs with outdated settings. */
  outdatedTabs(): number;
  /** Whether keys for the agent are stored. */
  hasKeys(agentId: string): Promise<boolean>;
  /** Opens a tab in the chat. `agentId` defaults to the agent for new tabs. */
  openTab(agentId?: string): Promise<void>;
  /** Shows a modal confirmation. */
  confirm(question: string, detail: string, yes: string): Promise<boolean>;
  /** A message about a completed action, with a button that opens a tab with the agent. */
  offerTab(sentence: string, agentId: string): void;
  copy(text: string): Promise<void>;
  /** Opens an https address in the browser. */
  openPage(url: string): Promise<void>;
  go(to: Place): Promise<void>;
  /**
   * Asks the user for the new entry. Resolves with its id; `undefined`: the user cancelled. Rejects with a message for
   * the user.
   */
  add(what: Extract<SettingsToHost, { readonly type: "add" }>["what"]): Promise<string | undefined>;
  /** Shows a failure without a row. */
  notify(sentence: string): void;
}

/** One page while it exists. Messages to a hidden page are lost. */
export interface SettingsPage {
  readonly isPage: boolean;
  post(message: HostToSettings): void;
}
