/**
 * What an agent is, as the user configured it. The settings view, the pickers and the sidecar share these shapes; the
 * setting `symposium.agents` holds `AgentConfig` values (and the older object form, read by `src/settings/store/agents.ts`),
 * the command line takes the same as JSON.
 */
import type { Distribution } from "./distribution";
import type { OwnConfiguration } from "./own-configuration";

export { readDistribution, type Distribution } from "./distribution";

export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  readonly distribution: Distribution;
  readonly bypassPermissions?: boolean;
  /** Of what the registry had when it was added or updated. */
  readonly version?: string;
  readonly description?: string;
  /** Where the agent reads MCP servers of its user, for agents whose file Symposium does not know (issue 14 item 5). */
  readonly ownConfiguration?: OwnConfiguration;
  /** "registry": taken from there, and kept up to date. */
  readonly _source?: "registry" | "custom";
}

/** What pickers show. */
export interface AgentChoice {
  readonly id: string;
  readonly name: string;
}

/** The built-in agent: always there, needs no account, no network and no process of its own. */
export const ELIZA: AgentConfig = {
  id: "elizacp",
  name: "Eliza",
  distribution: { symposium: { subcommand: "eliza" } },
};
