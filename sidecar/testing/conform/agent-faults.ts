/** Faults of agents. For each rule of the conformance kit, at least one fault breaks only this rule. */
import { isObject, objectOr } from "../../rpc/json";
import {
  as,
  out,
  result,
  refuses,
  accepts,
  updates,
  params,
  both,
  isPrompt,
  promptHas,
  inV1,
  late,
  changedFirst,
  turnAsks,
  permissionRequest,
  respondsAtEnd,
  updatesDuring,
  type AgentFault,
} from "./fault-hooks";

export const AGENT_FAULTS: readonly AgentFault[] = [
  as("messages-only", "prints a line of its log", {
    out: message => ("result" in message ? ["Ready.", message] : [message]),
  }),
  as(
    "jsonrpc",
    "leaves out the version of JSON-RPC",
    out(({ jsonrpc: _, ...message }) => ("method" in message ? [message] : undefined)),
  ),
  as(
    "responds-once",
    "responds twice",
    out((message, agent) => (agent.asked.get(message.id)?.method === "session/list" ? [message, message] : undefined)),
  ),
  as("responds-once", "responds to a notification", {
    in: (message, agent) => {
      if (message.method === "session/cancel") agent.write({ id: null, error: { code: -32601, message: "no" } });
      return message;
    },
  }),
  as(
    "request-ids",
    "uses one id for two open requests",
    // In version 1, `terminal/create` is sent before the kit cancels the turn, so the kit leaves both requests open.
    out((message, agent) => {
      if (message.method === (inV1(agent) ? "terminal/create" : "session/request_permission")) {
        const request = inV1(agent) ? permissionRequest(message) : message;
        return inV1(agent) ? [request, request, message] : [request, request];
      }
      return undefined;
    }),
  ),
  as(
    "unknown-method",
    "answers unknown requests with -32603",
    out((message, agent) =>
      String(agent.asked.get(message.id)?.method).endsWith("/unknown") && isObject(message.error)
        ? [{ ...message, error: { ...message.error, code: -32603 } }]
        : undefined,
    ),
  ),
  as(
    "unknown-method",
    "returns a result for unknown requests",
    accepts("_symposium.dev/conform/unknown", () => true),
  ),
  as("unknown-notification", "stops responding after an unknown notification", {
    in: (message, agent) => {
      agent.hasClosed ||= String(message.method).endsWith("/unknown") && !("id" in message);
      return agent.hasClosed ? undefined : message;
    },
  }),
  as(
    "initialize",
    "returns capabilities of the wrong type",
    result("initialize", ({ agentCapabilities, capabilities, ...rest }) =>
      agentCapabilities
        ? { ...rest, agentCapabilities: { ...objectOr(agentCapabilities), loadSession: "yes" } }
        : { ...rest, capabilities: { ...objectOr(capabilities), auth: "yes" } },
    ),
  ),
  as("version-supported", "responds with version 1 to version 2, which it supports", {
    in: message => {
      const given = objectOr(message.params);
      return given.protocolVersion === 2 ? { ...message, params: { ...given, protocolVersion: 1 } } : message;
    },
  }),
  as("version-supported", "responds with the other version of two that it supports", {
    in: message => {
      const given = objectOr(message.params),
        other = { 1: 2, 2: 1 }[Number(given.protocolVersion)];
      return other === undefined ? message : { ...message, params: { ...given, protocolVersion: other } };
    },
  }),
  as(
    "version-newer",
    "agrees on every version",
    result("initialize", (given, agent) => ({
      ...given,
      protocolVersion: Number(objectOr(agent.asked.get("initialize-1")?.params).protocolVersion) || 2,
    })),
  ),
  as(
    "version-older",
    "rejects old versions",
    refuses("initialize", -32602, ({ protocolVersion }) => protocolVersion === 0),
  ),
  as(
    "info",
    "has no name",
    result("initialize", ({ agentInfo: _, ...rest }) => rest),
  ),
  as(
    "auth-methods",
    "requires authentication and offers none",
    both(
      refuses("session/new", -32000),
      result("initialize", given => ({ ...given, authMethods: [] })),
    ),
  ),
  as("authenticate", "rejects its own method", both(refuses("authenticate"), refuses("auth/login"))),
  as(
    "session-new",
    "returns a number as the session id",
    result("session/new", given => ({ ...given, sessionId: 7 })),
  ),
  as(
    "meta",
    "rejects requests with _meta",
    refuses("session/new", -32602, given => given._meta !== undefined),
  ),
  as(
    "session-unique",
    "returns one id for all sessions",
    result("session/new", given => ({ ...given, sessionId: "session-1" })),
  ),
  as(
    "relative-cwd",
    "accepts a relative directory",
    accepts("session/new", ({ cwd }) => !String(cwd).startsWith("/"), { sessionId: "relative" }),
  ),
  as("malformed-json", "exits at a line that is not JSON", { exitsOnGarbage: true }),
  as("malformed-json", "answers it with -32603", {
    out: message =>
      message.id === null && objectOr(message.error).code === -32700
        ? [{ ...message, error: { code: -32603, message: "?" } }]
        : [message],
  }),
  as("exit", "ignores the end of stdin", { ignoresInputEnd: true }),
  as(
    "prompt",
    "returns an unknown stop reason",
    result("session/prompt", (given, agent) => (inV1(agent) ? { stopReason: "done" } : { ...given, _meta: "none" })),
  ),
  as("resource-link", "rejects resource links", refuses("session/prompt", -32602, promptHas("resource_link"))),
  as("embedded-context", "rejects embedded resources", refuses("session/prompt", -32602, promptHas("resource"))),
  as(
    "updates-valid",
    "sends text without its type",
    updates("agent_message_chunk", update => [{ ...update, content: { text: "Done." } }]),
  ),
  as(
    "updates-known",
    "sends updates of its own without an underscore",
    updates("agent_message_chunk", update => [update, { sessionUpdate: "conform_extension" }]),
  ),
  as(
    "sessions-known",
    "sends an update of a session that does not exist",
    out(message =>
      objectOr(objectOr(message.params).update).sessionUpdate === "agent_message_chunk"
        ? [message, { ...message, params: { ...objectOr(message.params), sessionId: "nobody" } }]
        : undefined,
    ),
  ),
  as(
    "updates-in-turn",
    "sends text after the end of the turn",
    out((message, agent) =>
      isPrompt(agent, message) && inV1(agent) && "result" in message
        ? [message, late(objectOr(agent.asked.get(message.id)?.params).sessionId)]
        : undefined,
    ),
  ),
  as(
    "user-message",
    "does not report the prompt",
    updates("user_message", () => []),
  ),
  as(
    "turn-state",
    "does not report that it runs",
    updates("state_update", update => (update.state === "running" ? [] : [update])),
  ),
  as(
    "cancel",
    "returns an error when it is cancelled",
    out((message, agent) =>
      isPrompt(agent, message) && objectOr(message.result).stopReason === "cancelled" && !agent.hasClosed
        ? [{ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: "aborted" } }]
        : undefined,
    ),
  ),
  as(
    "cancel",
    "returns an error at the end of a cancelled turn",
    respondsAtEnd(({ id }, idle) => {
      const params = objectOr(idle.params),
        update = objectOr(params.update);
      if (update.stopReason !== "cancelled") return undefined;
      const ended = { ...idle, params: { ...params, update: { ...update, stopReason: "end_turn" } } };
      return [{ jsonrpc: "2.0", id, error: { code: -32603, message: "aborted" } }, ended];
    }),
  ),
  as("cancel-request", "does not respond to a cancelled request", {
    in: (message, agent) => {
      if (message.method === "$/cancel_request") agent.dropped = objectOr(message.params).requestId;
      return message.method === "$/cancel_request" ? undefined : message;
    },
    out: (message, agent) =>
      agent.dropped !== undefined && message.id === agent.dropped && !("method" in message) ? [] : [message],
  }),
  as(
    "cancel-request",
    "does not respond to a request that is cancelled during the turn",
    both(
      {
        in: (message, agent) => {
          if (message.method === "$/cancel_request") agent.dropped = objectOr(message.params).requestId;
          return message;
        },
      },
      respondsAtEnd(({ id }, idle, agent) => (id === agent.dropped ? [idle] : undefined)),
    ),
  ),
  as(
    "own-methods",
    "calls a method of its own without an underscore",
    updates("agent_message_chunk", (update, _, agent) => {
      agent.write({ method: "conform/progress", params: {} });
      return [update];
    }),
  ),
  as(
    "custom-members",
    "adds a member to its results",
    result("session/list", given => ({ ...given, total: 3 })),
  ),
  as(
    "tool-announced",
    "does not announce its tool calls",
    updates("tool_call", update => [{ ...update, sessionUpdate: "tool_call_update" }]),
  ),
  as(
    "tool-unique",
    "creates a tool call twice",
    updates("tool_call", update => [update, update]),
  ),
  as(
    "tool-status",
    "continues a tool call that has ended",
    updates("tool_call_update", update =>
      update.status === "completed" ? [update, { ...update, status: "in_progress" }] : [update],
    ),
  ),
  as(
    "tool-settled",
    "does not end its tool calls",
    updates("tool_call_update", update => (update.status === "completed" ? [] : [update])),
  ),
  as(
    "absolute-paths",
    "reads a relative path",
    params("fs/read_text_file", given => ({ ...given, path: "notes.txt" })),
  ),
  as(
    "absolute-paths",
    "shows a relative location",
    updates("tool_call_update", update => [
      "locations" in update ? { ...update, locations: [{ path: "notes.txt" }] } : update,
    ]),
  ),
  as(
    "requests-valid",
    "asks without options of a kind",
    params("session/request_permission", given => ({ ...given, options: [{ optionId: "yes", name: "Yes" }] })),
  ),
  as(
    "permission-options",
    "uses one id for two options",
    params("session/request_permission", given => ({
      ...given,
      options: ["allow_once", "reject_once"].map(kind => ({ optionId: "same", name: kind, kind })),
    })),
  ),
  as(
    "fs-capability",
    "reads files although the client cannot",
    turnAsks("fs/read_text_file", { path: "/workspace/notes.txt" }),
  ),
  as(
    "terminal-capability",
    "creates terminals although the client cannot",
    turnAsks("terminal/output", { terminalId: "t" }),
  ),
  as(
    "elicitation-capability",
    "asks for a form although the client cannot",
    turnAsks("elicitation/create", {
      mode: "form",
      message: "Which name?",
      requestedSchema: { type: "object", properties: {} },
    }),
  ),
  as(
    "boolean-options",
    "offers boolean options to every client",
    result("session/new", (given, agent) =>
      inV1(agent)
        ? { ...given, configOptions: [{ id: "fast", name: "Fast", type: "boolean", currentValue: false }] }
        : given,
    ),
  ),
  as(
    "terminal-released",
    "keeps its terminals",
    out(({ ...message }) =>
      message.method === "terminal/release" ? [{ ...message, method: "terminal/kill" }] : undefined,
    ),
  ),
  as(
    "terminal-content",
    "shows a terminal that does not exist",
    updates("tool_call", update => [{ ...update, content: [{ type: "terminal", terminalId: "nobody" }] }]),
  ),
  as(
    "unadvertised",
    "lists sessions without saying that it can",
    result("initialize", given => {
      const { list: _, ...rest } = objectOr(objectOr(given.agentCapabilities).sessionCapabilities);
      return given.agentCapabilities
        ? { ...given, agentCapabilities: { ...objectOr(given.agentCapabilities), sessionCapabilities: rest } }
        : given;
    }),
  ),
  as("load", "cannot load sessions", refuses("session/load")),
  as(
    "load-replay",
    "does not replay what it loads",
    updatesDuring("session/load", () => []),
  ),
  as(
    "resume",
    "returns an invalid result for a resumed session",
    result("session/resume", () => ({ configOptions: "none" })),
  ),
  as(
    "resume-quiet",
    "replays what it resumes",
    out((message, agent) => {
      const request = agent.asked.get(message.id),
        { sessionId, replayFrom } = objectOr(request?.params);
      return request?.method === "session/resume" && replayFrom === undefined && "result" in message
        ? [late(sessionId), message]
        : undefined;
    }),
  ),
  as(
    "resume-replay",
    "does not replay from the start",
    updatesDuring("session/resume", () => []),
  ),
  as(
    "list",
    "lists sessions without their directory",
    result("session/list", () => ({ sessions: [{ sessionId: "a" }] })),
  ),
  as(
    "list-cursor",
    "accepts every cursor",
    accepts("session/list", ({ cursor }) => cursor !== undefined, { sessions: [] }),
  ),
  as("close", "cannot close sessions", refuses("session/close")),
  as("close-cancels", "does not respond to the prompt of a closed session", {
    in: (message, agent) => {
      if (message.method === "session/close") agent.hasClosed = true;
      return message;
    },
    out: (message, agent) => (agent.hasClosed && isPrompt(agent, message) ? [] : [message]),
  }),
  as(
    "close-cancels",
    "does not respond at the end of the turn of a closed session",
    both(
      {
        in: (message, agent) => {
          if (message.method === "session/close") agent.hasClosed = true;
          return message;
        },
      },
      respondsAtEnd((_, idle, agent) => (agent.hasClosed ? [idle] : undefined)),
    ),
  ),
  as("delete", "cannot delete an unknown session", refuses("session/delete")),
  as(
    "fork",
    "forks to nothing",
    result("session/fork", () => ({})),
  ),
  as(
    "modes-valid",
    "has a current mode that it does not offer",
    result("session/new", (given, agent) =>
      inV1(agent) ? { ...given, modes: { ...objectOr(given.modes), currentModeId: "other" } } : given,
    ),
  ),
  as("set-mode", "rejects its own mode", refuses("session/set_mode")),
  as(
    "config-values",
    "has a value that it does not offer",
    result("session/new", given => ({
      ...given,
      configOptions: changedFirst(given.configOptions, { currentValue: "large" }),
    })),
  ),
  as(
    "config-option",
    "does not return the options",
    result("session/set_config_option", () => ({})),
  ),
  as("batch", "answers a batch with -32603", {
    out: message =>
      message.id === null && objectOr(message.error).code === -32600
        ? [{ ...message, error: { code: -32603, message: "batch" } }]
        : [message],
  }),
  as(
    "unknown-session",
    "accepts prompts of any session",
    accepts("session/prompt", () => true, { stopReason: "end_turn" }),
  ),
];
