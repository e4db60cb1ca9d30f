/** Faults of proxies. For each rule of the conformance kit, one fault breaks only this rule. */
import { addedServerIds, CLIENT_SERVER, ECHO, FAIL, NOTIFY, WAIT } from "../../conform/proxy-traffic";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import type { ProxyFault } from "./reference-proxy";

/** `why` completes "fails if the proxy". */
interface NamedFault {
  readonly rule: string;
  readonly why: string;
  readonly fault: ProxyFault;
}

type Change = (message: JsonObject) => readonly (JsonObject | string)[] | undefined;

const as = (rule: string, why: string, fault: ProxyFault): NamedFault => ({ rule: `proxy/${rule}`, why, fault });
const written = (item: JsonObject | string): string => (typeof item === "string" ? item : JSON.stringify(item));
const out = (change: Change): ProxyFault => ({ out: (line, message) => change(message)?.map(written) ?? [line] });
/** Returns an error instead of forwarding the message to the successor. */
const refuses = (isMeant: (message: JsonObject) => boolean): ProxyFault => ({
  in: (line, message, proxy) => {
    if (!isMeant(message)) return [line];
    proxy.write(written({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "refused" } }));
    return [];
  },
});
const isEnvelope = ({ method }: JsonObject): boolean => String(method).endsWith("proxy/successor");
const inner = (message: JsonObject): JsonObject => (isEnvelope(message) ? objectOr(message.params) : {});
const about = (message: JsonObject, method: string): boolean =>
  message.method === method || inner(message).method === method;
const isEchoed = (message: JsonObject): boolean => about(message, ECHO) || objectOr(message.result).big !== undefined;
const withParams = (message: JsonObject, change: (params: JsonObject) => unknown): JsonObject => ({
  ...message,
  params: isEnvelope(message)
    ? { ...inner(message), params: change(objectOr(inner(message).params)) }
    : change(objectOr(message.params)),
});

/** Conforming behaviour: the proxy always requests version 1 from its successor. */
export const LOWERS_VERSION: ProxyFault = {
  in: (line, message) => {
    if (message.id !== "initialize-1") return [line];
    return [written({ ...message, params: { ...objectOr(message.params), protocolVersion: 1 } })];
  },
};
export const RAISES_VERSION: ProxyFault = out(message =>
  message.id === "initialize-1"
    ? [{ ...message, result: { ...objectOr(message.result), protocolVersion: 2 } }]
    : undefined,
);

/** Changes `mcpServers` of forwarded requests. `client` and `own`: the servers of the client and of the proxy. */
const servers = (
  change: (client: readonly JsonObject[], own: readonly JsonObject[]) => readonly JsonObject[],
  methods: readonly unknown[] = ["session/new", "session/resume"],
): ProxyFault =>
  out(message => {
    if (!methods.includes(inner(message).method)) return undefined;
    return [
      withParams(message, params => {
        const all = arrayOr(params.mcpServers).map(objectOr),
          isOwn = (server: JsonObject): boolean => addedServerIds([server]).length > 0;
        return {
          ...params,
          mcpServers: change(
            all.filter(item => !isOwn(item)),
            all.filter(isOwn),
          ),
        };
      }),
    ];
  });
/** Changes the answer of the proxy's MCP server. */
const answers = (isMeant: (answer: JsonObject) => boolean, change: (answer: JsonObject) => JsonObject): ProxyFault =>
  out(message => {
    const answer = objectOr(message.result);
    return typeof message.method !== "string" && isMeant(answer) ? [{ ...message, result: change(answer) }] : undefined;
  });
const listsTools = ({ result }: JsonObject): boolean => arrayOr(objectOr(result).tools).length > 0;

/** Sends the third update before the second. */
function swapped(): ProxyFault {
  let delayed: string | undefined;
  return {
    out: (line, message) => {
      const { text } = objectOr(objectOr(objectOr(message.params).update).content);
      if (text === "update 2") {
        delayed = line;
        return [];
      }
      return text === "update 3" && delayed !== undefined ? [line, delayed] : [line];
    },
  };
}

