/** The agents that an empty tab offers: configured, detected and built-in ones. Pure. */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentConfig } from "../../protocol/agents/agents";
import type { AgentState } from "../../protocol/agents/agent-service";
import { foundAgents } from "../../protocol/agents/known-programs";
import { MAX_OFFERS, type AgentOffer } from "../../protocol/page/first-screen";
import { withoutHome } from "../../protocol/redaction/home-folder";
import { assertNever } from "../../protocol/wire/wire";
import { agentsOf } from "./agent-rows";
import { howStarted, progressOf } from "./row-texts";
import { keyOf, type SettingsModel } from "./settings-model";

export interface OffersModel
  extends Pick<SettingsModel, "settings" | "agentStates" | "installing" | "icons" | "found"> {
  /** The user's home folder, shown as `~`. */
  readonly home: string;
  /** Bytes that an installation needs, by agent id, if known. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Configured agents first, then those on this computer, then built-in ones; agents that cannot be used here are last.
 * Always includes the agent for new tabs. Eliza has no offer, because the page has a separate button for it.
 */
export function agentOffers(model: OffersModel): readonly AgentOffer[] {
  const { settings, agentStates } = model,
    paths = new Map(foundAgents(settings.agents, model.found).map(({ agent, path }) => [agent.id, path]));
  const rank = ({ id }: AgentConfig): number => {
    const state = agentStates?.get(id);
    if (state?.missing !== undefined) return 3;
    if (settings.configured.includes(id)) return 0;
    return state?.install.kind === "installed" || paths.has(id) ? 1 : 2;
  };
  const all = agentsOf(model)
      .filter(({ id }) => id !== ELIZA.id)
      .toSorted((a, b) => rank(a) - rank(b)),
    first = all.slice(0, MAX_OFFERS),
    current = all.slice(MAX_OFFERS).find(({ id }) => id === settings.currentAgentId);
  return (current ? [...first.slice(0, -1), current] : first).map(agent => offerOf(model, agent, paths.get(agent.id)));
}

function offerOf(model: OffersModel, { id, name, distribution }: AgentConfig, path: string | undefined): AgentOffer {
  const state = model.agentStates?.get(id),
    icon = model.icons.get(id),
    progress = progressOf(model.installing.get(keyOf("agent", id)), undefined, state);
  return {
    id,
    name,
    // The line above the prompt of its tab shows the progress.
    about: progress
      ? l10n.t("installing…")
      : aboutOf(state, path === undefined ? undefined : withoutHome(path, model.home), model.sizes.get(id)),
    origin: withoutHome(howStarted(distribution, state?.kind), model.home),
    ...(icon === undefined ? {} : { icon }),
    ...(progress ? { isInstalling: true } : {}),
  };
}

/** A detected program is named as long as nothing is installed for the agent. */
function aboutOf(state: AgentState | undefined, path: string | undefined, size: number | undefined): string {
  if (state?.missing !== undefined) return l10n.t("not for this computer");
  const found = path === undefined ? undefined : l10n.t`found: ${path}`,
    signIn =
      state?.signIn === "in"
        ? l10n.t("signed in")
        : state?.signIn === "needed"
          ? l10n.t("sign-in required")
          : undefined;
  return [installText(state, found, size), signIn].filter(text => text !== undefined).join(", ");
}

function installText(
  state: AgentState | undefined,
  found: string | undefined,
  size: number | undefined,
): string | undefined {
  const install = state?.install;
  switch (install?.kind) {
    case undefined:
    case "ready":
      return found;
    case "installed":
      return l10n.t("installed");
    case "missing":
      return found ?? sourceText(state, size);
    case "installing":
      return undefined; // shown as progress
    default:
      return assertNever(install, "installation");
  }
}

function sourceText(state: AgentState | undefined, size: number | undefined): string {
  const source = sourceName(state);
  if (source === undefined) return l10n.t("not installed");
  return size === undefined
    ? l10n.t`install (${source})`
    : l10n.t`install (${source}, ${Math.max(1, Math.round(size / 1_000_000))} MB)`;
}

function sourceName(state: AgentState | undefined): string | undefined {
  switch (state?.kind) {
    case "npx":
      return "npm";
    case "uvx":
    case "pipx":
      return "Python";
    case "cargo":
      return "Rust";
    case "binary":
      return l10n.t("download");
    default:
      return undefined;
  }
}
