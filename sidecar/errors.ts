/** Errors that we can explain. `message` is for the user (what happened, what to do); `cause` is for the log. */
export type AgentErrorCode = "notFound" | "exited" | "protocol" | "timeout" | "authRequired" | "closed" | "unsupported"
  /** An agent extension's end took the agent along. */
  | "extension";

export class AgentError extends Error {
  override readonly name = "AgentError";
  /** `what` is what happened; `advice` is what to do about it in VS Code, and follows in `message`. */
  constructor(readonly code: AgentErrorCode, readonly what: string, options?: { cause?: unknown; advice?: string | undefined }) {
    super(options?.advice === undefined ? what : `${what} ${options.advice}`, options);
  }
}

export function agentNotFound(agent: string, command: string, cause: unknown): AgentError {
  return new AgentError("notFound", `${agent} could not be started: “${command}” was not found or may not be run.`, { cause, advice: "Check its command in the setting symposium.agents." });
}

/** `status` is `exit code 1` or `signal SIGKILL`; the last three lines of stderr become the cause. */
export function agentExited(agent: string, status: string, stderr: string): AgentError {
  const lastWords = stderr.trim().split("\n").slice(-3).join("\n");
  // What every shell answers for a command that it does not find (POSIX, "Exit Status for Commands").
  if (status === "exit code 127") return new AgentError("notFound", `${agent} could not be started: its command, or one that it needs, was not found.`, { cause: lastWords || undefined, advice: "Check it in the setting symposium.agents." });
  return new AgentError("exited", `${agent} stopped unexpectedly (${status}).`, { cause: lastWords || undefined, advice: "Your next prompt starts it again." });
}

export function agentUnresponsive(agent: string, seconds: number, stderr: string): AgentError {
  return new AgentError("timeout", `${agent} did not answer within ${seconds} seconds. See the log for what it said.`, { cause: stderr.trim() || undefined });
}

export function agentAnswered(agent: string, what: string, cause: unknown): AgentError {
  return new AgentError("protocol", `${agent} answered with an error: ${what}`, { cause });
}

/** `isAsked`: where it is said, the next prompt asks how. */
export function agentNeedsSignIn(agent: string, isAsked: boolean): AgentError {
  return new AgentError("authRequired", `${agent} wants you to sign in.`, { advice: isAsked ? "Send your prompt again: then you are asked how." : "Send a prompt in Symposium's own chat: there you are asked how." });
}

/** The agent names no way that we know. */
export function noWayToSignIn(agent: string): AgentError {
  return new AgentError("authRequired", `${agent} wants you to sign in first, and does not say how.`, { advice: "Sign in with its own command line, then send your prompt again." });
}

export function notSignedIn(agent: string, cause?: unknown): AgentError {
  const why = cause instanceof Error ? `: ${cause.message}` : ".";
  return new AgentError("authRequired", `You were not signed in to ${agent}${why}`, { cause, advice: "Send your prompt again to be asked again." });
}

/** One round is enough: asked again, it would be the same again. */
export function stillNotSignedIn(agent: string, how: string): AgentError {
  return new AgentError("authRequired", `${agent} still wants you to sign in, although “${how}” has just succeeded.`, { advice: "Try another way, or its own command line; the log has what it said." });
}

export function noDistribution(agent: string): AgentError {
  return new AgentError("unsupported", `${agent} has no command that can be started here.`, { advice: "Give it distribution.local.command in the setting symposium.agents." });
}

/** `why` continues the sentence and ends it. */
export function agentNotStarted(agent: string, why: string, cause: unknown): AgentError {
  return new AgentError("notFound", `${agent} could not be started: ${why}`, { cause });
}

/** A built-in extension of another version. */
export function notBuiltIn(extension: string): AgentError {
  return new AgentError("unsupported", `“${extension}” is not part of this version of Symposium.`);
}

/** An MCP server at an address. `why`: a clause that says what to do, too. */
export function serverNotAdded(extension: string, why: string): AgentError {
  return new AgentError("unsupported", `“${extension}” is left out: ${why}.`);
}

/** An agent extension's end, which took its agent along. `what` says which, and how. */
export function extensionEnded(what: string, cause: unknown): AgentError {
  return new AgentError("extension", what, { cause, advice: "The agent ended with it; your next prompt starts both again." });
}
