/** Messages that the kit sends through a proxy under test. */
import { isObject, type JsonObject } from "../rpc/json";
import { EXTENSION_METHODS, PROXY_DIALECTS, type ProxyDialect } from "../acp/methods";

/** Dialects in the order in which they are tried. The published schema defines the first dialect. */
export const TRIED_DIALECTS = (["proxy", "_proxy", "meta"] as const).map(name => ({ name, ...PROXY_DIALECTS[name] }));
export type TriedDialect = (typeof PROXY_DIALECTS)[ProxyDialect] & { readonly name: ProxyDialect };

export const ECHO = EXTENSION_METHODS.conform_echo,
  FAIL = EXTENSION_METHODS.conform_fail,
  WAIT = EXTENSION_METHODS.conform_wait;
export const NOTIFY = EXTENSION_METHODS.conform_notify;
/** Contains members that a parser with 64-bit numbers, or a typed parser, would lose. */
export const EXACT =
  '{"_meta":{"symposium.dev/conform":{"n":1.50}},"big":9007199254740993,"sessionUpdate":null,"text":"caf\\u00e9"}';
/** Error that the successor returns. */
export const FAILURE = {
  code: -32_099,
  message: "Refused by the conformance kit",
  data: { reason: "conform", n: [1, 2] },
};
export const SESSION = "symposium-conform-session",
  UPDATES = 20;
/** Permission request of the successor, and the option that the client selects. */
export const PERMISSION = {
  sessionId: SESSION,
  toolCall: { toolCallId: "conform-call", title: "Do nothing" },
  options: [
    { optionId: "conform-yes", name: "Yes", kind: "allow_once" },
    { optionId: "conform-no", name: "No", kind: "reject_once" },
  ],
} as const;

/** Member of `_meta` in capabilities, and its value, that a proxy should keep. */
export const CONFORM_META = "symposium.dev/conform",
  MARK = { n: 1 };

/** Id of the MCP server over ACP that the kit's client declares. */
export const CLIENT_SERVER = "symposium-conform-server";
const PROGRAM = {
  name: "conform-program",
  command: "/conform/mcp",
  args: [],
  env: [],
  _meta: { [CONFORM_META]: MARK },
};
/** `mcpServers` of the kit's client: a program, and a server over ACP. */
export const CLIENT_SERVERS: Readonly<Record<1 | 2, readonly JsonObject[]>> = {
  1: [PROGRAM, { type: "acp", name: "conform-client", serverId: CLIENT_SERVER }],
  2: [
    { type: "stdio", ...PROGRAM },
    { type: "acp", name: "conform-client", serverId: CLIENT_SERVER },
  ],
};
/** Result of each MCP request to the server of the kit's client. */
export const CLIENT_TOOLS = { tools: [] };

/** Ids of the servers over ACP in `mcpServers`, except the client's. */
export function addedServerIds(mcpServers: readonly unknown[]): readonly string[] {
  return mcpServers.flatMap(entry =>
    isObject(entry) && entry.type === "acp" && typeof entry.serverId === "string" && entry.serverId !== CLIENT_SERVER
      ? [entry.serverId]
      : [],
  );
}
