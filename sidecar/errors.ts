/**
 * Errors that can be explained to the user. `message` is for the user (what happened, what to do); `cause` is for the
 * log.
 */
import * as l10n from "@vscode/l10n";
import { redactText } from "../src/protocol/redaction/redact";

export type AgentErrorCode =
  | "notFound"
  | "exited"
  | "protocol"
  | "timeout"
  | "authRequired"
  | "closed"
  | "unsupported"
  /** The user signed out of the agent, which ended its processes. */
  | "signedOut"
  /** Another tab restarted the agent or signed in to it. */
  | "restarted"
  /** An agent extension exited, which ended the agent. */
  | "extension";

export class AgentError extends Error {
  override readonly name = "AgentError";
  /** For an exited process: clock time after which it read no input. */
  readonly readUntil: number | undefined;

  /** The event, without `advice`. `message` appends `advice`: what to do about it in VS Code. */
  readonly what: string;
  /** For an exited process: `exit code 1` or `signal SIGKILL`. */
  readonly status: string | undefined;
  constructor(
    readonly code: AgentErrorCode,
    what: string,
    options?: AgentErrorOptions,
  ) {
    const shown = redactText(what);
    super(options?.advice === undefined ? shown : `${shown} ${options.advice}`, options);
    this.what = shown;
    this.status = options?.status;
    this.readUntil = options?.readUntil;
  }
}

export interface AgentErrorOptions {
  cause?: unknown;
  advice?: string | undefined;
  status?: string | undefined;
  readUntil?: number | undefined;
}

/** Advice after an agent's process has exited. */
/** Reason why an earlier session of a conversation has ended. */
export const RESTARTED = l10n.t("Symposium was restarted.");
/** The same for a session without a running turn: its tab was closed, or Symposium was restarted meanwhile. */
export const REOPENED = l10n.t("The session was reopened.");
export function agentReplaced(before: string, now: string): string {
  return l10n.t`${now} continues in this tab instead of ${before}.`;
}

export const restartsIn = (agent: string, seconds: number): string =>
  seconds === 1 ? l10n.t`${agent} restarts in 1 second.` : l10n.t`${agent} restarts in ${seconds} seconds.`;
export const restartsAndSends = (agent: string, seconds: number): string =>
  seconds === 1
    ? l10n.t`${agent} restarts in 1 second and gets your prompt then.`
    : l10n.t`${agent} restarts in ${seconds} seconds and gets your prompt then.`;
export const restartsWithPrompt = (agent: string): string => l10n.t`${agent} restarts with your next prompt.`;

export function agentNotFound(agent: string, command: string, cause: unknown): AgentError {
  return new AgentError(
    "notFound",
    l10n.t`${agent} could not be started: “${command}” was not found or is not executable.`,
    {
      cause,
      advice: l10n.t("Check its command in the setting symposium.agents."),
    },
  );
}

/** Without a ledger, only the next start ends the agents that remain after a crash. */
export function ledgerNotWritten(folder: string, error: unknown): string {
  const [why, advice] = notWritable(error);
  return l10n.t(
    "Symposium cannot record the processes that it starts, because {0} ({1}). " +
      "After a crash, agents may keep running until Symposium starts again. {2}",
    why,
    folder,
    advice,
  );
}

export function journalNotWritten(folder: string, error: unknown): string {
  const [why, advice] = notWritable(error);
  return l10n.t(
    "Symposium cannot store conversations, because {0} ({1}). They continue, but are lost after a restart. {2}",
    why,
    folder,
    advice,
  );
}

function notWritable(error: unknown): readonly [why: string, advice: string] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT"
    ? [l10n.t("the disk is full"), l10n.t("Free some disk space.")]
    : [l10n.t("the folder is not writable"), l10n.t("Check the folder's permissions.")];
}

/** The executable is open for writing (ETXTBSY). */
export function agentBusy(agent: string, command: string, cause: unknown): AgentError {
  return new AgentError(
    "notFound",
    l10n.t`${agent} could not be started: “${command}” is being written by another program.`,
    { cause, advice: l10n.t("Wait until its installation has ended, then restart the agent.") },
  );
}

/**
 * `status` is `exit code 1` or `signal SIGKILL`. The last lines of `output` (printed by the process) become the cause.
 */
export function agentExited(agent: string, status: string, output: string, readUntil?: number): AgentError {
  const lastOutput = lastLines(output);
  // Every shell returns this code for a missing command (POSIX, "Exit Status for Commands").
  if (status === "exit code 127")
    return new AgentError(
      "notFound",
      l10n.t`${agent} could not be started: its command, or a command that it needs, was not found.`,
      { cause: lastOutput || undefined, advice: l10n.t("Check its command in the setting symposium.agents.") },
    );
  const after = { cause: lastOutput || undefined, advice: restartsWithPrompt(agent), status, readUntil };
  return new AgentError("exited", l10n.t`${agent} exited unexpectedly (${status}).`, after);
}

function lastLines(output: string): string {
  return redactText(output.trim())
    .split("\n")
    .filter(line => line.trim() !== "")
    .slice(-3)
    .join("\n");
}

