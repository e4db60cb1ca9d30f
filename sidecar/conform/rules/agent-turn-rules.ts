/** Rules for agents: prompts, session updates, the end of a turn, cancellation. */
import { redactText } from "../../../src/protocol/redaction/redact";
import {
  agentCapabilities,
  calls,
  errorCode,
  exchanges,
  idKey,
  isSuccess,
  isSupported,
  isWithdrawn,
  messagesOf,
  openings,
  paramsOf,
  resultOf,
  turns,
  updates,
  type Exchange,
  type Turn,
  type Update,
} from "../conversation";
import { fail, judgeConversations, judgeEach, notApplicable, notSeen, PASS, type Rule, type Verdict } from "../rule";
import type { Conversation } from "../recording";
import { customMembers, isKnownUpdate, methodSchemas, schemaProblem, updateProblem, type Version } from "../schema";
import { arrayOr, objectOr, stringOr } from "../../rpc/json";
import { AUTH_REQUIRED, UNKNOWN_SESSION, judgeExchanges } from "./agent-initialize-rules";
import { both, missingResponse, ownMethodsRule } from "./wire-rules";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, UPDATE_KINDS } from "../../acp/methods";

const TURN: Readonly<Record<Version, string>> = { 1: "protocol/v1/prompt-turn", 2: "protocol/v2/prompt-lifecycle" };
function turn(anchor: string): Readonly<Record<Version, string>> {
  return { 1: `${TURN[1]}#${anchor}`, 2: `${TURN[2]}#${anchor}` };
}

/** Time in milliseconds after a cancellation during which a turn may end by itself. */
const RACE_MS = 1000;
/** Updates that belong to a turn. Other updates are allowed at any time. */
const TURN_UPDATES: ReadonlySet<string> = new Set([
  UPDATE_KINDS.agent_message_chunk,
  UPDATE_KINDS.agent_thought_chunk,
  UPDATE_KINDS.tool_call,
  UPDATE_KINDS.tool_call_update,
  UPDATE_KINDS.plan,
]);

