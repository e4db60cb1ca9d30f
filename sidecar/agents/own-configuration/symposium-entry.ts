/**
 * Symposium's entry in an agent's own configuration (issue 14 item 5): a program that finds its sidecar through a
 * variable of the agent's environment. The entry contains no address and no token. Pure.
 *
 * Some agents start MCP servers without their own environment. The entry therefore passes the variable, in the syntax
 * that each agent documents: Claude Code `${VAR:-}` (https://code.claude.com/docs/en/mcp, “Environment variable
 * expansion”), Gemini CLI `$VAR` (https://geminicli.com/docs/cli/configuration), Codex `env_vars`
 * (https://developers.openai.com/codex/mcp). OpenCode passes its whole environment
 * (https://opencode.ai/docs/mcp-servers). `mcpServers` uses the syntax that most agents expand. An agent that does not
 * expand it must pass its environment.
 */
import { isDeepStrictEqual } from "node:util";
import type { ConfigurationFormat } from "../../../src/protocol/agents/own-configuration";
import { assertNever } from "../../../src/protocol/wire/wire";
import { ATTACH, ATTACH_TO, type ShimProgram } from "../../mcp/shim";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";

/** The entry's name in every format. */
export const ENTRY = "symposium";

/** `message` is for the user. */
export class ConfigurationError extends Error {
  override readonly name: string = "ConfigurationError";
}

/** The entry differs from the form that Symposium writes. */
export class EditedEntryError extends ConfigurationError {
  constructor() {
    super(`its entry “${ENTRY}” is not as Symposium writes it. Change or remove that entry yourself.`);
  }
}

const ELECTRON = { ELECTRON_RUN_AS_NODE: "1" };

export function entryFor(format: ConfigurationFormat, { command, script, electron }: ShimProgram): JsonObject {
  const args = [script, "mcp", "--attach"],
    variables = electron ? ELECTRON : {};
  switch (format) {
    case "mcpServers":
      return { command, args, env: { [ATTACH_TO]: `\${${ATTACH}}`, ...variables } };
    case "claude":
      return { type: "stdio", command, args, env: { [ATTACH_TO]: `\${${ATTACH}:-}`, ...variables } };
    case "gemini":
      return { command, args, env: { [ATTACH_TO]: `$${ATTACH}`, ...variables } };
    case "opencode":
      return {
        type: "local",
        command: [command, ...args],
        enabled: true,
        ...(electron ? { environment: ELECTRON } : {}),
      };
    case "codex":
      return { command, args, env_vars: [ATTACH], ...(electron ? { env: ELECTRON } : {}) };
    default:
      return assertNever(format, "configuration format");
  }
}

/**
 * Returns the program of an entry in a form that Symposium writes. Undefined: the entry was edited, or belongs to
 * another program.
 */
export function programIn(format: ConfigurationFormat, entry: unknown): ShimProgram | undefined {
  if (!isObject(entry)) return undefined;
  const commandLine = format === "opencode" ? arrayOr(entry.command) : [entry.command, ...arrayOr(entry.args)],
    [command, script] = commandLine;
  if (typeof command !== "string" || typeof script !== "string") return undefined;
  const electron =
    isObject(entry[format === "opencode" ? "environment" : "env"]) &&
    "ELECTRON_RUN_AS_NODE" in objectOr(entry.environment ?? entry.env);
  const program = { command, script, electron };
  return isDeepStrictEqual(entryFor(format, program), entry) ? program : undefined;
}
