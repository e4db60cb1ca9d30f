/**
 * MCP servers that an ACP client declares in `session/new` (schema v1, `McpServer`). The input is untrusted and
 * validated.
 */
import { isObject, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";

export type McpServer =
  | {
      readonly kind: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "http";
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Unsupported transport. The session can continue without this server, so only its use is an error. */
  | { readonly kind: "unsupported"; readonly name: string; readonly transport: string };

/** Throws invalid params with the name of the member: `mcpServers[0].command must be a string`. */
export function readMcpServers(value: unknown): readonly McpServer[] {
  if (!Array.isArray(value)) throw invalid("mcpServers", "an array");
  return value.map((server: unknown, i) => readServer(server, `mcpServers[${i}]`));
}

export function invalid(field: string, expected: string): RpcError {
  return new RpcError(RpcCode.invalidParams, `${field} must be ${expected}.`, { field });
}

function readServer(server: unknown, field: string): McpServer {
  if (!isObject(server)) throw invalid(field, "an object");
  const name = string(server, "name", field);
  switch (server.type) {
    case undefined:
    case "stdio":
      return {
        kind: "stdio",
        name,
        command: string(server, "command", field),
        args: strings(server, "args", field),
        env: pairs(server, "env", field),
      };
    case "http": {
      const url = string(server, "url", field);
      if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw invalid(`${field}.url`, "an http or https address");
      return { kind: "http", name, url, headers: pairs(server, "headers", field) };
    }
    default:
      return { kind: "unsupported", name, transport: string(server, "type", field) };
  }
}

function string(object: JsonObject, member: string, field: string): string {
  const value = object[member];
  if (typeof value !== "string" || value === "") throw invalid(`${field}.${member}`, "a string that is not empty");
  return value;
}

/** A missing array counts as empty, because some clients omit unused members. */
function strings(object: JsonObject, member: string, field: string): readonly string[] {
  const value = object[member] ?? [];
  if (!Array.isArray(value) || !value.every(each => typeof each === "string"))
    throw invalid(`${field}.${member}`, "an array of strings");
  return value;
}

/** Converts `[{name, value}]` to a record. The last entry of a name wins. */
function pairs(object: JsonObject, member: string, field: string): Readonly<Record<string, string>> {
  const value = object[member] ?? [];
  if (!Array.isArray(value)) throw invalid(`${field}.${member}`, "an array of {name, value}");
  return Object.fromEntries(
    value.map((pair: unknown, i): [string, string] => {
      if (!isObject(pair) || typeof pair.name !== "string" || typeof pair.value !== "string")
        throw invalid(`${field}.${member}[${i}]`, "{name, value}, both strings");
      return [pair.name, pair.value];
    }),
  );
}
