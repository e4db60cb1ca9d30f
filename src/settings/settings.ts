/** The settings as the rest of the host sees them. Pure: where the values come from is the caller's affair. */
import type { SettingName } from "../names";
import { LOG_LEVELS, type LogLevel } from "../protocol/log";
import { LM_DEFAULTS, SIDE_REQUESTS, type LmSettings } from "../protocol/lm";
import { readAgents, type AgentSettings } from "./agents";

export interface Settings extends AgentSettings {
  readonly acpAgentPath: string;
  readonly logLevel: LogLevel;
  /** Empty: no trace. */
  readonly traceDir: string;
  /** Offer version 2 of ACP to agents. */
  readonly protocolV2: boolean;
  /** Agents stand in VS Code's own model picker. */
  readonly languageModel: LmSettings & { readonly isEnabled: boolean };
  /** Enter begins a line, and Shift, Ctrl or Cmd with it sends. */
  readonly requireModifier: boolean;
}

/** Values of the wrong type count as absent; those of agents are said in `problems`. */
export function readSettings(get: (name: SettingName) => unknown): Settings {
  const text = (name: SettingName): string => { const value = get(name); return typeof value === "string" ? value.trim() : ""; };
  const level = get("symposium.logLevel"), side = get("symposium.languageModel.sideRequests");
  return {
    ...readAgents({ agents: get("symposium.agents"), currentAgentId: get("symposium.currentAgentId"), bypassPermissions: get("symposium.bypassPermissions") }),
    acpAgentPath: text("symposium.acpAgentPath"),
    traceDir: text("symposium.traceDir"),
    protocolV2: get("symposium.experimentalProtocolV2") === true,
    languageModel: {
      isEnabled: get("symposium.enableExperimentalLM") === true,
      sideRequests: SIDE_REQUESTS.find(known => known === side) ?? LM_DEFAULTS.sideRequests,
      bridgeDuplicates: get("symposium.languageModel.bridgeDuplicates") === true,
    },
    requireModifier: get("symposium.requireModifierToSend") === true,
    logLevel: LOG_LEVELS.find(known => known === level) ?? "info",
  };
}
