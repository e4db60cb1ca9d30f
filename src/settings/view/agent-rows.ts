/** Rows of the agents: configured or built-in agents, and detected programs. Pure. */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentConfig } from "../../protocol/agents/agents";
import type { AgentState } from "../../protocol/agents/agent-service";
import { BUILT_IN_AGENTS } from "../../protocol/agents/built-in-agents";
import { foundAgents, type FoundAgent } from "../../protocol/agents/known-programs";
import type { AgentRow, Finding, Mark, RowAction, RowButton } from "../../protocol/settings/settings-view";
import { assertNever } from "../../protocol/wire/wire";
import {
  about,
  howStarted,
  installActions,
  installMark,
  lastErrorFinding,
  outcomeFindings,
  progressOf,
  updateFinding,
} from "./row-texts";
import { type SettingsModel, keyOf } from "./settings-model";

/** All agents with a row: those of the settings, then detected programs that are not configured. */
export function agentsOf({
  settings: { agents },
  found,
}: Pick<SettingsModel, "settings" | "found">): readonly AgentConfig[] {
  return [
    ...agents,
    ...foundAgents(agents, found)
      .filter(({ isNew }) => isNew)
      .map(({ agent }) => agent),
  ];
}

/** Whether an agent exists only because of its settings entry. */
function isRemovable({ own }: Pick<SettingsModel["settings"], "own">, id: string): boolean {
  return own.includes(id) && !BUILT_IN_AGENTS.some(agent => agent.id === id && agent.needs === undefined);
}

/** Selected, installed and configured agents first; otherwise the order is kept. */
export function agentRows(model: SettingsModel): readonly AgentRow[] {
  const { settings, agentStates } = model,
    found = foundAgents(settings.agents, model.found);
  const isInUse = ({ id }: AgentConfig): boolean =>
    settings.configured.includes(id) ||
    agentStates?.get(id)?.install.kind === "installed" ||
    model.installing.has(keyOf("agent", id));
  const all = agentsOf(model);
  return [...all.filter(isInUse), ...all.filter(agent => !isInUse(agent))].map(agent =>
    agentRow(
      model,
      agent,
      found.find(foundAgent => foundAgent.agent.id === agent.id),
    ),
  );
}

function agentRow(model: SettingsModel, agent: AgentConfig, found: FoundAgent | undefined): AgentRow {
  const { settings } = model,
    { id, name, description, distribution } = agent,
    key = keyOf("agent", id);
  const state = model.agentStates?.get(id),
    icon = model.icons.get(id),
    isCurrent = id === settings.currentAgentId;
  const progress = progressOf(model.installing.get(key), model.work.get(key), state);
  const isNew = found?.isNew === true,
    isBypassed = settings.bypass.includes(id),
    canBypass = isBypassed || (!isNew && state?.install.kind !== "missing");
  return {
    id,
    name,
    ...(description === undefined ? {} : { description }),
    origin: `${origin(agent, isNew, settings.own.includes(id))}, ${howStarted(distribution, state?.kind)}`,
    ...(icon === undefined ? {} : { icon }),
    marks: marks(model, state, progress !== undefined, found),
    ...(progress === undefined ? {} : { progress }),
    findings: findings(model, agent, state),
    buttons: buttons(model, agent, state, isNew),
    isCurrent,
    ...(canBypass && !isEliza(agent) ? { bypass: isBypassed } : {}),
  };
}

/** Whether the agent is Eliza, which requests no permissions. */
function isEliza({ id, distribution }: AgentConfig): boolean {
  return id === ELIZA.id && distribution.symposium !== undefined;
}

function origin({ id, _source }: AgentConfig, isNew: boolean, isOwn: boolean): string {
  if (isNew) return l10n.t("On this computer");
  if (_source === "registry") return l10n.t("From the registry");
  return BUILT_IN_AGENTS.some(agent => agent.id === id)
    ? isOwn
      ? l10n.t("Built in, changed by you")
      : l10n.t("Built in")
    : l10n.t("Your own");
}

function marks(
  { isTrusted }: SettingsModel,
  state: AgentState | undefined,
  isBusy: boolean,
  found: FoundAgent | undefined,
): readonly Mark[] {
  return [
    ...(isTrusted && !isBusy ? installMark(state) : []),
    ...(state?.signIn === "in"
      ? [{ tone: "good", text: l10n.t("signed in") } as const]
      : state?.signIn === "needed"
        ? [{ tone: "warning", text: l10n.t("sign-in required") } as const]
        : []),
    ...(state && state.running > 0 ? [{ tone: "neutral", text: l10n.t`${state.running} running` } as const] : []),
    ...(state?.configuration?.entry.kind === "added"
      ? [{ tone: "neutral", text: l10n.t("tools from its configuration") } as const]
      : []),
    ...(found ? [{ tone: "neutral", text: l10n.t`found: ${found.path}` } as const] : []),
  ];
}

