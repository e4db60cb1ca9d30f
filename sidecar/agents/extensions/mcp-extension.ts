/**
 * An agent extension that is an MCP server: a program that starts with each session, or an address to which the agent
 * connects.
 */
import type { HttpDistribution } from "../../../src/protocol/agents/distribution";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { ProxyComponent } from "../../conductor/component";
import { agentNotFound, notBuiltIn, serverNotAdded } from "../../errors";
import type { HttpServer, ShimProgram } from "../../mcp/shim";
import { addedServer, serverName, type ServerStarter, type StdioServer } from "../../proxies/added-server";
import { serveProxy } from "../../proxies/kit";
import type { AgentCommand } from "../distributions/agent-command";
import { wrongAddress } from "../distributions/server-address";

export interface McpExtensionDeps {
  /** Resolves a program. Undefined: not found. */
  readonly find: (program: string) => Promise<string | undefined>;
  /** Logs a warning. */
  readonly onWarning: (what: string, detail: unknown) => void;
  /** The shim that connects stdio-only agents to an address. Default: this program. */
  readonly shim?: ShimProgram;
  /** Starts server programs in the sidecar. Absent: only agents start them. */
  readonly starter?: ServerStarter;
}

type Called = Pick<ExtensionConfig, "id" | "name">;

/**
 * `name`: in the chain. Rejects with an `AgentError` if the program is not found, because many agents do not report
 * that.
 */
export async function serverComponent(
  config: Called,
  name: string,
  command: AgentCommand,
  deps: McpExtensionDeps,
): Promise<ProxyComponent> {
  if (command.kind !== "process") throw notBuiltIn(config.name);
  const program = await deps.find(command.command);
  if (program === undefined) throw agentNotFound(`“${config.name}”`, command.command, undefined);
  return componentOf(config, name, { command: program, args: command.args, env: command.env }, deps);
}

/**
 * Throws an `AgentError` for an invalid address. Does not check whether a server responds: it may start later, and the
 * agent reports it.
 */
export function addressComponent(
  config: Called,
  name: string,
  { url, headers = {} }: HttpDistribution,
  deps: Pick<McpExtensionDeps, "onWarning" | "shim">,
): ProxyComponent {
  const wrong = wrongAddress({ url, headers });
  if (wrong !== undefined) throw serverNotAdded(config.name, wrong);
  return componentOf(config, name, { url: url.trim(), headers }, deps);
}

function componentOf(
  { id, name: called }: Called,
  name: string,
  server: StdioServer | HttpServer,
  { onWarning, ...options }: Pick<McpExtensionDeps, "onWarning" | "shim" | "starter">,
): ProxyComponent {
  const definition = addedServer(called, serverName(id), server, options);
  return {
    kind: "internal",
    name,
    serve: (client, successor, ids) =>
      serveProxy(definition, client, successor, ids, {
        onWarning: (what, detail) => onWarning(`${name}: ${what}`, detail),
      }),
  };
}
