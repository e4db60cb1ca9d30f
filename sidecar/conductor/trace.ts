/**
 * A trace: one JSON value for every message that crosses a hop, without secrets. The format is that of the Rust
 * conductor's viewer (`sacp-conductor`, trace.rs: `type` is the kind, `ts` counts seconds since the trace began). Pure.
 */
import { redactValue } from "../../src/protocol/redaction/redact";
import { FrameError, type Frame } from "../rpc/frame";
import { isObject, objectOr } from "../rpc/json";
import type { Id, Message } from "../rpc/message";
import { AGENT_METHODS, MCP_OVER_ACP } from "../acp/methods";

/** `mcp`: an MCP message inside an ACP message, recorded with its inner method and params. */
export type TraceProtocol = "acp" | "mcp";

interface Hop {
  readonly ts: number;
  readonly from: string;
  readonly to: string;
}
interface Call {
  readonly protocol: TraceProtocol;
  readonly method: string;
  readonly session?: string;
  readonly params: unknown;
}

export type TraceEvent =
  | ({ readonly type: "request"; readonly id: Id } & Hop & Call)
  | ({ readonly type: "notification" } & Hop & Call)
  /** `payload` is the result, or the error object. */
  | ({ readonly type: "response"; readonly id: Id | null; readonly is_error: boolean; readonly payload: unknown } & Hop)
  /** An addition of Symposium: the number of messages that were dropped before this line because the disk was slow. */
  | { readonly type: "dropped"; readonly ts: number; readonly count: number };

/** Returns undefined if the frame is not a valid message. */
export function traceEvent(from: string, to: string, frame: Frame, ts: number): TraceEvent | undefined {
  const message = messageOf(frame);
  if (!message) return undefined;
  if ("method" in message) {
    const { method, params } = message;
    const call = callOf(method, params);
    return "id" in message
      ? {
          type: "request",
          ts,
          protocol: call.protocol,
          from,
          to,
          id: message.id,
          method: call.method,
          ...sessionOf(params),
          params: redactValue(call.params) ?? null,
        }
      : {
          type: "notification",
          ts,
          protocol: call.protocol,
          from,
          to,
          method: call.method,
          ...sessionOf(params),
          params: redactValue(call.params) ?? null,
        };
  }
  const { envelope } = frame;
  const failed = envelope.kind === "response" && envelope.failed;
  const { result, error }: { readonly result?: unknown; readonly error?: unknown } = message;
  return {
    type: "response",
    ts,
    from,
    to,
    id: message.id,
    is_error: failed,
    payload: redactValue(failed ? error : result) ?? null,
  };
}

function messageOf(frame: Frame): Message | undefined {
  try {
    return frame.message;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}

/** The inner message of `mcp/message`, in both spellings. */
function callOf(method: string, params: unknown): Pick<Call, "protocol" | "method" | "params"> {
  const inner = objectOr(params);
  if (
    (method === AGENT_METHODS.mcp_message || method === MCP_OVER_ACP._mcp.message) &&
    typeof inner.method === "string"
  )
    return { protocol: "mcp", method: inner.method, params: inner.params };
  return { protocol: "acp", method, params };
}

function sessionOf(params: unknown): { readonly session?: string } {
  return isObject(params) && typeof params.sessionId === "string" ? { session: params.sessionId } : {};
}
