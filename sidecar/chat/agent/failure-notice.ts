/** The notice and the buttons that a chat session shows when its agent fails. */
import type { ActionId } from "../../../src/protocol/chat/chat";
import { redactText } from "../../../src/protocol/redaction/redact";
import { failureOf, requiresSignIn } from "../../agent-session/agent-failure";
import { InstallError } from "../../agents/install/store/install-error";
import { AgentError, type AgentErrorCode } from "../../errors";
import type { AgentFailure } from "../session-model";

/** `cause`: the reason, for the log. */
export function failureNotice(error: unknown): { readonly failure: AgentFailure; readonly cause: string | undefined } {
  const { message, output, cause } = failureOf(error),
    agentError = error instanceof AgentError ? error : undefined,
    restarts = agentError !== undefined && RESTARTS.has(agentError.code);
  return {
    failure: {
      text: restarts ? redactText(agentError.what) : message,
      actions: actionsFor(agentError?.code),
      ...(restarts ? { restarts } : {}),
      ...(agentError?.readUntil === undefined ? {} : { readUntil: agentError.readUntil }),
      ...(output === undefined ? {} : { detail: output }),
      ...(requiresSignIn(error) || isSignedOut(error) || isCancelled(error) ? { needsUser: true } : {}),
      ...(isCancelled(error) ? { actions: [], isCancelled: true } : {}),
    },
    cause,
  };
}

function isCancelled(error: unknown): boolean {
  return error instanceof InstallError && error.code === "cancelled";
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

/** Codes after which the agent restarts. The session appends the time of the restart to the text. */
const RESTARTS: ReadonlySet<AgentErrorCode> = new Set(["exited", "extension", "restarted"]);

/** A restart without a prompt would only ask the user to sign in again. */
function isSignedOut(error: unknown): boolean {
  return error instanceof AgentError && error.code === "signedOut";
}
