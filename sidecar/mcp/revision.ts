/**
 * Constants and helpers of MCP revision 2026-07-28, except its methods. The revision has no sessions and no
 * `initialize`: each request contains its version and the client's capabilities in `_meta`. Codes: MCP schema
 * 2026-07-28; ACP schema, "MCP over ACP" (the -33xxx).
 */
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";

export const STATELESS_REVISION = "2026-07-28";
/** Revisions with `initialize`, newest first (MCP, "Versioning"). */
export const CLASSIC_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const NEWEST_CLASSIC = "2025-11-25";

const PREFIX = "io.modelcontextprotocol/";
export const Meta = {
  version: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  client: `${PREFIX}clientInfo`,
  server: `${PREFIX}serverInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
} as const;

export const McpCode = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  /** Codes of the outer ACP response, never of the inner MCP response. */
  limit: -33000,
  unavailable: -33001,
  backend: -33002,
} as const;

/** Server that answers each request of the stateless revision independently. */
export interface StatelessServer {
  /** Resolves with the inner result. Rejects with `RpcError`: the inner error or an error of the binding. */
  request(method: string, params: JsonObject, options: StatelessOptions): Promise<unknown>;
}
export interface StatelessOptions {
  readonly signal: AbortSignal;
  /** Receives notifications of this request: progress, or subscribed updates. Never called after the response. */
  notification(method: string, params: unknown): void;
  /** Identifies the request in a subscription. Default: a random id. */
  readonly requestId?: string;
}

export function metaOf(params: unknown): JsonObject {
  return isObject(params) ? objectOr(params._meta) : {};
}

/** Whether the client uses the stateless revision or a later one. Earlier revisions do not have this member. */
export function isStateless(params: unknown): boolean {
  return metaOf(params)[Meta.version] !== undefined;
}

/** Adds members to `_meta` of `params`. Existing members have precedence. */
export function withMeta(params: unknown, meta: JsonObject): JsonObject {
  const object = objectOr(params);
  return { ...object, _meta: { ...meta, ...objectOr(object._meta) } };
}

/** Removes the stateless revision's members from `_meta` of `params`. */
export function withoutMeta(params: JsonObject): JsonObject {
  const { _meta, ...rest } = params;
  const supported = Object.fromEntries(Object.entries(objectOr(_meta)).filter(([key]) => !key.startsWith(PREFIX)));
  return Object.keys(supported).length === 0 ? rest : { ...rest, _meta: supported };
}

/** Throws the inner error of a request whose `_meta` does not match the stateless revision. */
export function assertStatelessMeta(params: unknown): void {
  const { [Meta.version]: version, [Meta.capabilities]: capabilities } = metaOf(params);
  if (typeof version !== "string") throw new RpcError(RpcCode.invalidParams, `params._meta must have ${Meta.version}.`);
  if (version !== STATELESS_REVISION) {
    throw new RpcError(McpCode.unsupportedVersion, "Unsupported protocol version", {
      supported: [STATELESS_REVISION, ...CLASSIC_REVISIONS],
      requested: version,
    });
  }
  if (!isObject(capabilities))
    throw new RpcError(RpcCode.invalidParams, `params._meta must have ${Meta.capabilities}.`);
}
