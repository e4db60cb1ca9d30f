/** Errors of an installation of an agent or extension: a sentence for the user and advice. */
import * as l10n from "@vscode/l10n";
import { redactText } from "../../../../src/protocol/redaction/redact";
import { isObject } from "../../../rpc/json";

export type InstallErrorCode =
  /** The server is unreachable, stopped responding, did not return a file, or does not use https. */
  | "offline"
  | "slow"
  | "refused"
  | "insecure"
  /** The archive has a wrong hash, is damaged, contains a forbidden path, or is too large. */
  | "hash"
  | "truncated"
  | "hostile"
  | "tooLarge"
  | "diskFull"
  | "store"
  | "noTool"
  | "toolFailed"
  | "noPlatform"
  | "noProgram"
  | "badName"
  | "cancelled"
  | "busy";

export class InstallError extends Error {
  override readonly name = "InstallError";
  readonly what: string;
  readonly advice: string | undefined;
  /** `what` and `advice` are sentences for the user. `cause` is for the log. */
  constructor(
    readonly code: InstallErrorCode,
    what: string,
    { advice, cause }: { readonly advice?: string | undefined; readonly cause?: unknown } = {},
  ) {
    const shown = redactText(what);
    super(advice === undefined ? shown : `${shown} ${advice}`, cause === undefined ? undefined : { cause });
    this.what = shown;
    this.advice = advice;
  }

  /** Returns the same error with an additional sentence of advice. */
  and(advice: string): InstallError {
    return new InstallError(this.code, this.what, {
      advice: this.advice === undefined ? advice : `${this.advice} ${advice}`,
      cause: this.cause,
    });
  }
}

const ONLINE = l10n.t("Check the network connection.");
/** Advice for our own downloads. */
const OR_PROXY = l10n.t(
  "Check the network connection. If it needs a proxy, set HTTPS_PROXY in your shell or http.proxy in VS Code.",
);
const AGAIN = l10n.t("Try again. If the error persists, report it to the publisher.");

export function unreachable(url: URL, cause: unknown): InstallError {
  return new InstallError("offline", l10n.t`${url.host} cannot be reached.`, { advice: OR_PROXY, cause });
}
export function stalled(url: URL, seconds: number): InstallError {
  return new InstallError("slow", l10n.t`${url.host} has sent no data for ${seconds} seconds.`, {
    advice: l10n.t("Try again later."),
  });
}
export function installInterrupted(url: URL, cause: unknown): InstallError {
  return new InstallError("truncated", l10n.t`The download from ${url.host} was interrupted repeatedly.`, {
    advice: l10n.t("Try again later."),
    cause,
  });
}
export function refused(url: URL, why: string): InstallError {
  return new InstallError("refused", l10n.t`${url.host} did not send the file ${url.pathname}: ${why}.`, {
    advice: AGAIN,
  });
}
export function insecure(url: string): InstallError {
  return new InstallError("insecure", l10n.t`${url} is not an https URL.`, {
    advice: l10n.t("Programs are downloaded over https only."),
  });
}
export function wrongHash(url: URL, expected: string, actual: string): InstallError {
  return new InstallError(
    "hash",
    l10n.t`The download from ${url.host} does not match the published file: its SHA-256 is ${actual} instead of ${expected}.`,
    { advice: l10n.t("The download was deleted. Try again later. If the error persists, report it to the publisher.") },
  );
}
export function damaged(archive: string, cause: unknown): InstallError {
  return new InstallError("truncated", l10n.t`The archive ${archive} is damaged or incomplete.`, {
    advice: AGAIN,
    cause,
  });
}
/** `why` continues “The archive has the entry …, which”. */
export function hostile(entry: string, why: string): InstallError {
  return new InstallError(
    "hostile",
    l10n.t`The archive has the entry ${JSON.stringify(entry.slice(0, 200))}, which ${why}.`,
    { advice: l10n.t("The download was discarded. Please report this to its publisher.") },
  );
}
/** `what`: a clause such as “The download is larger than 2 GB”. */
export function tooLarge(what: string): InstallError {
  return new InstallError("tooLarge", `${what}.`, { advice: l10n.t("The download was discarded.") });
}
export function noProgram(what: string): InstallError {
  return new InstallError("noProgram", what, {
    advice: l10n.t("Check that “cmd” in its distribution is the name of one of its programs."),
  });
}
export function badName(what: string): InstallError {
  return new InstallError("badName", what, {
    advice: l10n.t("Names consist of letters, digits, “.”, “-”, “_”, “+” and “~”, and start with a letter or a digit."),
  });
}
export function cancelled(): InstallError {
  return new InstallError("cancelled", l10n.t("The installation was cancelled."));
}
export function busy(id: string): InstallError {
  return new InstallError("busy", l10n.t`${id} is being installed by another window.`, {
    advice: l10n.t("Try again after that installation."),
  });
}

/** `lastWords`: the end of the tool's output. */
export function toolFailed(tool: string, status: string, lastWords: string): InstallError {
  if (/ENOSPC|EDQUOT|no space left|os error 28\b/i.test(lastWords))
    return new InstallError("diskFull", l10n.t`${tool} exited (${status}) because the disk is full.`, {
      advice: l10n.t("Free some disk space and try again."),
      cause: lastWords,
    });
  if (
    /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT|dns error|resolve host|network is unreachable|name resolution/i.test(
      lastWords,
    )
  ) {
    return new InstallError("offline", l10n.t`${tool} exited (${status}) because it cannot reach its registry.`, {
      advice: ONLINE,
      cause: lastWords,
    });
  }
  // The sentence contains the last output, so that it has no cause.
  return new InstallError(
    "toolFailed",
    l10n.t`${tool} exited (${status}).${lastWords === "" ? "" : l10n.t` Its last output: “${lastWords}”`}`,
  );
}

/** Explains a file system error. Other errors (a bug, a signal's reason) are returned unchanged. */
export function explained(error: unknown): unknown {
  if (error instanceof InstallError || !isObject(error) || !(error instanceof Error)) return error;
  const { code, syscall } = error;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new InstallError("diskFull", l10n.t("The disk is full."), {
      advice: l10n.t("Free some disk space and try again."),
      cause: error,
    });
  if (typeof code === "string" && typeof syscall === "string")
    return new InstallError("store", l10n.t`The installation folder is not writable: ${error.message}.`, {
      cause: error,
    });
  return error;
}