export function agentUnresponsive(agent: string, seconds: number, stderr: string): AgentError {
  return new AgentError(
    "timeout",
    l10n.t`${agent} did not respond within ${seconds} seconds. See the log for its output.`,
    {
      cause: stderr.trim() || undefined,
    },
  );
}

/** The response to `initialize` has no protocol version. */
export function agentWithoutAcp(agent: string, cause: unknown): AgentError {
  return new AgentError(
    "protocol",
    l10n.t`${agent} is not an ACP agent: its response to initialize has no protocol version.`,
    {
      cause,
      advice: l10n.t("Check its command in the setting symposium.agents."),
    },
  );
}

/** `offered` is the highest version that the agent may choose. */
export function agentWithUnsupportedAcp(agent: string, version: number, offered: 1 | 2, cause: unknown): AgentError {
  const supported = offered === 1 ? l10n.t("version 1") : l10n.t("versions 1 and 2");
  return new AgentError("protocol", l10n.t`${agent} uses ACP version ${version}; this session supports ${supported}.`, {
    cause,
    advice:
      version === 2
        ? l10n.t("Turn on the setting symposium.experimentalProtocolV2.")
        : l10n.t("Update the agent, or Symposium."),
  });
}

/** Returns the same error with the last lines of the program's output as its cause. */
export function withLastOutput(error: AgentError, output: string): AgentError {
  const lastOutput = lastLines(output);
  if (lastOutput === "" || typeof error.cause === "string") return error;
  const { code, what, message, readUntil, status } = error,
    advice = message === what ? undefined : message.slice(what.length + 1);
  return new AgentError(code, what, { cause: lastOutput, advice, readUntil, status });
}

export function agentReturnedError(agent: string, what: string, cause: unknown): AgentError {
  return new AgentError("protocol", l10n.t`${agent} returned an error: ${what}`, { cause });
}

/** `isAsked`: the next prompt in this chat asks the user for the sign-in method. */
export function agentNeedsSignIn(agent: string, isAsked: boolean): AgentError {
  return new AgentError("authRequired", l10n.t`${agent} requires a sign-in.`, {
    advice: isAsked
      ? l10n.t("Send your prompt again to select a sign-in method.")
      : l10n.t("Send a prompt in Symposium's own chat to select a sign-in method."),
  });
}

export function signedOut(agent: string): AgentError {
  return new AgentError("signedOut", l10n.t`You signed out of ${agent}.`, { advice: restartsWithPrompt(agent) });
}

export function restartedElsewhere(agent: string): AgentError {
  return new AgentError("restarted", l10n.t`Another tab restarted ${agent}.`, { advice: restartsWithPrompt(agent) });
}

export function signedInElsewhere(agent: string): AgentError {
  return new AgentError("restarted", l10n.t`You signed in to ${agent} in another tab.`, {
    advice: restartsWithPrompt(agent),
  });
}

/** The agent offers no supported sign-in method. */
export function noSignInMethod(agent: string): AgentError {
  return new AgentError("authRequired", l10n.t`${agent} requires a sign-in but offers no method.`, {
    advice: l10n.t("Sign in with its own command line, then send your prompt again."),
  });
}

export function notSignedIn(agent: string, cause?: unknown): AgentError {
  const text =
    cause instanceof Error
      ? l10n.t`You were not signed in to ${agent}: ${cause.message}`
      : l10n.t`You were not signed in to ${agent}.`;
  return new AgentError("authRequired", text, {
    cause,
    advice: l10n.t("Send your prompt again to retry."),
  });
}

/** Only one sign-in is attempted: a second would have the same result. */
export function stillNotSignedIn(agent: string, how: string): AgentError {
  return new AgentError(
    "authRequired",
    l10n.t`${agent} still requires a sign-in, although “${how}” has just succeeded.`,
    {
      advice: l10n.t("Try another method, or its own command line. See the log for its output."),
    },
  );
}

export function noDistribution(agent: string): AgentError {
  return new AgentError("unsupported", l10n.t`${agent} has no command for this computer.`, {
    advice: l10n.t("Set its distribution.local.command in the setting symposium.agents."),
  });
}

/** `why` completes the sentence, including its full stop. */
export function agentNotStarted(agent: string, why: string, cause: unknown): AgentError {
  return new AgentError("notFound", l10n.t`${agent} could not be started: ${why}`, { cause });
}

/** A built-in extension of another version of Symposium. */
export function notBuiltIn(extension: string): AgentError {
  return new AgentError("unsupported", l10n.t`“${extension}” is not part of this version of Symposium.`);
}

/** An MCP server with an HTTP address is unusable. `why`: a clause with advice. */
export function serverNotAdded(extension: string, why: string): AgentError {
  return new AgentError("unsupported", l10n.t`“${extension}” is skipped: ${why}.`);
}

/** An agent extension exited, which ended its agent. `what` names the extension and the reason. */
export function extensionEnded(what: string, cause: unknown): AgentError {
  return new AgentError("extension", what, {
    cause,
    advice: l10n.t("The agent exited with it. Both restart with your next prompt."),
  });
}
