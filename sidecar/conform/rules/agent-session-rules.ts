/** Rules for agents: optional session methods, modes and config options. */
import {
  agentCapabilities,
  configOptionsIn,
  errorCode,
  exchanges,
  idKey,
  isSuccess,
  isSupported,
  openings,
  paramsOf,
  resultOf,
  turns,
  updates,
  type Exchange,
} from "../conversation";
import {
  fail,
  judgeConversations,
  judgeEach,
  notApplicable,
  notSeen,
  PASS,
  type Rule,
  type RuleInput,
  type Verdict,
} from "../rule";
import type { Conversation } from "../recording";
import { schemaProblem, type Version } from "../schema";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { judgeExchanges, successful, validResult } from "./agent-initialize-rules";
import { both, missingResponse } from "./wire-rules";
import { AGENT_METHODS, UPDATE_KINDS } from "../../acp/methods";

/** Invalid cursor that the kit sends and that no agent has issued. */
export const INVALID_CURSOR = "symposium-conform-invalid-cursor";
/** Id that the kit sends to `session/delete`. */
export const DELETED_SESSION = "symposium-conform-deleted-session";
/** Update types that only a replay or a turn sends. */
const HISTORY: ReadonlySet<string> = new Set([
  UPDATE_KINDS.user_message_chunk,
  UPDATE_KINDS.agent_message_chunk,
  UPDATE_KINDS.user_message,
  UPDATE_KINDS.agent_message,
]);

type Optional =
  | typeof AGENT_METHODS.session_load
  | typeof AGENT_METHODS.session_resume
  | typeof AGENT_METHODS.session_list
  | typeof AGENT_METHODS.session_close
  | typeof AGENT_METHODS.session_delete
  | typeof AGENT_METHODS.session_fork;

/** In v2 the capability `session` includes new, list, resume and close. */
export function supportsMethod(version: Version, capabilities: JsonObject, method: Optional): boolean {
  const name = method.slice("session/".length);
  if (version === 1)
    return isSupported(
      name === "load" ? capabilities.loadSession || undefined : objectOr(capabilities.sessionCapabilities)[name],
    );
  if (method === AGENT_METHODS.session_load) return false;
  const isBaseline = name === "resume" || name === "list" || name === "close";
  return isSupported(capabilities.session) && (isBaseline || isSupported(objectOr(capabilities.session)[name]));
}

