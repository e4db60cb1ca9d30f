/**
 * Responses to the requests of an agent that the user answers: `session/request_permission` and `elicitation/create`
 * (ACP schema v1 and v2).
 */
import { CLIENT_METHODS } from "../acp/methods";
import type { ElicitationResponse, PermissionResponse } from "../acp/schema";
import type { JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";

/** The user selected no option. */
export const PERMISSION_CANCELLED: PermissionResponse = { outcome: { outcome: "cancelled" } };
/** The user did not answer the form. */
export const ELICITATION_CANCELLED: ElicitationResponse = { action: "cancel" };

export function selected(optionId: string): PermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}

/** Answers a request that the agent may have withdrawn in the meantime. */
export function answerRequest(request: IncomingRequest, response: JsonObject): void {
  if (request.signal.aborted) request.fail(new RpcError(RpcCode.requestCancelled, "The question was withdrawn."));
  else request.respond(response);
}

/** Answers a request that arrives too late to be shown. */
export function answerLate(request: IncomingRequest): void {
  switch (request.method) {
    case CLIENT_METHODS.session_request_permission:
      return answerRequest(request, PERMISSION_CANCELLED);
    case CLIENT_METHODS.elicitation_create:
      return answerRequest(request, ELICITATION_CANCELLED);
    default:
      return request.fail(new RpcError(RpcCode.requestCancelled, "The session was closed."));
  }
}
