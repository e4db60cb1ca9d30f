/** Rules for clients. The kit is the agent and advertises no optional capability. */
import {
  calls,
  errorCode,
  exchanges,
  isSuccess,
  messagesOf,
  openings,
  OPENING,
  paramsOf,
  resultOf,
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
import { customMembers, methodSchemas, schemaProblem } from "../schema";
import { arrayOr, isObject, objectOr } from "../../rpc/json";
import { CUSTOM_UPDATE, OPTION_IDS } from "../client-scenario";
import { isAbsolutePath } from "./paths";
import { both, missingResponse, ownMethodsRule } from "./wire-rules";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS } from "../../acp/methods";

/** Methods that a client may call without a capability. */
const BASELINE: Readonly<Record<1 | 2, ReadonlySet<string>>> = {
  1: new Set([
    AGENT_METHODS.initialize,
    AGENT_METHODS.session_new,
    AGENT_METHODS.session_prompt,
    AGENT_METHODS.session_cancel,
    PROTOCOL_METHODS.cancel_request,
  ]),
  2: new Set([
    AGENT_METHODS.initialize,
    AGENT_METHODS.session_new,
    AGENT_METHODS.session_prompt,
    AGENT_METHODS.session_cancel,
    PROTOCOL_METHODS.cancel_request,
    AGENT_METHODS.session_list,
    AGENT_METHODS.session_resume,
    AGENT_METHODS.session_close,
  ]),
};

