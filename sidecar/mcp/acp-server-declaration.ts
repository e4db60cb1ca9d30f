/**
 * MCP servers over ACP, as declared in `mcpServers` of `session/new`, `load`, `resume` and `fork`. Pure.
 *
 * Three spellings exist:
 * - `{type: "acp", name, serverId}`: ACP schema of November 2026, and the Rust SDK of August.
 * - `{type: "acp", name, id}`: the RFD.
 * - `{type: "http", name, url: "acp:…", headers: []}`: sacp.
 *
 * All other entries are left unchanged, including malformed ones. The agent rejects those.
 */
import { isObject, type JsonObject } from "../rpc/json";

export type AcpServer =
  /** Has `serverId`, `id`, or both. A client that declares both supports both generations. */
  | {
      readonly kind: "acp";
      readonly name: string;
      readonly serverId: string | undefined;
      readonly id: string | undefined;
      readonly declared: JsonObject;
    }
  | { readonly kind: "sacp"; readonly name: string; readonly url: string; readonly declared: JsonObject };

/** Returns undefined for an entry that is not a server over ACP. */
export function readAcpServer(entry: unknown): AcpServer | undefined {
  if (!isObject(entry) || typeof entry.name !== "string") return undefined;
  const { type, name, serverId, id, url } = entry;
  if (type === "http" && typeof url === "string" && /^acp:/i.test(url))
    return { kind: "sacp", name, url, declared: entry };
  if (type !== "acp" || (typeof serverId !== "string" && typeof id !== "string")) return undefined;
  return {
    kind: "acp",
    name,
    serverId: typeof serverId === "string" ? serverId : undefined,
    id: typeof id === "string" ? id : undefined,
    declared: entry,
  };
}

/** Servers over ACP in `mcpServers` of `params`, by index. */
export function acpServersIn(params: unknown): ReadonlyMap<number, AcpServer> {
  const found = new Map<number, AcpServer>();
  if (!isObject(params) || !Array.isArray(params.mcpServers)) return found;
  params.mcpServers.forEach((entry: unknown, i) => {
    const server = readAcpServer(entry);
    if (server) found.set(i, server);
  });
  return found;
}

/** Names of all servers in `mcpServers` of `params`, except those at the indexes in `except`. */
export function serverNames(params: unknown, except: ReadonlySet<number>): readonly string[] {
  if (!isObject(params) || !Array.isArray(params.mcpServers)) return [];
  return params.mcpServers.flatMap((entry: unknown, i) =>
    !except.has(i) && isObject(entry) && typeof entry.name === "string" ? [entry.name] : [],
  );
}

/** Replaces entries of `mcpServers` by index. Returns the same object if there are no replacements. */
export function withServers(params: unknown, replacements: ReadonlyMap<number, unknown>): unknown {
  if (replacements.size === 0 || !isObject(params) || !Array.isArray(params.mcpServers)) return params;
  return {
    ...params,
    mcpServers: params.mcpServers.map((entry: unknown, i) => (replacements.has(i) ? replacements.get(i) : entry)),
  };
}
