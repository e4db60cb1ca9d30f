/**
 * Negotiates the ACP version of a chain from the raw `protocolVersion` of `initialize`. Pure.
 *
 * A requested version is an upper bound: every component accepts it or responds with a lower version. All components
 * support the version in the client's response.
 */
import { Frame } from "../rpc/frame";
import { isObject, objectOr } from "../rpc/json";
import { RpcCode, type Request, type RpcErrorObject } from "../rpc/message";

/** The newest version that the conductor's stages support. */
const NEWEST = 2;
/** ACP schema, `ProtocolVersion`: an unsigned 16-bit integer. */
const MAX_VERSION = 65_535;

/** Returns `initialize` with a supported version, or the error for an invalid version. */
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

/** Converts `initialize` to another version and keeps all members. v1 uses `clientInfo`; v2 requires `info`. */
export function withVersion(frame: Frame, protocolVersion: number): Frame {
  const request = frame.message as Request,
    params = objectOr(request.params);
  const { clientInfo = params.info, info = clientInfo } = params;
  const v1 = clientInfo === undefined ? {} : { clientInfo };
  const v2 = protocolVersion === 2 && info !== undefined ? { info } : {};
  return Frame.of({ ...request, params: { ...params, ...v1, ...v2, protocolVersion } });
}

/**
 * Whether the request lacks `info`, which version 2 requires (schema v2, `InitializeRequest`). Older SDKs drop this
 * member but keep the version number.
 */
export function isVersion1Only({ message }: Frame): boolean {
  return !("params" in message) || !isObject(objectOr(message.params).info);
}
