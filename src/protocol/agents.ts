/**
 * What an agent is, as the user configured it. The settings view, the pickers and the sidecar share these shapes; the
 * setting `symposium.agents` holds `AgentConfig` values (and the older object form, read by `src/settings/agents.ts`).
 */

/** How an agent is obtained and started. Keys as in the public names; later issues add theirs. */
export interface Distribution {
  readonly local?: { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> };
  /** The same as `local` without arguments. */
  readonly executable?: { readonly path: string };
  /** A subcommand of the sidecar itself: `eliza`. */
  readonly symposium?: { readonly subcommand: string; readonly args?: readonly string[] };
}

export interface AgentConfig {
  readonly id: string;
  readonly name: string;
  readonly distribution: Distribution;
  readonly bypassPermissions?: boolean;
}

/** What pickers show. */
export interface AgentChoice { readonly id: string; readonly name: string }

/** The built-in agent: always there, needs no account, no network and no process of its own. */
export const ELIZA: AgentConfig = { id: "elizacp", name: "Eliza", distribution: { symposium: { subcommand: "eliza" } } };
