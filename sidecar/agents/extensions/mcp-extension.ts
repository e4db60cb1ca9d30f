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
import { serveProxy } from "../../proxies/serve-proxy";
import type { AgentCommand } from "../distributions/agent-command";
import { wrongAddress } from "../distributions/server-address";

export interface McpExtensionDeps {
  /** Resolves a program. Undefined: not found. */
  readonly find: (program: string) => Promise<string | undefined>;
  readonly onWarning: (what: string, detail: unknown) => void;
  /** The shim that connects stdio-only agents to an address. Default: this program. */
  readonly shim?: ShimProgram;
  /** Starts server programs in the sidecar. Absent: only agents start them. */
  readonly starter?: ServerStarter;
}

type Named = Pick<ExtensionConfig, "id" | "name">;

/**
 * `name`: the component's name. Rejects with an `AgentError` if the program is not found, because many agents do not
 * report a missing program.
 */
export async function serverComponent(
  config: Named,
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
 * Throws an `AgentError` for an invalid address. Does not check whether the server responds, because it may start later
 * and the agent reports its failure.
 */
export function addressComponent(
  config: Named,
  name: string,
  { url, headers = {} }: HttpDistribution,
  deps: Pick<McpExtensionDeps, "onWarning" | "shim">,
): ProxyComponent {
  const problem = wrongAddress({ url, headers });
  if (problem !== undefined) throw serverNotAdded(config.name, problem);
  return componentOf(config, name, { url: url.trim(), headers }, deps);
}

function componentOf(
  { id, name: displayName }: Named,
  name: string,
  server: StdioServer | HttpServer,
  { onWarning, ...options }: Pick<McpExtensionDeps, "onWarning" | "shim" | "starter">,
): ProxyComponent {
  const definition = addedServer(displayName, serverName(id), server, options);
  return {
    kind: "internal",
    name,
    serve: (client, successor, ids) =>
      serveProxy(definition, client, successor, ids, {
        onWarning: (what, detail) => onWarning(`${name}: ${what}`, detail),
      }),
  };
}
