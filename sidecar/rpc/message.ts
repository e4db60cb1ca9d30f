/**
 * JSON-RPC 2.0 messages as used by ACP and MCP. Batches are not supported. Ids are integers (including 0) or strings. A
 * null id occurs only in the error response to an invalid message. Unknown members are kept.
 */
export type Id = number | string;

export interface Request {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly method: string;
  readonly params?: unknown;
}
export interface Notification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: unknown;
}
export interface Success {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly result: unknown;
}
export interface Failure {
  readonly jsonrpc: "2.0";
  readonly id: Id | null;
  readonly error: RpcErrorObject;
}
export type Message = Request | Notification | Success | Failure;

export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Error codes of JSON-RPC and ACP (schema v1, "Error codes"). */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** An error response, received or to be sent. `code`, `message` and `data` are transmitted unchanged. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
  toJSON(): RpcErrorObject {
    return { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
  }
}
