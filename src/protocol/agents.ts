/**
 * What an agent is, as the user configured it. The settings view, the pickers and the sidecar share these shapes; the
 * setting `symposium.agents` holds `AgentConfig` values (and the older object form, read by `src/settings/agents.ts`), the command
 * line takes the same as JSON.
 */
import { isObject } from "./json";

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

/** Reads what a person wrote. Kinds of later versions may stand beside ours; at least one must be of ours. */
export function readDistribution(value: unknown): Distribution | undefined {
  if (!isObject(value)) return undefined;
  const { local, executable, symposium } = value;
  if (isObject(local) && isText(local["command"]) && isArgs(local["args"]) && isEnv(local["env"])) {
    const { command, args, env } = local;
    return { local: { command, ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) } };
  }
  if (isObject(executable) && isText(executable["path"])) return { executable: { path: executable["path"] } };
  if (isObject(symposium) && isText(symposium["subcommand"]) && isArgs(symposium["args"])) {
    const { subcommand, args } = symposium;
    return { symposium: { subcommand, ...(args === undefined ? {} : { args }) } };
  }
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isArgs = (value: unknown): value is readonly string[] | undefined => value === undefined || (Array.isArray(value) && value.every(item => typeof item === "string"));
const isEnv = (value: unknown): value is Readonly<Record<string, string>> | undefined => value === undefined || (isObject(value) && Object.values(value).every(item => typeof item === "string"));