export const CLIENT_RULES: readonly Rule[] = [
  {
    id: "client/initialize",
    title: "Initializes the connection before it sends anything else",
    program: "client",
    section: both("initialization"),
    severity: "must",
    judgesNegotiation: true,
    judge: ({ version, all }) =>
      judgeEach(
        all.filter(conversation => conversation.version === version),
        conversation => {
          const [first, second] = messagesOf(conversation).filter(
            ({ direction, message }) => direction === "fromProgram" && message.kind !== "response",
          );
          if (!first) return notSeen("The client sent nothing.");
          const { message } = first,
            initialize = exchanges(conversation, "fromProgram", AGENT_METHODS.initialize)[0];
          if (!initialize || message.kind === "response" || message.method !== AGENT_METHODS.initialize)
            return fail("initialize is not the first message.", first);
          const isEarly = second !== undefined && second.order < (initialize.response?.order ?? Infinity);
          return isEarly ? fail("The client did not wait for the response to initialize.", second) : PASS;
        },
        all.length > 0
          ? notApplicable(`The client does not request version ${version}.`)
          : notSeen("The client did not start the agent."),
      ),
  },
  {
    id: "client/info",
    title: "Provides its name and version",
    program: "client",
    section: { 1: "protocol/v1/initialization#implementation-information" },
    severity: "should",
    judge: input =>
      judgeRequests(input, [AGENT_METHODS.initialize], exchange => {
        const { name, version } = objectOr(paramsOf(exchange.request).clientInfo);
        const isGiven = [name, version].every(text => typeof text === "string" && text !== "");
        return isGiven ? PASS : fail(`"clientInfo" has no name and version.`, exchange.request);
      }),
  },
  {
    id: "client/requests-valid",
    title: "Sends valid requests and notifications",
    program: "client",
    section: both("schema"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          calls(conversation, "fromProgram"),
          call => {
            const definition = methodSchemas(input.version, "agent", call.message.method)?.params;
            const problem =
              definition === undefined ? undefined : schemaProblem(input.version, definition, call.message.params);
            return problem === undefined ? PASS : fail(problem, call);
          },
          notSeen("The client sent nothing."),
        ),
      ),
  },
  {
    id: "client/results-valid",
    title: "Returns valid results",
    program: "client",
    section: both("schema"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          exchanges(conversation, "toProgram"),
          exchange => {
            const definition = methodSchemas(input.version, "client", exchange.request.message.method)?.result;
            if (definition === undefined || !exchange.response || !isSuccess(exchange))
              return notSeen("The client returned no result.");
            const { result } = exchange.response.message,
              problem = schemaProblem(input.version, definition, isObject(result) ? result : {});
            return problem === undefined ? PASS : fail(problem, exchange.response);
          },
          notSeen("The agent requested nothing."),
        ),
      ),
  },
  {
    id: "client/sessions-known",
    title: "Names only sessions that the agent has opened",
    program: "client",
    section: both("session-setup#session-id"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        // session/resume may name a session of an earlier run.
        const named = calls(conversation, "fromProgram").filter(
          call => typeof paramsOf(call).sessionId === "string" && call.message.method !== AGENT_METHODS.session_resume,
        );
        return judgeEach(
          named,
          call => {
            const known = openings(conversation, "fromProgram").filter(
              ({ exchange }) => (exchange.response?.order ?? Infinity) < call.order,
            );
            const isKnown = known.some(({ sessionId }) => sessionId === paramsOf(call).sessionId);
            return isKnown ? PASS : fail("The agent has not returned this session id.", call);
          },
          notSeen("The client named no session."),
        );
      }),
  },
  {
    id: "client/absolute-paths",
    title: "Sends absolute paths as working directories",
    program: "client",
    section: both("session-setup#working-directory"),
    severity: "must",
    judge: input =>
      judgeRequests(input, OPENING, ({ request }) => {
        const { cwd, additionalDirectories } = paramsOf(request);
        const relative = [cwd, ...arrayOr(additionalDirectories)].find(
          path => typeof path === "string" && !isAbsolutePath(path),
        );
        return relative === undefined ? PASS : fail(`"${String(relative)}" is relative.`, request);
      }),
  },
  {
    id: "client/capabilities",
    title: "Calls only methods that the agent advertises",
    program: "client",
    section: both("initialization#agent-capabilities"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          calls(conversation, "fromProgram"),
          call => {
            const { method } = call.message,
              isDefined = methodSchemas(input.version, "agent", method) !== undefined;
            return !isDefined || BASELINE[input.version].has(method)
              ? PASS
              : fail(`The agent does not advertise ${method}.`, call);
          },
          notSeen("The client sent nothing."),
        ),
      ),
  },
  {
    id: "client/content",
    title: "Sends only content that the agent advertises",
    program: "client",
    section: { 1: "protocol/v1/prompt-turn#1-user-message", 2: "protocol/v2/prompt-lifecycle#1-user-message" },
    severity: "must",
    judge: input =>
      judgeRequests(input, [AGENT_METHODS.session_prompt], ({ request }) => {
        const second = arrayOr(paramsOf(request).prompt)
          .map(block => objectOr(block).type)
          .find(type => type !== "text" && type !== "resource_link");
        return second === undefined
          ? PASS
          : fail(`The agent does not advertise content of type ${String(second)}.`, request);
      }),
  },
  {
    id: "client/mcp-transports",
    title: "Sends only MCP servers with transports that the agent advertises",
    program: "client",
    section: both("session-setup#checking-transport-support"),
    severity: "must",
    judge: input =>
      judgeRequests(input, OPENING, ({ request }) => {
        const servers = arrayOr(paramsOf(request).mcpServers).map(objectOr),
          isStdio = (type: unknown): boolean => input.version === 1 && (type === undefined || type === "stdio");
        const second = servers.find(({ type }) => !isStdio(type));
        return second === undefined
          ? PASS
          : fail(`The agent does not advertise the transport ${String(second.type)}.`, request);
      }),
  },
  {
    id: "client/additional-directories",
    title: "Sends additional directories only if the agent advertises them",
    program: "client",
    section: both("session-setup#additional-workspace-roots"),
    severity: "must",
    judge: input =>
      judgeRequests(input, OPENING, ({ request }) =>
        arrayOr(paramsOf(request).additionalDirectories).length === 0
          ? PASS
          : fail("The agent does not advertise additionalDirectories.", request),
      ),
  },
  {
    id: "client/permission",
    title: "Selects an offered option, or cancels, when the agent requests permission",
    program: "client",
    section: both("tool-calls#requesting-permission"),
    severity: "must",
    judge: input =>
      judgeAgentRequests(input, CLIENT_METHODS.session_request_permission, (exchange, conversation) => {
        if (!exchange.response) return judgeMissingResponse(conversation, exchange);
        if (!isSuccess(exchange)) return fail("The client returned an error.", exchange.response);
        const { outcome, optionId } = objectOr(resultOf(exchange).outcome);
        if (outcome === "cancelled") return PASS;
        return OPTION_IDS.some(id => id === optionId)
          ? PASS
          : fail("The client selected no offered option.", exchange.response);
      }),
  },
  {
    id: "client/permission-cancelled",
    title: "Cancels open permission requests of a turn that it cancels",
    program: "client",
    section: { 1: "protocol/v1/prompt-turn#cancellation", 2: "protocol/v2/prompt-lifecycle#cancellation" },
    severity: "must",
    judge: input =>
      judgeAgentRequests(input, CLIENT_METHODS.session_request_permission, (exchange, conversation) => {
        const { request, response } = exchange,
          { sessionId } = paramsOf(request);
        const cancel = calls(conversation, "fromProgram", AGENT_METHODS.session_cancel).find(
          call => paramsOf(call).sessionId === sessionId && call.order > request.order,
        );
        if (!cancel) return notSeen("No turn was cancelled while a permission request was open.");
        // The response may precede the cancellation.
        if (objectOr(resultOf(exchange).outcome).outcome === "cancelled") return PASS;
        if (!response) return fail("The client did not respond.", request);
        const wasOpen = cancel.order < response.order;
        return wasOpen ? fail("The outcome is not cancelled.", response) : notSeen("The request was not open.");
      }),
  },
  {
    id: "client/fs",
    title: "Handles the file methods that it advertises",
    program: "client",
    section: { 1: "protocol/v1/file-system" },
    severity: "must",
    judge: input => judgeHandled(input, [CLIENT_METHODS.fs_read_text_file]),
  },
  {
    id: "client/terminal",
    title: "Handles the terminal methods that it advertises",
    program: "client",
    section: { 1: "protocol/v1/terminals" },
    severity: "must",
    judge: input =>
      judgeHandled(input, [
        CLIENT_METHODS.terminal_create,
        CLIENT_METHODS.terminal_output,
        CLIENT_METHODS.terminal_wait_for_exit,
        CLIENT_METHODS.terminal_release,
      ]),
  },
  {
    id: "client/custom-update",
    title: "Ignores session updates that it does not know",
    program: "client",
    section: both("extensibility"),
    severity: "should",
    judge: input =>
      judgeConversations(input, conversation =>
        judgeEach(
          updates(conversation, "toProgram").filter(({ type }) => type === CUSTOM_UPDATE),
          update => {
            const next = exchanges(conversation, "toProgram").find(({ request }) => request.order > update.order);
            if (!next) return notSeen("Nothing was sent after the update.");
            return next.response ? PASS : judgeMissingResponse(conversation, next);
          },
          notSeen("The client sent no prompt."),
        ),
      ),
  },
  ownMethodsRule("client", "agent"),
  {
    id: "client/custom-members",
    title: "Adds custom members to types of the specification only in _meta",
    program: "client",
    section: both("extensibility#the-_meta-field"),
    severity: "must",
    judge: input =>
      judgeConversations(input, conversation => {
        // initialize may contain members of both versions, because the version is not negotiated yet.
        const sent = calls(conversation, "fromProgram").filter(
          ({ message }) => message.method !== AGENT_METHODS.initialize,
        );
        return judgeEach(
          sent,
          call => {
            const definition = methodSchemas(input.version, "agent", call.message.method)?.params;
            const [member] =
              definition === undefined ? [] : customMembers(input.version, definition, call.message.params);
            return member === undefined ? PASS : fail(`"${member}" is not a member of ${definition ?? ""}.`, call);
          },
          notSeen("The client sent nothing."),
        );
      }),
  },
];

