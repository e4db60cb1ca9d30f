/** Resolves a distribution to a command without an installation. Pure. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { typedCommand } from "../../../src/protocol/agents/typed-command";
import { noDistribution } from "../../errors";

export type AgentCommand =
  | {
      readonly kind: "process";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "eliza"; readonly deterministic: boolean };

/** Throws `noDistribution` if each distribution needs an installation. */
export function commandOf({ name, distribution }: Pick<AgentConfig, "name" | "distribution">): AgentCommand {
  const { symposium, local, executable } = distribution,
    command = typedCommand(distribution);
  if (command) return { kind: "process", ...command };
  if (!local && !executable && symposium?.subcommand === "eliza")
    return { kind: "eliza", deterministic: symposium.args?.includes("--deterministic") ?? false };
  throw noDistribution(name);
}