function findings(model: SettingsModel, agent: AgentConfig, state: AgentState | undefined): readonly Finding[] {
  const { id, name } = agent,
    key = keyOf("agent", id),
    isUsable = model.isTrusted && !isBusy(model, agent, state),
    actions = installActsOf(model, agent, state);
  const can = (action: RowAction): boolean =>
    action === "examine" || action === "signIn" || [...actions].some(item => item === action);
  return [
    ...outcomeFindings(model.outcomes.get(key), { name, can, isUsable }),
    ...(model.outcomes.has(key)
      ? []
      : lastErrorFinding(
          state,
          model.dismissed.get(key),
          name,
          [{ action: "examine", label: l10n.t("Check"), isMain: true }],
          isUsable,
        )),
    ...(state?.missing === undefined ? [] : [{ tone: "warning", sentence: state.missing, buttons: [] } as const]),
    ...configurationFinding(state, name, isUsable),
    ...updateFinding(
      model.updates.find(update => update.of === "agent" && update.id === id),
      name,
      can("update"),
    ),
  ];
}

/**
 * Findings about Symposium's entry in the agent's own configuration (issue 14 item 5). Empty without an entry, which is
 * only offered where tools are missing.
 */
function configurationFinding(state: AgentState | undefined, name: string, isUsable: boolean): readonly Finding[] {
  if (!state?.configuration) return [];
  const { file, entry } = state.configuration;
  switch (entry.kind) {
    case "absent":
    case "refused":
      return [];
    case "added":
      return [
        {
          tone: "neutral",
          sentence: l10n.t`Symposium has an entry in ${file}.`,
          buttons: isUsable ? [REMOVE_ENTRY].map(about(name)) : [],
        },
      ];
    case "outdated":
      return [
        {
          tone: "warning",
          sentence: l10n.t`${file} has the entry of another version of Symposium.`,
          buttons: isUsable
            ? [{ action: "addEntry", label: l10n.t("Update Configuration…"), isMain: true } as const, REMOVE_ENTRY].map(
                about(name),
              )
            : [],
        },
      ];
    case "edited":
      return [{ tone: "warning", sentence: entry.why, buttons: [] }];
    default:
      return assertNever(entry, "entry");
  }
}

const REMOVE_ENTRY: RowButton = { action: "removeEntry", label: l10n.t("Remove from Configuration…") };

function buttons(
  model: SettingsModel,
  agent: AgentConfig,
  state: AgentState | undefined,
  isNew: boolean,
): readonly RowButton[] {
  if (!model.isTrusted) return [];
  const { id, name } = agent,
    { settings } = model,
    actions = installActsOf(model, agent, state),
    busy = isBusy(model, agent, state);
  const isBehind = model.updates.some(update => update.of === "agent" && update.id === id),
    isOwn = settings.own.includes(id);
  const shown: readonly (RowButton | false)[] = [
    id !== settings.currentAgentId && { action: "choose", label: l10n.t("Choose"), isMain: true },
    actions.has("install") && { action: "install", label: l10n.t("Install"), isMain: true },
    actions.has("cancel") && { action: "cancel", label: l10n.t("Cancel") },
    actions.has("update") && !isBehind && { action: "update", label: l10n.t("Update"), isMain: true },
    !busy && state?.signIn === "needed" && { action: "signIn", label: l10n.t("Sign In"), isMain: true },
    !busy && (state?.canSignOut === true || model.withKeys.has(id)) && { action: "signOut", label: l10n.t("Sign Out") },
    !busy && { action: "examine", label: l10n.t("Check") },
    isOwn && !isNew && { action: "edit", label: l10n.t("Edit") },
    actions.has("uninstall") && { action: "uninstall", label: l10n.t("Uninstall") },
    !busy && isRemovable(settings, id) && { action: "remove", label: l10n.t("Remove") },
  ];
  return shown.filter(button => button !== false).map(about(name));
}

function isBusy({ work, installing }: SettingsModel, { id }: AgentConfig, state: AgentState | undefined): boolean {
  return work.has(keyOf("agent", id)) || installing.has(keyOf("agent", id)) || state?.install.kind === "installing";
}

function installActsOf(
  model: SettingsModel,
  { id, distribution }: AgentConfig,
  state: AgentState | undefined,
): ReturnType<typeof installActions> {
  return installActions({ model, of: "agent", id, distribution, state });
}
