/**
 * Configuration of an agent, shared by the settings view, the pickers and the sidecar. The setting `symposium.agents`
 * contains `AgentConfig` values (or the older object form, which `src/settings/store/agents.ts` reads). The command
 * line accepts the same values as JSON.
 */
import type { Distribution } from "./distribution";
import type { OwnConfiguration } from "./own-configuration";

export type { Distribution } from "./distribution";

export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  readonly distribution: Distribution;
  readonly bypassPermissions?: boolean;
  /** Version in the registry when the agent was added or updated. */
  readonly version?: string;
  readonly description?: string;
  /** Configuration file from which the agent reads MCP servers, for agents without a known file (issue 14 item 5). */
  readonly ownConfiguration?: OwnConfiguration;
  /** "registry": added from the registry and updated from it. */
  readonly _source?: "registry" | "custom";
}

/** Agent as shown in pickers. */
export interface AgentChoice {
  readonly id: string;
  readonly name: string;
}

/** The built-in agent, which is always available. It needs no account, no network and no separate process. */
export const ELIZA: AgentConfig = {
  id: "elizacp",
  name: "Eliza",
  distribution: { symposium: { subcommand: "eliza" } },
};
