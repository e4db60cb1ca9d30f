/**
 * The ACP version of a chain, read from the raw `protocolVersion` of `initialize`. Pure.
 *
 * A requested version is an upper bound, as for an agent: every component accepts it or answers with a lower one. All
 * components support the version in the answer that reaches the client.
 */
import { Frame } from "../rpc/frame";
import { isObject, objectOr } from "../rpc/json";
import { RpcCode, type Request, type RpcErrorObject } from "../rpc/message";

/** The newest version that the conductor's own stages can read. */
const NEWEST = 2;
/** ACP schema, `ProtocolVersion`: an unsigned 16-bit integer. */
const MAX_VERSION = 65_535;

/** `initialize` with a version that may be forwarded, or the error for it. */
export function negotiated(frame: Frame): { readonly frame: Frame } | { readonly error: RpcErrorObject } {
  const version = versionIn(frame);
  if (typeof version !== "number" || !Number.isInteger(version) || version < 0 || version > MAX_VERSION) {
    const message = `initialize: protocolVersion must be an integer from 0 to ${MAX_VERSION}.`;
    return { error: { code: RpcCode.invalidParams, message } };
  }
  const chosen = Math.min(Math.max(version, 1), NEWEST);
  return { frame: chosen === version ? frame : withVersion(frame, chosen) };
}

/** The `protocolVersion` of a request or a result. */
export function versionIn({ message }: Frame): unknown {
  if ("params" in message) return objectOr(message.params).protocolVersion;
  return "result" in message ? objectOr(message.result).protocolVersion : undefined;
}

/**
 * The same `initialize` for another version; all members are kept. v1 reads `clientInfo`; v2 reads and requires `info`.
 */
export function withVersion(frame: Frame, protocolVersion: number): Frame {
  const request = frame.message as Request,
    params = objectOr(request.params);
  const { clientInfo = params.info, info = clientInfo } = params;
  const v1 = clientInfo === undefined ? {} : { clientInfo };
  const v2 = protocolVersion === 2 && info !== undefined ? { info } : {};
  return Frame.of({ ...request, params: { ...params, ...v1, ...v2, protocolVersion } });
}

/** Version 2 requires `info` (schema v2, `InitializeRequest`); older SDKs drop the member and keep the number. */
export function isVersion1Only({ message }: Frame): boolean {
  return !("params" in message) || !isObject(objectOr(message.params).info);
}