/** Conversations share the faults. Only `swapped` has state. */
export const PROXY_FAULTS: readonly NamedFault[] = [
  as(
    "messages-only",
    "prints a line of its log",
    out(message => (message.id === "initialize-1" ? ["Ready.", message] : undefined)),
  ),
  as(
    "jsonrpc",
    "leaves out the version of JSON-RPC",
    out(({ jsonrpc: _, ...message }) => (message.id === "unknown-1" ? [message] : undefined)),
  ),
  as(
    "responds-once",
    "responds twice",
    out(message => (message.id === "unknown-1" ? [message, message] : undefined)),
  ),
  as(
    "request-ids",
    "uses one id for two open requests",
    out(message => (inner(message).method === WAIT ? [message, message] : undefined)),
  ),
  as(
    "unknown-method",
    "answers unknown requests with -32603",
    out(message => (message.id === "unknown-1" ? [{ ...message, error: { code: -32603, message: "no" } }] : undefined)),
  ),
  as("unknown-notification", "stops responding after an unknown notification", {
    in: (line, message, proxy) => {
      proxy.isDead ||= String(message.method).endsWith("/unknown") && !("id" in message);
      return proxy.isDead ? [] : [line];
    },
  }),
  as(
    "initialize",
    "returns capabilities of the wrong type",
    out(message => {
      if (message.id !== "initialize-1" || !("result" in message)) return undefined;
      const result = objectOr(message.result),
        isV1 = "agentCapabilities" in result;
      const name = isV1 ? "agentCapabilities" : "capabilities",
        wrong = isV1 ? { loadSession: "yes" } : { auth: "yes" };
      const changed = { [name]: { ...objectOr(result[name]), ...wrong } };
      return [{ ...message, result: { ...result, ...changed } }];
    }),
  ),
  as(
    "dialect",
    "knows the older dialect only",
    refuses(({ method }) => method === "proxy/initialize"),
  ),
  as("other-dialect", "does not respond to the older dialect", {
    in: (line, { method }) => (method === "_proxy/initialize" ? [] : [line]),
  }),
  as("forwards-initialize", "responds by itself", {
    in: (line, message, proxy) => {
      if (!String(message.method).endsWith("proxy/initialize")) return [line];
      const { protocolVersion } = objectOr(message.params),
        info = { name: "proxy", version: "1.0.0" };
      const result =
        protocolVersion === 1
          ? { protocolVersion, agentCapabilities: {} }
          : { protocolVersion, info, capabilities: {} };
      proxy.write(written({ jsonrpc: "2.0", id: message.id, result }));
      return [];
    },
  }),
  as(
    "version",
    "requests another version",
    out(message =>
      inner(message).method === "initialize"
        ? [withParams(message, params => ({ ...params, protocolVersion: 7 }))]
        : undefined,
    ),
  ),
  as(
    "envelopes",
    "writes _meta that is no object",
    out(message =>
      inner(message).method === FAIL
        ? [JSON.stringify(message).replace(`"params":{"method"`, `"params":{"_meta":7,"method"`)]
        : undefined,
    ),
  ),
  as(
    "request-forwarded",
    "refuses requests that it does not know",
    refuses(({ method }) => method === ECHO),
  ),
  as(
    "request-returned",
    "refuses requests of its successor",
    refuses(message => inner(message).method === ECHO),
  ),
  as(
    "notification-forwarded",
    "drops notifications that it does not know",
    out(message => (about(message, NOTIFY) ? [] : undefined)),
  ),
  as(
    "members",
    "drops _meta",
    out(message =>
      isEchoed(message) && typeof message.method === "string"
        ? [withParams(message, ({ _meta, ...params }) => params)]
        : undefined,
    ),
  ),
  as(
    "bytes",
    "writes messages anew",
    out(message => (isEchoed(message) ? [message] : undefined)),
  ),
  as(
    "errors",
    "changes errors",
    out(message =>
      "error" in message && objectOr(message.error).data !== undefined
        ? [{ ...message, error: { ...objectOr(message.error), message: "An error occurred" } }]
        : undefined,
    ),
  ),
  as("order", "changes the order of updates", swapped()),
  as(
    "permission",
    "changes the options of a permission request",
    out(message =>
      message.method === "session/request_permission"
        ? [withParams(message, params => ({ ...params, options: [...arrayOr(params.options)].reverse() }))]
        : undefined,
    ),
  ),
  as(
    "cancel",
    "drops session/cancel",
    out(message => (inner(message).method === "session/cancel" ? [] : undefined)),
  ),
  as(
    "cancel-request",
    "drops $/cancel_request",
    out(message => (message.method === "$/cancel_request" ? [] : undefined)),
  ),
  as("exit", "ignores the end of stdin", { ignoresInputEnd: true }),
  as(
    "capabilities",
    "drops _meta of the capabilities",
    out(message =>
      inner(message).method === "initialize"
        ? [withParams(message, params => ({ ...params, ...withoutMeta(params) }))]
        : undefined,
    ),
  ),
  as(
    "mcp-servers-kept",
    "removes a server of the client",
    servers((client, own) => [...client.slice(1), ...own]),
  ),
  as(
    "mcp-declaration",
    "declares one server twice",
    servers((client, own) => [...client, ...own, ...own]),
  ),
  as(
    "mcp-declaration",
    "declares a server with a name that is no text",
    servers((client, own) => [...client, ...own.map(server => ({ ...server, name: 7 }))]),
  ),
  as(
    "mcp-resume",
    "adds no server to resumed sessions",
    servers(client => client, ["session/resume"]),
  ),
  as(
    "mcp-message",
    "returns the inner result as the result of mcp/message",
    answers(listsTools, ({ result }) => objectOr(result)),
  ),
  as(
    "mcp-tools",
    "lists a tool without an input schema",
    answers(listsTools, () => ({ result: { tools: [{ name: "a" }] } })),
  ),
  as(
    "mcp-tools",
    "lists two tools of the same name",
    answers(listsTools, () => {
      const tool = { name: "a", inputSchema: { type: "object" } };
      return { result: { tools: [tool, tool] } };
    }),
  ),
  as(
    "mcp-unknown-method",
    "returns a result for an unknown MCP method",
    answers(
      ({ error }) => objectOr(error).code === -32601,
      () => ({ result: {} }),
    ),
  ),
  as(
    "mcp-foreign",
    "refuses messages for other servers",
    refuses(message => objectOr(inner(message).params).serverId === CLIENT_SERVER),
  ),
];

function withoutMeta(params: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(params)
      .filter(([name]) => /capabilities$/i.test(name))
      .map(([name, value]) => [name, { ...objectOr(value), _meta: {} }]),
  );
}
