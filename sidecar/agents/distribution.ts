/** Which command a distribution means; later distributions join here. Pure. */
import type { AgentConfig } from "../../src/protocol/agents";
import { noDistribution } from "../errors";

export type AgentCommand =
  | { readonly kind: "process"; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: "eliza"; readonly deterministic: boolean };

/** Throws `noDistribution` when there is nothing that can be started here. */
export function commandOf({ name, distribution: { local, executable, symposium } }: AgentConfig): AgentCommand {
  if (local) return { kind: "process", command: local.command, args: local.args ?? [], env: local.env ?? {} };
  if (executable) return { kind: "process", command: executable.path, args: [], env: {} };
  if (symposium?.subcommand === "eliza") return { kind: "eliza", deterministic: symposium.args?.includes("--deterministic") ?? false };
  throw noDistribution(name);
}
