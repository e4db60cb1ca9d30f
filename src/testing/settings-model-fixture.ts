/** A model of the settings page with two agents and an extension, and the rows of its view. */
import type { AgentState } from "../protocol/agents/agent-service";
import type { AgentRow, ExtensionRow, Finding } from "../protocol/settings/settings-view";
import { keyOf, type Outcome, type SettingsModel } from "../settings/view/settings-model";
import { settingsView } from "../settings/view/view-state";
import { readSettings } from "../settings/store/settings";

export const ada = {
  id: "ada",
  name: "Ada",
  version: "1.0.0",
  distribution: { npx: { package: "@x/ada@1.0.0" } },
  _source: "registry",
};
export const own = {
  id: "own",
  name: "Own",
  distribution: { local: { command: "own", args: ["--acp"] } },
  _source: "custom",
};
export const house = { id: "house", name: "House", distribution: { cargo: { crate: "house" } }, _enabled: false };
export const ready: AgentState = { kind: "local", install: { kind: "ready" }, running: 0 };
export const missing: AgentState = { kind: "npx", install: { kind: "missing" }, running: 0 };
export const installed: AgentState = { kind: "npx", install: { kind: "installed", version: "1.0.0" }, running: 0 };

export function settingsOf(
  agents: readonly unknown[],
  currentAgentId = "",
  extensions: unknown = [],
): SettingsModel["settings"] {
  return readSettings(name =>
    name === "symposium.agents"
      ? agents
      : name === "symposium.currentAgentId"
        ? currentAgentId
        : name === "symposium.extensions"
          ? extensions
          : undefined,
  );
}
export const model = (change: Partial<SettingsModel> = {}): SettingsModel => ({
  settings: settingsOf([ada, own], "", [house]),
  isTrusted: true,
  installing: new Map(),
  work: new Map(),
  outcomes: new Map(),
  dismissed: new Map(),
  updates: [],
  registry: { isReading: false },
  recommendations: { open: [], dismissed: 0, problems: [], adding: new Map(), stale: new Map() },
  icons: new Map(),
  found: {},
  withKeys: new Set(),
  outdatedTabs: 0,
  now: 1_000_000,
  ...change,
});
export const states = (...all: readonly (readonly [string, AgentState])[]): Partial<SettingsModel> => ({
  agentStates: new Map(all),
});
export function rowOf(id: string, change: Partial<SettingsModel>): AgentRow {
  const row = settingsView(model(change), false).agents.find(agent => agent.id === id);
  if (!row) throw new Error(`no row of ${id}`);
  return row;
}
export function houseWith(change: Partial<SettingsModel>): ExtensionRow {
  const [row] = settingsView(model(change), false).extensions;
  if (!row) throw new Error("no row of an extension");
  return row;
}
export const acts = (row: AgentRow | ExtensionRow) => row.buttons.map(({ action }) => action);
export const marks = (row: AgentRow | ExtensionRow) => row.marks.map(({ text }) => text);
export const findingText = (finding: Finding | undefined) =>
  finding && [finding.tone, finding.sentence, ...finding.buttons.map(({ label, action }) => `${label}=${action}`)];
export const outcome = (of: Outcome): Partial<SettingsModel> => ({ outcomes: new Map([[keyOf("agent", "ada"), of]]) });
