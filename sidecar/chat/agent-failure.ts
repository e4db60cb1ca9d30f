/** Describes the failure of an agent for the user and for the log. */
import type { ActionId } from "../../src/protocol/chat";
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError, type AgentErrorCode } from "../errors";
import type { Closed } from "../rpc/channel";
import { objectOr, readable } from "../rpc/json";
import type { Trouble } from "./session-model";
import { wantsSignIn } from "./sign-in";

/** Maximum characters of an agent's output or response in the log. */
const LOGGED_CHARACTERS = 2_000;

/** `cause`: the reason, for the log. */
export function troubleOf(error: unknown): { readonly trouble: Trouble; readonly cause: string | undefined } {
  const reason: Closed = error instanceof Error || isClosed(error) ? error : { message: String(error) };
  const known = error instanceof AgentError ? error : undefined,
    restarts = known !== undefined && RESTARTS.has(known.code);
  const lastWords = typeof reason.cause === "string" ? redactText(reason.cause, LOGGED_CHARACTERS) : undefined;
  return {
    trouble: {
      text: redactText(restarts ? known.what : reason.message),
      actions: actionsFor(known?.code),
      ...(restarts ? { restarts } : {}),
      ...(known?.readUntil === undefined ? {} : { readUntil: known.readUntil }),
      ...(lastWords === undefined ? {} : { detail: lastWords }),
      ...(wantsSignIn(error) || isSignedOut(error) ? { needsUser: true } : {}),
    },
    cause: describe(reason.cause),
  };
}

function actionsFor(code: AgentErrorCode | undefined): readonly ActionId[] {
  switch (code) {
    case "notFound":
    case "unsupported":
    case "authRequired":
      return ["selectAgent", "showLogs"];
    default:
      return ["restartAgent", "showLogs"];
  }
}

/** Codes after which the agent restarts. The session adds when that happens. */
const RESTARTS: ReadonlySet<AgentErrorCode> = new Set(["exited", "extension", "restarted"]);

/** A restart without a prompt would only ask the user to sign in again. */
function isSignedOut(error: unknown): boolean {
  return error instanceof AgentError && error.code === "signedOut";
}

function isClosed(value: unknown): value is Closed {
  return typeof objectOr(value).message === "string";
}

function describe(cause: unknown): string | undefined {
  return cause === undefined ? undefined : readable(cause instanceof Error ? cause.message : cause, LOGGED_CHARACTERS);
}
