/** Error codes between host and sidecar (JSON-RPC `error.code`). The texts are in `sidecar/errors.ts`. */
export const ErrorCode = {
  versionMismatch: -32050,
  unknownSession: -32051,
  /** The request was understood and rejected; `message` gives the reason. */
  refused: -32052,
  /** The file does not exist. */
  noFile: -32053,
} as const;

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
