/** Failures of the disk, as sentences for the user. */
import * as l10n from "@vscode/l10n";
import { ErrorCode } from "../../src/protocol/wire/errors";
import { RpcError } from "../rpc/message";
import { isDiskFull } from "./snapshots/disk-full";

const PROTECTED: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);

/** A log or a content of a review could not be written. The log has the cause. */
export function notStored(cause: unknown): RpcError {
  return new RpcError(ErrorCode.refused, sentenceOf(cause), undefined, { cause });
}

function sentenceOf(cause: unknown): string {
  if (isDiskFull(cause))
    return l10n.t("The disk is full, so the review could not be stored. Free some space and try again.");
  return cause instanceof Error && "code" in cause && PROTECTED.has(cause.code)
    ? l10n.t("The review could not be stored, because the storage folder of the extension is write-protected.")
    : l10n.t("The review could not be stored. The log of Symposium contains the reason.");
}
