/**
 * Error codes that cross the wire between host and sidecar (JSON-RPC `error.code`). Texts are in `sidecar/errors.ts`.
 */
export const ErrorCode = {
  versionMismatch: -32050,
  unknownSession: -32051,
  /** A request that was understood and not taken; `message` says why. */
  refused: -32052,
  /** There is no such file. */
  noFile: -32053,
} as const;
