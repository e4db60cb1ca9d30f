/** Failures of the disk, as sentences for the user. */
import * as l10n from "@vscode/l10n";
import { ErrorCode } from "../../src/protocol/wire/errors";
import { RpcError } from "../rpc/message";

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** A log or a content of a review could not be written. */
export function notStored(cause: unknown): RpcError {
  const isFull = cause instanceof Error && "code" in cause && FULL.has(cause.code),
    message = cause instanceof Error ? cause.message : String(cause);
  return new RpcError(
    ErrorCode.refused,
    isFull
      ? l10n.t("The disk is full, so the review could not be stored. Free some space and try again.")
      : l10n.t`The review could not be stored: ${message}`,
    undefined,
    { cause },
  );
}
