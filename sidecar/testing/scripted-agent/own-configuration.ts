/**
 * MCP servers in the scripted agent's own configuration, in the common form: `mcpServers` with `command`, `args` and
 * `env`, where `${NAME}` is an environment variable.
 */
import { existsSync, readFileSync } from "node:fs";
import { useMcp } from "../../mcp/client";
import type { McpServer } from "../../mcp/read-mcp-servers";
import { realClock } from "../../rpc/clock";
import { arrayOr, objectOr } from "../../rpc/json";

export function configuredServers(file: string): readonly McpServer[] {
  const { mcpServers } = objectOr(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as unknown) : {});
  const expanded = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => process.env[name] ?? whole);
  return Object.entries(objectOr(mcpServers)).map(([name, server]) => {
    const { command, args, env } = objectOr(server),
      variables = Object.entries(objectOr(env)).map(([key, value]) => [key, expanded(String(value))] as const);
    return {
      kind: "stdio",
      name,
      command: String(command),
      args: arrayOr(args).map(String),
      env: Object.fromEntries(variables),
    };
  });
}

export async function listTools(servers: readonly McpServer[], cwd: string): Promise<void> {
  const options = {
    cwd,
    clock: realClock,
    signal: new AbortController().signal,
    client: { name: "scripted-agent", version: "1" },
    closing: () => undefined,
  };
  await Promise.all(servers.map(server => useMcp(server, options, connection => connection.tools())));
}
