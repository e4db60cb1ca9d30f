/** The typed settings of the host. Pure: the caller provides the values. */
import { SETTINGS, type SettingName } from "../../names";
import { arrayOr, isFilled } from "../../protocol/wire/json";
import { LOG_LEVELS, type LogLevel, type LogLevels } from "../../protocol/wire/log";
import { LM_DEFAULTS, SIDE_REQUESTS, type LmSettings } from "../../protocol/lm/lm";
import type { HistoryLimits } from "../../protocol/sidecar";
import { UPDATE_MODES, type UpdateMode } from "../../protocol/settings/settings-view";
import type { ExtensionConfig } from "../../protocol/agents/extensions";
import { readAgents, type AgentSettings } from "./agents";
import { readExtensions, type ConfiguredExtension } from "./extensions";

export interface Settings extends AgentSettings, LogLevels {
  /** Enabled extensions, from the editor to the agent. */
  readonly extensions: readonly ExtensionConfig[];
  readonly allExtensions: readonly ConfiguredExtension[];
  readonly acpAgentPath: string;
  /** Empty: the public registry. */
  readonly registryUrl: string;
  readonly updates: UpdateMode;
  /** Files and URLs of lists of recommended extensions. */
  readonly recommendations: readonly string[];
  /** Empty: no trace. */
  readonly traceDir: string;
  readonly history: HistoryLimits;
  /** Offer version 2 of ACP to agents. */
  readonly protocolV2: boolean;
  /** `isEnabled`: show agents in VS Code's model picker. */
  readonly languageModel: LmSettings & { readonly isEnabled: boolean };
  /** Enter inserts a line break, and Shift, Ctrl or Cmd with Enter sends. */
  readonly requireModifier: boolean;
  /** Whether a new session of VS Code restores the tabs of the last one. */
  readonly restoresSessions: boolean;
  /** Show actions above each change of an agent in an editor. */
  readonly reviewCodeLens: boolean;
}

/** A value of the wrong type counts as absent. `problems` contains messages about invalid agents and extensions. */
export function readSettings(get: (name: SettingName) => unknown): Settings {
  const text = (name: SettingName): string => {
    const value = get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const amount = (name: SettingName, byDefault: number): number => {
    const value = get(name);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : byDefault;
  };
  const level = (name: SettingName, byDefault: LogLevel): LogLevel =>
    LOG_LEVELS.find(logLevel => logLevel === get(name)) ?? byDefault;
  const logLevel = level("symposium.logLevel", SETTINGS["symposium.logLevel"].default),
    side = get("symposium.languageModel.sideRequests"),
    updates = get("symposium.updates");
  const agents = readAgents({
    agents: get("symposium.agents"),
    currentAgentId: get("symposium.currentAgentId"),
    bypassPermissions: get("symposium.bypassPermissions"),
  });
  const { all, problems } = readExtensions(get("symposium.extensions"));
  const protocolV2 = get("symposium.experimentalProtocolV2") === true;
  return {
    ...agents,
    problems: [...agents.problems, ...problems],
    extensions: all.flatMap(({ config, isEnabled }) => (isEnabled ? [config] : [])),
    allExtensions: all,
    acpAgentPath: text("symposium.acpAgentPath"),
    registryUrl: text("symposium.registryUrl"),
    updates: UPDATE_MODES.find(mode => mode === updates) ?? "notify",
    recommendations: arrayOr(get("symposium.recommendations")).filter(isFilled),
    traceDir: text("symposium.traceDir"),
    history: {
      days: amount("symposium.historyDays", SETTINGS["symposium.historyDays"].default),
      megabytes: amount("symposium.historyMegabytes", SETTINGS["symposium.historyMegabytes"].default),
    },
    protocolV2,
    languageModel: {
      isEnabled: get("symposium.enableExperimentalLM") === true,
      sideRequests: SIDE_REQUESTS.find(mode => mode === side) ?? LM_DEFAULTS.sideRequests,
      bridgeDuplicates: get("symposium.languageModel.bridgeDuplicates") === true,
      ...(protocolV2 ? { protocol: 2 } : {}),
    },
    restoresSessions: get("symposium.restoreSessions") !== false,
    reviewCodeLens: get("symposium.review.codeLens") === true,
    requireModifier: get("symposium.requireModifierToSend") === true,
    logLevel,
    agentLogLevel: level("symposium.agentLogLevel", logLevel),
  };
}
