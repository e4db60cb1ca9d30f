/** Faults of clients. For each rule of the conformance kit, one fault breaks only this rule. */
import { objectOr, type JsonObject } from "../../rpc/json";
import type { ClientFault } from "./reference-client";

/** `why` completes "fails if the client". */
interface NamedFault {
  readonly rule: string;
  readonly why: string;
  readonly fault: ClientFault;
}

const as = (rule: string, why: string, fault: ClientFault): NamedFault => ({ rule: `client/${rule}`, why, fault });
const out = (change: (message: JsonObject) => readonly (JsonObject | string)[] | undefined): ClientFault => ({
  out: message => change(message) ?? [message],
});
/** Changes the params of a request. */
const params = (method: string, change: (params: JsonObject) => JsonObject): ClientFault =>
  out(message => (message.method === method ? [{ ...message, params: change(objectOr(message.params)) }] : undefined));
/** Sends an additional message before the prompt. */
const before = (message: JsonObject): ClientFault =>
  out(item => (item.method === "session/prompt" ? [{ jsonrpc: "2.0", ...message }, item] : undefined));
/** Changes the client's responses for which `isMeant` returns true. */
const response = (
  isMeant: (message: JsonObject) => boolean,
  change: (message: JsonObject) => readonly JsonObject[],
): ClientFault => out(message => ("method" in message || !isMeant(message) ? undefined : change(message)));
const isUnknown = ({ id }: JsonObject): boolean => String(id).startsWith("unknown-");
const hasOutcome = ({ result }: JsonObject): boolean => objectOr(result).outcome !== undefined;

/** Ignores the next request after a message for which `isMeant` returns true. */
const deafAfter = (isMeant: (message: JsonObject) => boolean): ClientFault => ({
  in: (message, client) => {
    const isIgnored = client.isDeaf && "id" in message;
    client.isDeaf = isMeant(message) || (client.isDeaf && !isIgnored);
    return isIgnored ? undefined : message;
  },
});

/**
 * Conforming behaviour in version 2: calls methods that every agent of this version supports, with the id of a session
 * of an earlier run.
 */
export const USES_EARLIER_SESSION: ClientFault = out(message => {
  const call = (id: number, method: string, params: JsonObject): JsonObject => ({ jsonrpc: "2.0", id, method, params });
  const earlier = { sessionId: "earlier" };
  if (message.method === "session/new")
    return [
      call(20, "session/list", {}),
      call(21, "session/resume", { ...earlier, cwd: "/workspace", mcpServers: [] }),
      message,
    ];
  return message.method === "session/prompt" ? [call(22, "session/close", earlier), message] : undefined;
});

export const CLIENT_FAULTS: readonly NamedFault[] = [
  as(
    "messages-only",
    "writes a line of its log",
    out(message => (message.method === "session/prompt" ? ["Prompting.", message] : undefined)),
  ),
  as(
    "jsonrpc",
    "leaves out the version of JSON-RPC",
    out(({ jsonrpc, ...message }) => (message.method === "session/prompt" ? [message] : [{ jsonrpc, ...message }])),
  ),
  as(
    "responds-once",
    "responds twice",
    response(isUnknown, message => [message, message]),
  ),
  as(
    "request-ids",
    "uses the id of an open request again",
    out(message =>
      message.method === "session/prompt"
        ? [message, { jsonrpc: "2.0", id: 3, method: "_conform/again", params: {} }]
        : undefined,
    ),
  ),
  as(
    "unknown-method",
    "answers unknown requests with -32603",
    response(isUnknown, message => [{ ...message, error: { code: -32603, message: "no" } }]),
  ),
  as(
    "unknown-notification",
    "stops responding after an unknown notification",
    deafAfter(message => String(message.method).endsWith("/unknown") && !("id" in message)),
  ),
  as(
    "initialize",
    "sends something before initialize",
    out(message =>
      message.method === "initialize" ? [{ jsonrpc: "2.0", method: "_conform/hello", params: {} }, message] : undefined,
    ),
  ),
  as(
    "info",
    "has no name",
    params("initialize", ({ clientInfo: _, ...rest }) => rest),
  ),
  as(
    "requests-valid",
    "sends a prompt that is no list",
    params("session/prompt", given => ({ ...given, prompt: "Hello" })),
  ),
  as(
    "results-valid",
    "returns a file without its content",
    response(
      ({ result }) => objectOr(result).content === "",
      message => [{ ...message, result: {} }],
    ),
  ),
  as(
    "results-valid",
    "returns _meta that is no object",
    response(hasOutcome, message => [{ ...message, result: { ...objectOr(message.result), _meta: "none" } }]),
  ),
  as(
    "sessions-known",
    "cancels a session that does not exist",
    before({ method: "session/cancel", params: { sessionId: "nobody" } }),
  ),
  as(
    "absolute-paths",
    "sends a relative directory",
    params("session/new", given => ({ ...given, cwd: "work" })),
  ),
  as(
    "capabilities",
    "calls a method that is not advertised",
    before({ id: 9, method: "session/delete", params: { sessionId: "symposium-conform-1" } }),
  ),
  as(
    "content",
    "sends an image",
    params("session/prompt", given => ({ ...given, prompt: [{ type: "image", data: "", mimeType: "image/png" }] })),
  ),
  as(
    "mcp-transports",
    "sends an http server",
    params("session/new", given => ({
      ...given,
      mcpServers: [{ type: "http", name: "docs", url: "http://127.0.0.1/", headers: [] }],
    })),
  ),
  as(
    "additional-directories",
    "sends more directories",
    params("session/new", given => ({ ...given, additionalDirectories: ["/other"] })),
  ),
  as(
    "permission",
    "selects an option of its own",
    out(message => {
      if (message.method === "session/cancel") return [];
      return hasOutcome(message)
        ? [{ ...message, result: { outcome: { outcome: "selected", optionId: "mine" } } }]
        : undefined;
    }),
  ),
  as(
    "permission-cancelled",
    "selects an option although it cancelled the turn",
    response(hasOutcome, message => [
      { ...message, result: { outcome: { outcome: "selected", optionId: "conform-once" } } },
    ]),
  ),
  as(
    "fs",
    "has no file methods although it says so",
    response(
      ({ result }) => objectOr(result).content === "",
      ({ id }) => [{ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }],
    ),
  ),
  as(
    "terminal",
    "has no terminals although it says so",
    response(
      ({ result }) => objectOr(result).terminalId !== undefined,
      ({ id }) => [{ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }],
    ),
  ),
  as(
    "custom-update",
    "stops responding after an unknown update",
    deafAfter(({ params }) => objectOr(objectOr(params).update).sessionUpdate === "_symposium.dev/conform"),
  ),
  as("own-methods", "calls a method of its own without an underscore", before({ method: "conform/hello", params: {} })),
  as(
    "custom-members",
    "adds a member to its prompts",
    params("session/prompt", given => ({ ...given, origin: "conform" })),
  ),
];