/** Judges requests of the client. */
function judgeRequests(input: RuleInput, methods: readonly string[], judge: (exchange: Exchange) => Verdict): Verdict {
  return judgeConversations(input, conversation =>
    judgeEach(
      exchanges(conversation, "fromProgram", ...methods),
      judge,
      notSeen(`The client did not send ${methods[0] ?? ""}.`),
    ),
  );
}

/** Judges requests of the kit's agent. */
function judgeAgentRequests(
  input: RuleInput,
  method: string,
  judge: (exchange: Exchange, conversation: Conversation) => Verdict,
): Verdict {
  return judgeConversations(input, conversation =>
    judgeEach(
      exchanges(conversation, "toProgram", method),
      exchange => judge(exchange, conversation),
      notSeen("The client sent no prompt."),
    ),
  );
}

/** Judges methods that the kit's agent calls only if the client advertises them. */
function judgeHandled(input: RuleInput, methods: readonly string[]): Verdict {
  return judgeConversations(input, conversation =>
    judgeEach(
      exchanges(conversation, "toProgram", ...methods),
      exchange => {
        if (!exchange.response) return judgeMissingResponse(conversation, exchange);
        return errorCode(exchange) === -32601 ? fail("The client does not have the method.", exchange.response) : PASS;
      },
      notApplicable("The client does not advertise the capability, or sent no prompt."),
    ),
  );
}

/** A client may close the connection before it responds, but must not let the request time out. */
function judgeMissingResponse(conversation: Conversation, exchange: Exchange): Verdict {
  const verdict = missingResponse(conversation, exchange);
  const isExpired = conversation.events.some(
    event => event.kind === "noResponse" && event.id === exchange.request.message.id,
  );
  return isExpired ? verdict : notSeen("The client closed the connection before it responded.");
}
