/** Expected errors. `message` is for the user (what happened, what to do); `cause` is for the log. */

import { ErrorCode } from "./protocol/errors";

/** The sidecar exited before it answered. A restart is probably under way. */
export class SidecarGone extends Error {
  override readonly name = "SidecarGone";
}

/** No sidecar runs, and none is starting. */
export class SidecarUnavailable extends Error {
  override readonly name = "SidecarUnavailable";
}

/** The sidecar answered with an error. `code`: see `protocol/errors.ts`. `message` is the sidecar's own. */
export class SidecarRefused extends Error {
  override readonly name = "SidecarRefused";
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export function givenUp(deaths: number, lastOne: string): string {
  return `${lastOne} This happened ${deaths} times in a row: it is not started again until you restart it.`;
}

/** A started program did not become a sidecar. `remedy`: see `restart-policy.ts`. */
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
  return `Symposium’s sidecar stopped unexpectedly (${status}).`;
}

export function noHandshake(program: string, remedy: "otherNode" | "again", cause: unknown): StartFailed {
  return new StartFailed(
    remedy,
    `Symposium’s sidecar did not start: “${program}” gave no answer. See the log for what it said.`,
    { cause },
  );
}

export function noLoginNode(cause: unknown): StartFailed {
  return new StartFailed(
    "again",
    "Symposium’s sidecar did not start with VS Code’s own Node, and your login shell has no Node 20 or newer. Install one, then restart the sidecar.",
    { cause },
  );
}

export function otherVersion(custom: boolean, ours: string): StartFailed {
  return new StartFailed(
    "none",
    custom
      ? `The program in symposium.acpAgentPath is not of this extension’s version, ${ours}. Install that version, or empty the setting.`
      : `Symposium was changed on disk while version ${ours} of it is running. Reload the window.`,
  );
}

export const SHUTTING_DOWN = "Symposium is shutting down.";
export const NOT_TRUSTED = "Agents run programs on this machine: trust this workspace to chat with one.";

export const RESTARTING = "Symposium’s sidecar is being started again.";

/** The reason why an agent lacks the context of its tab. The sidecar adds it to the tab. */
export const SIDECAR_RESTARTED = "Symposium’s sidecar was restarted.";
export const WINDOW_RELOADED = "The window was reloaded.";

export function agentReplaced(missing: string, instead: string): string {
  return `The agent “${missing}” is not configured any more; ${instead} answers from here on.`;
}

export function bypassNotKept(agent: string, isOn: boolean): string {
  const so = isOn
    ? `permissions of ${agent} are not bypassed: you are asked again`
    : `permissions of ${agent} are still bypassed: you are not asked`;
  return `Your settings could not be written, so ${so}. Is settings.json free of mistakes, and may it be changed?`;
}

/** Refuses a request of the sidecar to the editor. `code`: see `protocol/errors.ts`. `message` is for the agent. */
export class NotServed extends Error {
  override readonly name = "NotServed";
  constructor(
    readonly code: number,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
  static noFile(path: string): NotServed {
    return new NotServed(ErrorCode.noFile, `There is no file ${path}.`);
  }
  static refused(message: string, cause?: unknown): NotServed {
    return new NotServed(ErrorCode.refused, message, { cause });
  }
}
