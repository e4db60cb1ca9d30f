/** Describes the failure of an agent for the user and for the log, without secrets. */
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError } from "../errors";
import { objectOr, readable } from "../rpc/json";

/** Maximum characters of an agent's output or response. */
const OUTPUT_LIMIT = 2_000;

export interface AgentFailure {
  /** A sentence for the user. */
  readonly message: string;
  /** The last output of the agent's program; undefined without output. */
  readonly output: string | undefined;
  /** The reason, for the log. */
  readonly cause: string | undefined;
}

/** `error`: an error, the reason of a closed channel, or any other value. */
export function failureOf(error: unknown): AgentFailure {
  const reason = error instanceof Error ? { message: error.message, cause: error.cause } : objectOr(error),
    { message, cause } = reason;
  return {
    message: redactText(typeof message === "string" ? message : String(error)),
    output: typeof cause === "string" ? redactText(cause, OUTPUT_LIMIT) : undefined,
    cause: cause === undefined ? undefined : readable(cause instanceof Error ? cause.message : cause, OUTPUT_LIMIT),
  };
}

/** Whether the agent requires a sign-in. */
export function requiresSignIn(error: unknown): boolean {
  return error instanceof AgentError && error.code === "authRequired";
}
