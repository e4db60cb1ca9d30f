/**
 * The names of the MCP methods that Symposium sends or handles itself. All others are forwarded uninspected. No other
 * production file contains these names (`scripts/method-names.test.ts`). The compiler checks them against
 * `@modelcontextprotocol/sdk`. No imports at run time.
 */
import type {
  ClientNotification,
  ClientRequest,
  ServerNotification,
  ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";

type McpMethod = (ClientRequest | ClientNotification | ServerRequest | ServerNotification)["method"];

export const MCP_METHODS = {
  initialize: "initialize",
  ping: "ping",
  tools_list: "tools/list",
  tools_call: "tools/call",
  resources_read: "resources/read",
  resources_subscribe: "resources/subscribe",
  resources_unsubscribe: "resources/unsubscribe",
  prompts_get: "prompts/get",
  logging_set_level: "logging/setLevel",
  notifications_initialized: "notifications/initialized",
  notifications_cancelled: "notifications/cancelled",
  notifications_progress: "notifications/progress",
  notifications_resources_updated: "notifications/resources/updated",
  notifications_tools_list_changed: "notifications/tools/list_changed",
} as const satisfies Readonly<Record<string, McpMethod>>;

/** Methods of the stateless revision (`revision.ts`), which the SDK does not have yet. */
export const STATELESS_METHODS = {
  server_discover: "server/discover",
  subscriptions_listen: "subscriptions/listen",
  notifications_subscriptions_acknowledged: "notifications/subscriptions/acknowledged",
} as const;
