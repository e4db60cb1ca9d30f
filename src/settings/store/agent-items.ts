/** Items of the lists from which a user chooses an agent. Pure. */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../protocol/agents/agents";
import type { RegistryAgent } from "../../protocol/agents/agent-service";
import { foundAgents, type FoundAgent, type FoundPrograms } from "../../protocol/agents/known-programs";
import type { AgentSettings } from "./agents";

export interface AgentItem {
  readonly label: string;
  readonly description?: string;
  readonly chosen:
    | { readonly kind: "agent"; readonly id: string }
    | { readonly kind: "new"; readonly found: FoundAgent }
    | { readonly kind: "more" };
}
export interface AgentGroup {
  readonly title: string;
  readonly items: readonly AgentItem[];
}

/** Groups: the user's agents, programs on this computer, then agents to be installed. */
export function agentGroups(
  { agents, configured, currentAgentId }: Pick<AgentSettings, "agents" | "configured" | "currentAgentId">,
  found: FoundPrograms,
): readonly AgentGroup[] {
  const itemOf = ({ id, name }: AgentConfig): AgentItem => ({
    label: name,
    description: id === currentAgentId ? `${id} (selected)` : id,
    chosen: { kind: "agent", id },
  });
  const detected = foundAgents(agents, found).filter(({ agent }) => !configured.includes(agent.id)),
    yours = agents.filter(({ id }) => configured.includes(id));
  const others = agents.filter(
    agent => !yours.includes(agent) && !detected.some(foundAgent => foundAgent.agent === agent),
  );
  const groups: readonly AgentGroup[] = [
    { title: "", items: yours.map(itemOf) },
    {
      title: l10n.t("Found on this computer"),
      items: detected.map(agent => ({
        label: agent.agent.name,
        description: agent.path,
        chosen: agent.isNew ? { kind: "new", found: agent } : { kind: "agent", id: agent.agent.id },
      })),
    },
    { title: l10n.t("Installed with the first tab"), items: others.map(itemOf) },
    {
      title: "",
      items: [{ label: `$(cloud-download) ${l10n.t("More Agents from the Registry…")}`, chosen: { kind: "more" } }],
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

export interface RegistryItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly agent: RegistryAgent;
}

/** Usable agents first. `existing`: ids of configured agents. */
export function registryItems(agents: readonly RegistryAgent[], existing: readonly string[]): readonly RegistryItem[] {
  return agents
    .toSorted((a, b) => Number(a.missing !== undefined) - Number(b.missing !== undefined))
    .map(agent => ({
      label: `${agent.missing === undefined ? "" : "$(circle-slash) "}${agent.name}`,
      description: existing.includes(agent.id) ? l10n.t`${agent.version}, in your settings` : agent.version,
      detail: agent.missing ?? agent.description,
      agent,
    }));
}