export const AGENT_TURN_RULES: readonly Rule[] = [
  {
    id: "agent/prompt",
    title: "Responds to a prompt with a valid result",
    program: "agent",
    section: { 1: turn("4-check-for-completion")[1], 2: turn("2-prompt-accepted")[2] },
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_prompt],
        (prompt, conversation) => {
          if (isForUnknownSession(prompt)) return notSeen("No prompt was sent.");
          if (!prompt.response && isWithdrawn(conversation, prompt)) return notSeen("The prompt was cancelled.");
          if (!prompt.response) return missingResponse(conversation, prompt);
          if (!isSuccess(prompt)) return refused(prompt);
          const problem = schemaProblem(input.version, "PromptResponse", prompt.response.message.result);
          return problem === undefined ? PASS : fail(problem, prompt.response);
        },
        "No prompt was sent.",
      ),
  },
  {
    id: "agent/resource-link",
    title: "Accepts a resource link in a prompt",
    program: "agent",
    section: {
      1: "protocol/v1/initialization#prompt-capabilities",
      2: "protocol/v2/initialization#session-prompt-capabilities",
    },
    severity: "must",
    judge: input => judgeConversations(input, conversation => acceptsContent(conversation, "resource_link")),
  },
  {
    id: "agent/embedded-context",
    title: "Accepts an embedded resource in a prompt if it advertises embeddedContext",
    program: "agent",
    section: {
      1: "protocol/v1/initialization#prompt-capabilities",
      2: "protocol/v2/initialization#session-prompt-capabilities",
    },
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const capabilities = agentCapabilities(conversation),
          session = objectOr(capabilities.session);
        const { embeddedContext } = objectOr(input.version === 1 ? capabilities.promptCapabilities : session.prompt);
        if (!isSupported(embeddedContext)) return notApplicable("The agent does not advertise embeddedContext.");
        return acceptsContent(conversation, "resource");
      }),
  },
  {
    id: "agent/updates-valid",
    title: "Sends valid session updates",
    program: "agent",
    section: turn("3-agent-reports-output"),
    severity: "must",
    judge: ({ version, conversations }) =>
      judgeUpdates(conversations, update => {
        const problem =
          updateProblem(version, update.update) ??
          (isKnownUpdate(version, update.type)
            ? schemaProblem(version, notificationOf(version), paramsOf(update))
            : undefined);
        return problem === undefined ? PASS : fail(problem, update);
      }),
  },
  {
    id: "agent/updates-known",
    title: "Sends session updates of the specification, or ones that start with an underscore",
    program: "agent",
    section: both("extensibility"),
    severity: "must",
    judge: ({ version, conversations }) =>
      judgeUpdates(conversations, update =>
        isKnownUpdate(version, update.type) || update.type.startsWith("_") || update.type === ""
          ? PASS
          : fail(`The specification does not define "${update.type}".`, update),
      ),
  },
  {
    id: "agent/sessions-known",
    title: "Sends updates and requests only for sessions that are open",
    program: "agent",
    section: both("session-setup#session-id"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const named = calls(conversation, "fromProgram").filter(call => typeof paramsOf(call).sessionId === "string");
        return judgeEach(
          named,
          call => {
            const id = paramsOf(call).sessionId;
            return knownSessions(conversation, call.order).has(stringOr(id, ""))
              ? PASS
              : fail(`No session has the id ${idKey(id)}.`, call);
          },
          notSeen("The agent named no session."),
        );
      }),
  },
  {
    id: "agent/updates-in-turn",
    title: "Sends all updates of a turn before the response to the prompt",
    program: "agent",
    section: { 1: turn("4-check-for-completion")[1] },
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const all = turns(conversation);
        return judgeEach(
          updates(conversation, "fromProgram").filter(({ type }) => TURN_UPDATES.has(type)),
          update => {
            const last = all.findLast(
              item => item.sessionId === update.sessionId && item.prompt.request.order < update.order,
            );
            const isLoading = exchanges(conversation, "toProgram", AGENT_METHODS.session_load).some(
              ({ request, response }) =>
                request.order < update.order && (response === undefined || update.order < response.order),
            );
            if (isLoading || !last || !last.end || update.order < last.end.order) return PASS;
            return fail("The update was sent after the turn had ended.", update);
          },
          notSeen("The agent sent no update of a turn."),
        );
      }),
  },
  {
    id: "agent/user-message",
    title: "Reports the accepted prompt as a user message with the id of the response",
    program: "agent",
    section: { 2: turn("2-prompt-accepted")[2] },
    severity: "must",
    judge: input =>
      judgeTurns(input.conversations, ({ prompt, updates }) => {
        if (!isSuccess(prompt)) return notSeen("No prompt was accepted.");
        const { messageId } = resultOf(prompt),
          isReported = updates.some(
            ({ type, update }) =>
              (type === UPDATE_KINDS.user_message || type === UPDATE_KINDS.user_message_chunk) &&
              update.messageId === messageId,
          );
        return isReported ? PASS : fail(`No user message has the id ${idKey(messageId)}.`, prompt.response);
      }),
  },
  {
    id: "agent/turn-state",
    title: "Reports that it runs, and then that it is idle with a stop reason",
    program: "agent",
    section: { 2: turn("4-report-completion")[2] },
    severity: "must",
    judge: input =>
      judgeTurns(input.conversations, ({ prompt, updates, end, stopReason }) => {
        if (!isSuccess(prompt)) return notSeen("No prompt was accepted.");
        if (!end) return fail("The agent did not report idle.", prompt.request);
        const isActive = updates.some(
          ({ type, update }) =>
            type === UPDATE_KINDS.state_update && (update.state === "running" || update.state === "requires_action"),
        );
        if (!isActive) return fail("The agent did not report running.", end);
        return typeof stopReason === "string" ? PASS : fail("The idle update has no stop reason.", end);
      }),
  },
  {
    id: "agent/cancel",
    title: "Ends a cancelled turn with the stop reason cancelled",
    program: "agent",
    section: turn("cancellation"),
    severity: "must",
    judge: input => judgeTurns(input.conversations, cancelled),
  },
  {
    id: "agent/cancel-request",
    title: "Responds to a request that was cancelled with $/cancel_request",
    program: "agent",
    section: both("cancellation#-cancel_request-notification"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          calls(conversation, "toProgram", PROTOCOL_METHODS.cancel_request),
          cancel => {
            const key = idKey(paramsOf(cancel).requestId);
            const exchange = exchanges(conversation, "toProgram").find(
              ({ request }) => idKey(request.message.id) === key,
            );
            if (!exchange) return notSeen("No request was cancelled.");
            if (!exchange.response) return missingResponse(conversation, exchange);
            return PASS;
          },
          notSeen("No request was cancelled."),
        ),
      ),
  },
  ownMethodsRule("agent", "client"),
  {
    id: "agent/custom-members",
    title: "Adds custom members to types of the specification only in _meta",
    program: "agent",
    section: both("extensibility#the-_meta-field"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        const results = exchanges(conversation, "toProgram").flatMap(({ request, response }) => {
          const result = methodSchemas(input.version, "agent", request.message.method)?.result;
          return result === undefined || !response
            ? []
            : [{ definition: result, value: response.message.result, located: response }];
        });
        const params = calls(conversation, "fromProgram").flatMap(call => {
          const definition = methodSchemas(input.version, "client", call.message.method)?.params;
          return definition === undefined ? [] : [{ definition, value: call.message.params, located: call }];
        });
        return judgeEach(
          [...results, ...params],
          ({ definition, value, located }) => {
            const [member] = value === undefined ? [] : customMembers(input.version, definition, value);
            return member === undefined ? PASS : fail(`"${member}" is not a member of ${definition}.`, located);
          },
          notSeen("The agent sent nothing that the specification defines."),
        );
      }),
  },
];

