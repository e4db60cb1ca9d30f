/** What the settings pages need of the rest of the host. */
import type { Log } from "../../log";
import type { SettingsToHost, HostToSettings } from "../../protocol/settings-view";
import type { Configuration } from "../store/configuration";
import type { SidecarClient } from "../../sidecar/client";
import type { SidecarPhase } from "../../sidecar/restart-policy";
import type { UpdateCheck } from "./update-check";

/** Places that a button leads to. */
export type Place = "trust" | "agentsFile" | "extensionsFile" | "settings" | "page" | "walkthrough" | "logs";

export interface SettingsDeps {
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient> };
  readonly configuration: Pick<
    Configuration,
    "settings" | "selectAgent" | "addAgent" | "removeAgent" | "setBypass" | "changeExtensions" | "set"
  >;
  readonly updates: Pick<UpdateCheck, "known" | "registry" | "check" | "take">;
  readonly log: Log;
  isTrusted(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Where agents are started that belong to no tab. */
  cwd(): string;
  /** Open tabs that go on with what was set when they began. */
  outdatedTabs(): number;
  /** Whether the user gave keys for it that are kept. */
  hasKeys(agentId: string): Promise<boolean>;
  /** In the chat, which is shown; absent: with the agent of new tabs. */
  openTab(agentId?: string): Promise<void>;
  /** Asks once, so that it cannot be overlooked. */
  confirm(question: string, detail: string, yes: string): Promise<boolean>;
  /** A sentence about what was done, with a button that opens a tab with the agent. */
  offerTab(sentence: string, agentId: string): void;
  copy(text: string): Promise<void>;
  /** https, in the browser. */
  openPage(url: string): Promise<void>;
  go(to: Place): Promise<void>;
  /** Asks what to add. Resolves with its id; `undefined`: the user thought better of it. Rejects with a sentence. */
  add(what: Extract<SettingsToHost, { readonly type: "add" }>["what"]): Promise<string | undefined>;
  /** What failed and belongs to no row. */
  tell(sentence: string): void;
}

/** One page, as long as it exists; what is posted to one that is hidden is lost. */
export interface SettingsPage {
  readonly isPage: boolean;
  post(message: HostToSettings): void;
}
