/** What went wrong with an agent, for the person who reads it and for the log. */
import type { ActionId } from "../../src/protocol/chat";
import { AgentError, type AgentErrorCode } from "../errors";
import type { Closed } from "../rpc/channel";
import { objectOr, readable } from "../rpc/json";
import type { Trouble } from "./session-model";
import { wantsSignIn } from "./sign-in";

/** Of what an agent answered, in the log. */
const LOGGED_CHARACTERS = 2_000;

/** `cause` is what made it so, for the log. */
export function troubleOf(error: unknown): { readonly trouble: Trouble; readonly cause: string | undefined } {
  const reason: Closed = error instanceof Error || isClosed(error) ? error : { message: String(error) };
  const lastWords = typeof reason.cause === "string" ? readable(reason.cause, LOGGED_CHARACTERS) : undefined;
  return {
    trouble: {
      text: reason.message, actions: actionsFor(error instanceof AgentError ? error.code : undefined),
      ...(lastWords === undefined ? {} : { detail: lastWords }), ...(wantsSignIn(error) ? { needsUser: true } : {}),
    },
    cause: describe(reason.cause),
  };
}

function actionsFor(code: AgentErrorCode | undefined): readonly ActionId[] {
  switch (code) {
    case "notFound": case "unsupported": case "authRequired": return ["selectAgent", "showLogs"];
    default: return ["restartAgent", "showLogs"];
  }
}

function isClosed(value: unknown): value is Closed { return typeof objectOr(value).message === "string"; }

function describe(cause: unknown): string | undefined {
  return cause === undefined ? undefined : readable(cause instanceof Error ? cause.message : cause, LOGGED_CHARACTERS);
}