export const AGENT_SESSION_RULES: readonly Rule[] = [
  {
    id: "agent/unadvertised",
    title: "Rejects session methods that it does not advertise",
    program: "agent",
    section: { 1: "protocol/v1/initialization#session-capabilities" },
    severity: "should",
    judge: input =>
      judgeExchanges(
        input,
        [
          AGENT_METHODS.session_list,
          AGENT_METHODS.session_resume,
          AGENT_METHODS.session_load,
          AGENT_METHODS.session_close,
        ],
        (exchange, conversation) => {
          const method = exchange.request.message.method as Optional;
          if (supportsMethod(input.version, agentCapabilities(conversation), method))
            return notSeen("All session methods are advertised.");
          if (!exchange.response) return missingResponse(conversation, exchange);
          return isSuccess(exchange) ? fail(`The agent accepted ${method}.`, exchange.response) : PASS;
        },
        "All session methods are advertised.",
      ),
  },
  {
    id: "agent/load",
    title: "Loads a session that it has opened before",
    program: "agent",
    section: { 1: "protocol/v1/session-setup#loading-sessions" },
    severity: "must",
    judge: input => reopened(input, AGENT_METHODS.session_load, "LoadSessionResponse"),
  },
  {
    id: "agent/load-replay",
    title: "Replays the conversation before it responds to session/load",
    program: "agent",
    section: { 1: "protocol/v1/session-setup#loading-a-session" },
    severity: "must",
    judge: input => replay(input, AGENT_METHODS.session_load, () => true),
  },
  {
    id: "agent/resume",
    title: "Resumes a session that it has opened before",
    program: "agent",
    section: both("session-setup#resuming-sessions"),
    severity: "must",
    judge: input => reopened(input, AGENT_METHODS.session_resume, "ResumeSessionResponse"),
  },
  {
    id: "agent/resume-quiet",
    title: "Does not replay the conversation when it resumes a session",
    program: "agent",
    section: { 1: "protocol/v1/session-setup#resuming-a-session", 2: "protocol/v2/session-setup#resuming-sessions" },
    severity: "must",
    judge: input =>
      supported(input, AGENT_METHODS.session_resume, (exchange, conversation) => {
        if (objectOr(paramsOf(exchange.request).replayFrom).type !== undefined)
          return notSeen("No session was resumed.");
        if (!isSuccess(exchange)) return notSeen("No session was resumed.");
        const replayed = historyDuring(conversation, exchange)[0];
        return replayed ? fail("The agent replayed the conversation.", replayed) : PASS;
      }),
  },
  {
    id: "agent/resume-replay",
    title: "Replays the conversation when it resumes a session from its start",
    program: "agent",
    section: { 2: "protocol/v2/session-setup#resuming-sessions" },
    severity: "must",
    judge: input => replay(input, AGENT_METHODS.session_resume, params => objectOr(params.replayFrom).type === "start"),
  },
  {
    id: "agent/list",
    title: "Lists sessions",
    program: "agent",
    section: both("session-list#listing-sessions"),
    severity: "must",
    judge: input =>
      supported(input, AGENT_METHODS.session_list, (exchange, conversation) => {
        if (paramsOf(exchange.request).cursor !== undefined) return notSeen("The first page was not requested.");
        return validResult(input.version, "ListSessionsResponse", conversation, exchange);
      }),
  },
  {
    id: "agent/list-cursor",
    title: "Rejects an invalid cursor",
    program: "agent",
    section: both("session-list#pagination"),
    severity: "should",
    judge: input =>
      supported(input, AGENT_METHODS.session_list, exchange => {
        if (paramsOf(exchange.request).cursor !== INVALID_CURSOR || !exchange.response)
          return notSeen("No invalid cursor was sent.");
        return isSuccess(exchange) ? fail("The agent accepted the cursor.", exchange.response) : PASS;
      }),
  },
  {
    id: "agent/close",
    title: "Closes a session",
    program: "agent",
    section: both("session-setup#closing-active-sessions"),
    severity: "must",
    judge: input => optional(input, AGENT_METHODS.session_close, "CloseSessionResponse"),
  },
  {
    id: "agent/close-cancels",
    title: "Cancels the turn of a session that it closes",
    program: "agent",
    section: both("session-setup#closing-a-session"),
    severity: "must",
    judge: input =>
      supported(input, AGENT_METHODS.session_close, (exchange, conversation) => {
        const { sessionId } = paramsOf(exchange.request),
          { order, at } = exchange.request;
        const turn = turns(conversation).findLast(
          item =>
            item.sessionId === sessionId && item.prompt.request.order < order && order < (item.end?.order ?? Infinity),
        );
        if (!turn) return notSeen("No session was closed during a turn.");
        if (input.version === 2) return turn.prompt.response ? PASS : missingResponse(conversation, turn.prompt);
        if (!turn.prompt.response) return missingResponse(conversation, turn.prompt);
        if (!isSuccess(turn.prompt) || turn.stopReason === "cancelled") return PASS;
        const endedAt = turn.prompt.response.at;
        return endedAt - at <= RACE_MS
          ? notSeen("The turn ended by itself.")
          : fail("The turn was not cancelled.", turn.prompt.response);
      }),
  },
  {
    id: "agent/delete",
    title: "Succeeds when it deletes a session that does not exist",
    program: "agent",
    section: both("session-delete#semantics"),
    severity: "should",
    judge: input =>
      supported(input, AGENT_METHODS.session_delete, (exchange, conversation) => {
        if (!exchange.response) return missingResponse(conversation, exchange);
        const isNotFound = errorCode(exchange) === -32002;
        return isSuccess(exchange) || isNotFound ? PASS : fail("The agent returned an error.", exchange.response);
      }),
  },
  {
    id: "agent/fork",
    title: "Forks a session",
    program: "agent",
    section: { 1: "rfds/session-fork", 2: "rfds/session-fork" },
    severity: "must",
    judge: input => reopened(input, AGENT_METHODS.session_fork, "ForkSessionResponse"),
  },
  {
    id: "agent/modes-valid",
    title: "Offers modes with unique ids, one of which is current",
    program: "agent",
    section: { 1: "protocol/v1/session-modes#sessionmodestate" },
    severity: "must",
    judge: input =>
      judgeOpenings(input, ({ modes }) => {
        if (modes === undefined || modes === null) return "The agent offers no modes.";
        const { availableModes, currentModeId } = objectOr(modes),
          ids = arrayOr(availableModes).map(mode => objectOr(mode).id);
        if (new Set(ids).size < ids.length) return { why: "Two modes have the same id." };
        return ids.includes(currentModeId)
          ? undefined
          : { why: `The current mode ${idKey(currentModeId)} is not available.` };
      }),
  },
  {
    id: "agent/set-mode",
    title: "Accepts a mode that it offers",
    program: "agent",
    section: { 1: "protocol/v1/session-modes#from-the-client" },
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_set_mode],
        (exchange, conversation) => validResult(input.version, "SetSessionModeResponse", conversation, exchange),
        "The agent offers no modes.",
      ),
  },
  {
    id: "agent/config-values",
    title: "Offers config options whose current value is one of their values",
    program: "agent",
    section: both("session-config-options#default-values-and-graceful-degradation"),
    severity: "must",
    judge: input =>
      judgeOpenings(input, result => {
        const options = configOptionsIn(result);
        if (options.length === 0) return "The agent offers no config options.";
        const wrong = options.find(
          option => option.type === "select" && !valuesOf(option).includes(option.currentValue),
        );
        return wrong && { why: `The value of ${idKey(wrong.id ?? wrong.configId)} is not one of its values.` };
      }),
  },
  {
    id: "agent/config-option",
    title: "Returns all config options when one is set",
    program: "agent",
    section: both("session-config-options#from-the-client"),
    severity: "must",
    judge: input =>
      judgeExchanges(
        input,
        [AGENT_METHODS.session_set_config_option],
        (exchange, conversation) => {
          const verdict = successful(conversation, exchange);
          if (verdict.kind !== "pass" || !exchange.response) return verdict;
          const problem = schemaProblem(
            input.version,
            "SetSessionConfigOptionResponse",
            exchange.response.message.result,
          );
          if (problem !== undefined) return fail(problem, exchange.response);
          const { configId } = paramsOf(exchange.request);
          const ids = configOptionsIn(resultOf(exchange)).map(option => option.id ?? option.configId);
          return ids.includes(configId) ? PASS : fail(`The option ${idKey(configId)} is missing.`, exchange.response);
        },
        "The agent offers no config options.",
      ),
  },
];

