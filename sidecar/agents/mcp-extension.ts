/** An agent extension that is an MCP server: its program is the agent's to start, in each of its sessions. */
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { ProxyComponent } from "../conductor/component";
import { agentNotFound, notBuiltIn } from "../errors";
import { addedServer, serverName } from "../proxies/added-server";
import { serveProxy } from "../proxies/kit";
import type { AgentCommand } from "./distribution";

export interface McpExtensionWorld {
  /** Where a program is; undefined: nowhere. */
  readonly find: (program: string) => Promise<string | undefined>;
  /** For the log. */
  readonly odd: (what: string, detail: unknown) => void;
}

/** `name`: in the chain. An agent would look for its program elsewhere, and many say nothing when it is not there: rejects then, with an `AgentError`. */
export async function serverComponent({ id, name: called }: Pick<ExtensionConfig, "id" | "name">, name: string, command: AgentCommand, { find, odd }: McpExtensionWorld): Promise<ProxyComponent> {
  if (command.kind !== "process") throw notBuiltIn(called);
  const program = await find(command.command);
  if (program === undefined) throw agentNotFound(`“${called}”`, command.command, undefined);
  const definition = addedServer(called, serverName(id), { command: program, args: command.args, env: command.env });
  return { kind: "internal", name, serve: (client, successor, ids) => serveProxy(definition, client, successor, ids, { odd: (what, detail) => odd(`${name}: ${what}`, detail) }) };
}
