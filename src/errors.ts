/** Expected errors. `message` is for the user (what happened, what to do); `cause` is for the log. */

import * as l10n from "@vscode/l10n";
import { ErrorCode } from "./protocol/wire/errors";

/** The sidecar exited before it responded, and probably restarts. */
export class SidecarExited extends Error {
  override readonly name = "SidecarGone";
}

/** No sidecar runs, and none is starting. */
export class SidecarUnavailable extends Error {
  override readonly name = "SidecarUnavailable";
}

/** Error response of the sidecar, with its message. `code`: see `protocol/wire/errors.ts`. */
export class SidecarRefused extends Error {
  override readonly name = "SidecarRefused";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export function givenUp(deaths: number, lastExit: string): string {
  return l10n.t`${lastExit} This happened ${deaths} times in a row. Restart the sidecar to continue.`;
}

/** The sidecar could not be started. `remedy`: see `restart-policy.ts`. */
export class StartFailed extends Error {
  override readonly name = "StartFailed";
  constructor(
    readonly remedy: "otherNode" | "again" | "none",
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** `status` is `exit code 1` or `signal SIGKILL`. */
export function sidecarEnded(status: string): string {
  return l10n.t`Symposium’s sidecar stopped unexpectedly (${status}).`;
}

export function noHandshake(program: string, remedy: "otherNode" | "again", cause: unknown): StartFailed {
  return new StartFailed(
    remedy,
    l10n.t`Symposium’s sidecar did not start: “${program}” did not respond. See the log for its output.`,
    { cause },
  );
}

export function noLoginNode(cause: unknown): StartFailed {
  return new StartFailed(
    "again",
    l10n.t(
      "Symposium’s sidecar did not start with VS Code’s built-in Node, " +
        "and your login shell has no Node 20 or newer. Install it, then restart the sidecar.",
    ),
    { cause },
  );
}

export function otherVersion(custom: boolean, ours: string): StartFailed {
  return new StartFailed(
    "none",
    custom
      ? l10n.t(
          "The program in symposium.acpAgentPath does not have this extension’s version {0}. " +
            "Install that version, or clear the setting.",
          ours,
        )
      : l10n.t`Symposium was updated on disk while version ${ours} is running. Reload the window.`,
  );
}

export const SHUTTING_DOWN = l10n.t("Symposium is shutting down.");
export const NOT_TRUSTED = l10n.t("Agents run programs on this machine. Trust this workspace to start one.");

export const RESTARTING = l10n.t("Symposium’s sidecar is restarting.");

export function bypassNotSaved(agent: string, isOn: boolean): string {
  return isOn
    ? l10n.t`Your settings could not be written. Permissions of ${agent} are not bypassed, and Symposium asks you again. Check that settings.json is valid and writable.`
    : l10n.t`Your settings could not be written. Permissions of ${agent} are still bypassed, and Symposium does not ask you. Check that settings.json is valid and writable.`;
}

/**
 * Rejects a request of the sidecar to the editor. `code`: see `protocol/wire/errors.ts`. `message` is for the agent.
 */
export class EditorRequestError extends Error {
  override readonly name = "NotServed";
  constructor(
    readonly code: number,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
  static noFile(path: string): EditorRequestError {
    return new EditorRequestError(ErrorCode.noFile, l10n.t`File ${path} does not exist.`);
  }
  static refused(message: string, cause?: unknown): EditorRequestError {
    return new EditorRequestError(ErrorCode.refused, message, { cause });
  }
}