const RACE_MS = 1000;

/** Values of a select option, which can be grouped. */
function valuesOf(option: JsonObject): readonly unknown[] {
  const entries = arrayOr(option.options).map(objectOr);
  return [...entries, ...entries.flatMap(({ options }) => arrayOr(options).map(objectOr))].map(({ value }) => value);
}

/** Judges the exchanges of a method in conversations whose agent advertises it. */
function supported(
  input: RuleInput,
  method: Optional,
  judge: (exchange: Exchange, conversation: Conversation) => Verdict,
): Verdict {
  return judgeConversations(input, conversation => {
    const isAdvertised = supportsMethod(input.version, agentCapabilities(conversation), method);
    if (!isAdvertised) return notApplicable(`The agent does not advertise ${method}.`);
    return judgeEach(
      exchanges(conversation, "toProgram", method),
      exchange => judge(exchange, conversation),
      notSeen(`${method} was not sent.`),
    );
  });
}

function optional(input: RuleInput, method: Optional, definition: string): Verdict {
  return supported(input, method, (exchange, conversation) =>
    validResult(input.version, definition, conversation, exchange),
  );
}

/**
 * Tolerates a failure without a completed turn: an agent may store a session only after its first turn, and a turn may
 * require an account.
 */
function reopened(input: RuleInput, method: Optional, definition: string): Verdict {
  const stored = sessionsWithTurn(input);
  return supported(input, method, (exchange, conversation) => {
    const isStored = stored.has(String(paramsOf(exchange.request).sessionId));
    if (exchange.response && !isSuccess(exchange) && !isStored) return notSeen("No session had a completed turn.");
    return validResult(input.version, definition, conversation, exchange);
  });
}

function sessionsWithTurn({ conversations }: RuleInput): ReadonlySet<string> {
  return new Set(
    conversations.flatMap(conversation =>
      turns(conversation)
        .filter(({ end, prompt }) => end && isSuccess(prompt))
        .map(({ sessionId }) => sessionId),
    ),
  );
}

function historyDuring(conversation: Conversation, { request, response }: Exchange) {
  const { sessionId } = paramsOf(request),
    until = response?.order ?? Infinity;
  return updates(conversation, "fromProgram").filter(
    update =>
      update.order > request.order &&
      update.order < until &&
      update.sessionId === sessionId &&
      HISTORY.has(update.type),
  );
}

/** Judges only sessions with a completed turn, which have messages to replay. */
function replay(input: RuleInput, method: Optional, replays: (params: JsonObject) => boolean): Verdict {
  const hadTurn = sessionsWithTurn(input);
  return supported(input, method, (exchange, conversation) => {
    const { sessionId } = paramsOf(exchange.request);
    const isJudged = isSuccess(exchange) && hadTurn.has(String(sessionId)) && replays(paramsOf(exchange.request));
    if (!isJudged || !exchange.response) return notSeen("No session with a conversation was opened again.");
    if (historyDuring(conversation, exchange).length > 0) return PASS;
    return fail("The agent sent no message of the conversation before the response.", exchange.response);
  });
}

/** `judge` returns a string if the rule does not apply, and `{why}` if it fails. */
function judgeOpenings(
  input: RuleInput,
  judge: (result: JsonObject) => string | { readonly why: string } | undefined,
): Verdict {
  return judgeConversations(input, conversation =>
    judgeEach(
      openings(conversation),
      ({ exchange }) => {
        if (!isSuccess(exchange)) return notSeen("No session was opened.");
        const found = judge(resultOf(exchange));
        if (typeof found === "string") return notApplicable(found);
        return found ? fail(found.why, exchange.response) : PASS;
      },
      notSeen("No session was opened."),
    ),
  );
}