function notificationOf(version: Version): string {
  return methodSchemas(version, "client", CLIENT_METHODS.session_update)?.params ?? "";
}

/** A turn that ends within `RACE_MS` may have ended before the agent read the cancellation. */
function cancelled(turn: Turn, conversation: Conversation): Verdict {
  const { cancel, end, stopReason, prompt } = turn;
  if (!cancel || isClosed(turn, conversation)) return notSeen("No turn was cancelled while it ran.");
  if (!end)
    return prompt.response && !isSuccess(prompt)
      ? fail("The agent returned an error.", prompt.response)
      : missingResponse(conversation, prompt);
  if (stopReason === "cancelled") return PASS;
  if (!isSuccess(prompt)) return fail("The agent returned an error.", prompt.response);
  if (end.at - cancel.at <= RACE_MS) return notSeen("The turn ended by itself.");
  return fail(`The stop reason is ${idKey(stopReason)}.`, end);
}

/** Whether the session was closed during the turn. `agent/close-cancels` judges such a turn. */
function isClosed({ sessionId, prompt, end }: Turn, conversation: Conversation): boolean {
  return calls(conversation, "toProgram", AGENT_METHODS.session_close).some(
    close =>
      paramsOf(close).sessionId === sessionId &&
      close.order > prompt.request.order &&
      close.order < (end?.order ?? Infinity),
  );
}

function isForUnknownSession({ request }: Exchange): boolean {
  return paramsOf(request).sessionId === UNKNOWN_SESSION;
}

/** A prompt may fail for reasons outside the protocol, such as a missing account or model. */
function refused(prompt: Exchange): Verdict {
  const code = errorCode(prompt),
    { message } = objectOr(prompt.response?.message.error);
  if (code === AUTH_REQUIRED) return notSeen("The agent requires authentication (--auth).");
  return notSeen(`The agent returned the error ${String(code)}: ${redactText(stringOr(message, ""), 200)}`);
}

/** Passes if a prompt with such a block succeeds. Requires a successful text-only prompt. */
function acceptsContent(conversation: Conversation, type: string): Verdict {
  const prompts = exchanges(conversation, "toProgram", AGENT_METHODS.session_prompt).filter(
    prompt => !isForUnknownSession(prompt),
  );
  const types = (prompt: Exchange): readonly unknown[] =>
    arrayOr(paramsOf(prompt.request).prompt).map(block => objectOr(block).type);
  const plain = prompts.find(prompt => types(prompt).every(each => each === "text"));
  const rich = prompts.find(prompt => types(prompt).includes(type));
  if (!plain || !rich) return notSeen(`No prompt had a block of type ${type}.`);
  if (!isSuccess(plain)) return refused(plain);
  if (!rich.response) return missingResponse(conversation, rich);
  return isSuccess(rich) ? PASS : fail("The agent returned an error.", rich.response);
}

/** Ids of sessions that are open or being opened at this position. */
function knownSessions(conversation: Conversation, order: number): ReadonlySet<string> {
  const opened = openings(conversation).filter(({ exchange }) => exchange.request.order < order);
  const requested = opened.map(({ exchange }) => paramsOf(exchange.request).sessionId);
  const reported = messagesOf(conversation)
    .filter(located => located.order < order && located.direction === "fromProgram")
    .flatMap(({ message }) => ("params" in message ? subagents(message.params) : []));
  return new Set(
    [...opened.map(({ sessionId }) => sessionId), ...requested, ...reported].filter(id => typeof id === "string"),
  );
}

/** Session ids that an agent announces for its subagents. Unstable. */
function subagents(params: unknown): readonly unknown[] {
  const update = objectOr(objectOr(params).update);
  return stringOr(update.sessionUpdate, "").includes("subagent") ? [update.sessionId, update.childSessionId] : [];
}

function judgeUpdates(conversations: readonly Conversation[], judge: (update: Update) => Verdict): Verdict {
  return judgeEach(
    conversations.flatMap(conversation => updates(conversation, "fromProgram")),
    judge,
    notSeen("The agent sent no update."),
  );
}

export function judgeTurns(
  conversations: readonly Conversation[],
  judge: (turn: Turn, conversation: Conversation) => Verdict,
): Verdict {
  const all = conversations.flatMap(conversation => turns(conversation).map(turn => ({ turn, conversation })));
  return judgeEach(
    all.filter(({ turn }) => !isForUnknownSession(turn.prompt)),
    ({ turn, conversation }) => judge(turn, conversation),
    notSeen("No prompt was sent."),
  );
}
