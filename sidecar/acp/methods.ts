/**
 * The names of all ACP methods and of the kinds of `session/update`, in both versions, earlier drafts and Symposium's
 * extensions. No other production file contains these literals (`scripts/method-names.test.ts`). The compiler compares
 * the tables of the published schemas with those of `@agentclientprotocol/sdk`: an entry that is missing or different
 * is an error. Imports nothing at run time.
 */
import type * as v1 from "@agentclientprotocol/sdk/unstable";
import type * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";

/** Client → agent. `authenticate`, `logout`, `session_load` and `session_set_mode` exist in v1 only. */
export const AGENT_METHODS = {
  initialize: "initialize",
  authenticate: "authenticate",
  logout: "logout",
  auth_login: "auth/login",
  auth_logout: "auth/logout",
  auth_status: "auth/status",
  providers_list: "providers/list",
  providers_set: "providers/set",
  providers_disable: "providers/disable",
  session_new: "session/new",
  session_load: "session/load",
  session_resume: "session/resume",
  session_fork: "session/fork",
  session_list: "session/list",
  session_close: "session/close",
  session_delete: "session/delete",
  session_archive: "session/archive",
  session_unarchive: "session/unarchive",
  session_status: "session/status",
  session_set_title: "session/set_title",
  session_set_mode: "session/set_mode",
  session_set_config_option: "session/set_config_option",
  session_prompt: "session/prompt",
  session_cancel: "session/cancel",
  tool_call_cancel: "tool_call/cancel",
  terminal_cancel: "terminal/cancel",
  mcp_message: "mcp/message",
} as const satisfies typeof v1.AGENT_METHODS & typeof v2.AGENT_METHODS;

/** Agent → client. `fs_*` and `terminal_*` exist in v1 only. */
export const CLIENT_METHODS = {
  session_update: "session/update",
  session_request_permission: "session/request_permission",
  fs_read_text_file: "fs/read_text_file",
  fs_write_text_file: "fs/write_text_file",
  terminal_create: "terminal/create",
  terminal_output: "terminal/output",
  terminal_release: "terminal/release",
  terminal_wait_for_exit: "terminal/wait_for_exit",
  terminal_kill: "terminal/kill",
  elicitation_create: "elicitation/create",
  elicitation_complete: "elicitation/complete",
  auth_status_update: "auth/status_update",
  mcp_message: "mcp/message",
} as const satisfies typeof v1.CLIENT_METHODS & typeof v2.CLIENT_METHODS;

/** Client → agent, in drafts before the published schemas. */
export const DRAFT_AGENT_METHODS = { session_set_model: "session/set_model" } as const;

/** In both directions. */
export const PROTOCOL_METHODS = {
  cancel_request: "$/cancel_request",
} as const satisfies typeof v1.PROTOCOL_METHODS & typeof v2.PROTOCOL_METHODS;

/** The literal kinds in `T`, without the string types for kinds of later versions. */
type KindOf<T> = T extends { readonly sessionUpdate: infer K extends string }
  ? string extends K
    ? never
    : K extends `_${string}`
      ? never
      : K
  : never;
type UpdateKind = KindOf<v1.SessionUpdate> | KindOf<v2.SessionUpdate>;

/** Values of `sessionUpdate` in `session/update`, in v1, v2 or both. */
export const UPDATE_KINDS = {
  user_message: "user_message",
  user_message_chunk: "user_message_chunk",
  agent_message: "agent_message",
  agent_message_chunk: "agent_message_chunk",
  agent_thought: "agent_thought",
  agent_thought_chunk: "agent_thought_chunk",
  tool_call: "tool_call",
  tool_call_update: "tool_call_update",
  tool_call_content_chunk: "tool_call_content_chunk",
  terminal_update: "terminal_update",
  terminal_output_chunk: "terminal_output_chunk",
  plan: "plan",
  plan_update: "plan_update",
  plan_removed: "plan_removed",
  available_commands_update: "available_commands_update",
  current_mode_update: "current_mode_update",
  config_option_update: "config_option_update",
  session_info_update: "session_info_update",
  usage_update: "usage_update",
  state_update: "state_update",
  notice: "notice",
  compaction_update: "compaction_update",
  compaction_summary_chunk: "compaction_summary_chunk",
  subagent_update: "subagent_update",
  session_message: "session_message",
  session_message_chunk: "session_message_chunk",
} as const satisfies { readonly [K in UpdateKind]: K };

/** Between a conductor and its proxies. */
export const PROXY_METHODS = {
  proxy_initialize: "proxy/initialize",
  proxy_successor: "proxy/successor",
} as const satisfies typeof v1.PROXY_METHODS & typeof v2.PROXY_METHODS;

/**
 * The proxy methods of each dialect: the method that initialises a proxy, and those of the envelopes for requests and
 * notifications. `proxy` is the published schema; `_proxy` and `meta` are earlier drafts.
 */
export const PROXY_DIALECTS = {
  proxy: {
    initialize: PROXY_METHODS.proxy_initialize,
    request: PROXY_METHODS.proxy_successor,
    notification: PROXY_METHODS.proxy_successor,
  },
  _proxy: { initialize: "_proxy/initialize", request: "_proxy/successor", notification: "_proxy/successor" },
  meta: {
    initialize: AGENT_METHODS.initialize,
    request: "_proxy/successor/request",
    notification: "_proxy/successor/notification",
  },
} as const;
export type ProxyDialect = keyof typeof PROXY_DIALECTS;

/** MCP over ACP with connections, in both directions: the draft, and its older form with an underscore. */
export const MCP_OVER_ACP = {
  mcp: { connect: "mcp/connect", message: AGENT_METHODS.mcp_message, disconnect: "mcp/disconnect" },
  _mcp: { connect: "_mcp/connect", message: "_mcp/message", disconnect: "_mcp/disconnect" },
} as const;

/** Methods of Symposium. */
export const EXTENSION_METHODS = {
  /** Agent → client: `IdeRequest` → `IdeAnswer` (`src/protocol/ide/ide.ts`). */
  ide_operation: "_symposium.dev/ide_operation",
  /** Client → conductor: `SessionToolsRequest` → `SessionToolsResult` (`sidecar/mcp/delivery/delivery.ts`). */
  session_tools: "_symposium.dev/session_tools",
  /** Requests and notifications that the conformance kit sends to the program under test. */
  conform_echo: "_symposium.dev/conform/echo",
  conform_fail: "_symposium.dev/conform/fail",
  conform_wait: "_symposium.dev/conform/wait",
  conform_notify: "_symposium.dev/conform/notify",
  conform_unknown: "_symposium.dev/conform/unknown",
  conform_probe: "_symposium.dev/conform/probe",
} as const;
