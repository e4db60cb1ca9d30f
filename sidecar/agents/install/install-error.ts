/** Errors of an installation of an agent or extension, with what happened and what to do. */
import { redactText } from "../../../src/protocol/redaction/redact";
import { isObject } from "../../rpc/json";

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
  /** `what` and `advice` are sentences for the user; `cause` is for the log. */
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

  /** Returns the same error with one more sentence of advice. */
  and(advice: string): InstallError {
    return new InstallError(this.code, this.what, {
      advice: this.advice === undefined ? advice : `${this.advice} ${advice}`,
      cause: this.cause,
    });
  }
}

const ONLINE = "Is this computer online?";
/** Advice for our own downloads. */
const OR_PROXY =
  "Is this computer online? If it needs a proxy, HTTPS_PROXY in your shell, or http.proxy in VS Code, names it.";
const AGAIN = "Try again; if it stays so, tell its authors.";

export function unreachable(url: URL, cause: unknown): InstallError {
  return new InstallError("offline", `${url.host} cannot be reached.`, { advice: OR_PROXY, cause });
}
export function stalled(url: URL, seconds: number): InstallError {
  return new InstallError("slow", `${url.host} has sent nothing for ${seconds} seconds.`, {
    advice: "Try again later.",
  });
}
export function brokenOff(url: URL, cause: unknown): InstallError {
  return new InstallError("truncated", `The download from ${url.host} broke off again and again.`, {
    advice: "Try again later.",
    cause,
  });
}
export function refused(url: URL, why: string): InstallError {
  return new InstallError("refused", `${url.host} did not give the file ${url.pathname}: ${why}.`, { advice: AGAIN });
}
export function insecure(url: string): InstallError {
  return new InstallError("insecure", `${url} is not an https address.`, {
    advice: "Programs are fetched over https only.",
  });
}
export function wrongHash(url: URL, wanted: string, got: string): InstallError {
  return new InstallError(
    "hash",
    `What ${url.host} sent is not the file that was published: its SHA-256 is ${got}, and ${wanted} was announced.`,
    { advice: "It was deleted. Try again later; if it stays so, tell its authors." },
  );
}
export function damaged(archive: string, cause: unknown): InstallError {
  return new InstallError("truncated", `The archive ${archive} is damaged, or not whole.`, { advice: AGAIN, cause });
}
/** `why` continues “The archive has the entry …, which”. */
export function hostile(entry: string, why: string): InstallError {
  return new InstallError(
    "hostile",
    `The archive has the entry ${JSON.stringify(entry.slice(0, 200))}, which ${why}.`,
    { advice: "Nothing of it was kept. Tell its authors." },
  );
}
/** `what`: a clause such as “The download is larger than 2 GB”. */
export function tooLarge(what: string): InstallError {
  return new InstallError("tooLarge", `${what}.`, { advice: "Nothing of it was kept." });
}
export function noProgram(what: string): InstallError {
  return new InstallError("noProgram", what, { advice: "Does “cmd” in its distribution name one of its programs?" });
}
export function badName(what: string): InstallError {
  return new InstallError("badName", what, {
    advice: "Names are letters, digits, “.”, “-”, “_”, “+” and “~”, and begin with a letter or a digit.",
  });
}
export function cancelled(): InstallError {
  return new InstallError("cancelled", "The installation was cancelled.");
}
export function busy(id: string): InstallError {
  return new InstallError("busy", `${id} is being installed by another window.`, {
    advice: "Try again when it is done.",
  });
}

/** `lastWords`: the end of the tool's output. */
export function toolFailed(tool: string, status: string, lastWords: string): InstallError {
  if (/ENOSPC|EDQUOT|no space left|os error 28\b/i.test(lastWords))
    return new InstallError("diskFull", `${tool} stopped (${status}), because the disk is full.`, {
      advice: "Make room, and try again.",
      cause: lastWords,
    });
  if (
    /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT|dns error|resolve host|network is unreachable|name resolution/i.test(
      lastWords,
    )
  ) {
    return new InstallError("offline", `${tool} stopped (${status}), because it cannot reach its registry.`, {
      advice: ONLINE,
      cause: lastWords,
    });
  }
  return new InstallError(
    "toolFailed",
    `${tool} stopped (${status}).${lastWords === "" ? "" : ` Its last words: “${lastWords}”`}`,
    { cause: lastWords },
  );
}

/** Explains a file system error. Other errors (a bug, a signal's reason) are returned unchanged. */
export function explained(error: unknown): unknown {
  if (error instanceof InstallError || !isObject(error) || !(error instanceof Error)) return error;
  const { code, syscall } = error;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new InstallError("diskFull", "The disk is full.", { advice: "Make room, and try again.", cause: error });
  if (typeof code === "string" && typeof syscall === "string")
    return new InstallError("store", `The folder of what is installed cannot be written: ${error.message}.`, {
      cause: error,
    });
  return error;
}
