/** Rules for proxies: initialization, and unchanged forwarding in both directions. */
import { isDeepStrictEqual } from "node:util";
import {
  calls,
  exchanges,
  initializeOf,
  INITIALIZE,
  isSuccess,
  negotiated,
  paramsOf,
  resultOf,
  type CallMessage,
  type Exchange,
  type Located,
} from "../conversation";
import { ECHO, EXACT, FAIL, FAILURE, PERMISSION, NOTIFY, UPDATES, WAIT } from "../proxy-traffic";
import {
  fail,
  judgeConversations,
  judgeEach,
  notApplicable,
  notSeen,
  PASS,
  type Rule,
  type RuleInput,
  type Severity,
  type Verdict,
} from "../rule";
import type { Conversation, Direction } from "../recording";
import { schemaProblem, VERSIONS, type Version } from "../schema";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { exits } from "./agent-initialize-rules";
import { missingResponse } from "./wire-rules";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, PROXY_METHODS } from "../../acp/methods";

const RFD = "rfds/proxy-chains";
const ENVELOPE = /^_?proxy\/successor(\/(request|notification))?$/;

function section(anchor: string): Readonly<Record<Version, string>> {
  return { 1: `${RFD}#${anchor}`, 2: `${RFD}#${anchor}` };
}

/** Message between the proxy and its successor, without its envelope. */
interface Wrapped {
  readonly located: Located<CallMessage>;
  readonly method: string;
  readonly params: unknown;
}

function wrapped(conversation: Conversation, direction: Direction, method?: string): readonly Wrapped[] {
  return calls(conversation, direction)
    .filter(({ message }) => ENVELOPE.test(message.method))
    .flatMap(located => {
      const inner = paramsOf(located),
        name = stringOr(inner.method, "");
      return method === undefined || name === method ? [{ located, method: name, params: inner.params }] : [];
    });
}

/** Exchange of a wrapped request. `direction`: direction of the request. */
function wrappedExchange(conversation: Conversation, direction: Direction, method: string): Exchange | undefined {
  const [found] = wrapped(conversation, direction, method).filter(({ located }) => located.message.kind === "request");
  return found && exchanges(conversation, direction).find(({ request }) => request.order === found.located.order);
}

const INITIALIZATION = "proxy-initialization-protocol",
  MESSAGES = "message-reference";

function rule(
  id: string,
  title: string,
  anchor: string,
  severity: Severity,
  judge: (conversation: Conversation) => Verdict,
): Rule {
  return {
    id: `proxy/${id}`,
    title,
    program: "proxy",
    section: section(anchor),
    severity,
    judge: input => judgeConversations({ ...input, conversations: initialized(input) }, judge),
  };
}

/** Conversations that continue after `initialize`. */
function initialized({ conversations }: RuleInput): readonly Conversation[] {
  return conversations.filter(
    conversation => exchanges(conversation, "toProgram", AGENT_METHODS.session_new).length > 0,
  );
}

export const PROXY_RULES: readonly Rule[] = [
  {
    id: "proxy/initialize",
    title: "Can be initialized as a proxy",
    program: "proxy",
    section: section(INITIALIZATION),
    severity: "must",
    judgesNegotiation: true,
    judge: ({ version, all }) => {
      const own = all.filter(conversation => conversation.version === version);
      const tried = own.flatMap(conversation => {
        const exchange = initializeOf(conversation, "toProgram");
        return exchange ? [{ conversation, exchange }] : [];
      });
      const done = tried.find(({ exchange }) => isSuccess(exchange));
      const agreed = all.flatMap(conversation => negotiated(conversation, "toProgram") ?? []);
      if (!done && agreed.length > 0) return notApplicable(`The proxy does not support version ${version}.`);
      const [first] = tried;
      if (!done)
        return first ? missingOrError(first.conversation, first.exchange) : notSeen("initialize was not sent.");
      const accepted = negotiated(done.conversation, "toProgram");
      if (accepted !== undefined && accepted < version && VERSIONS.some(known => known === accepted))
        return notApplicable(`The proxy does not support version ${version}.`);
      if (accepted !== undefined && accepted !== version)
        return fail(`The proxy agreed on version ${accepted}.`, done.exchange.response);
      const problem = schemaProblem(version, "InitializeResponse", done.exchange.response?.message.result);
      return problem === undefined ? PASS : fail(problem, done.exchange.response);
    },
  },
  {
    id: "proxy/dialect",
    title: "Accepts proxy/initialize",
    program: "proxy",
    section: section(INITIALIZATION),
    severity: "should",
    judge: ({ conversations }) =>
      judgeEach(
        conversations.filter(({ scenario }) => scenario.startsWith("dialect-")),
        conversation => {
          const exchange = initializeOf(conversation, "toProgram");
          if (exchange?.request.message.method === PROXY_METHODS.proxy_initialize) return PASS;
          return fail(`The proxy accepts ${exchange?.request.message.method ?? "nothing"} only.`);
        },
        notSeen("The proxy was not initialized."),
      ),
  },
  {
    id: "proxy/other-dialect",
    title: "Responds to the initialize of another dialect",
    program: "proxy",
    section: section(INITIALIZATION),
    severity: "should",
    judgesNegotiation: true,
    judge: ({ version, all }) =>
      judgeEach(
        all.filter(
          conversation => conversation.version === version && conversation.scenario.startsWith("other-dialect"),
        ),
        conversation => {
          const [exchange] = exchanges(conversation, "toProgram", ...INITIALIZE);
          if (!exchange) return notSeen("No other dialect was tried.");
          return exchange.response ? PASS : missingResponse(conversation, exchange);
        },
        notSeen("No other dialect was tried."),
      ),
  },
  rule(
    "forwards-initialize",
    "Forwards initialize to its successor before it responds",
    INITIALIZATION,
    "must",
    conversation => {
      const own = initializeOf(conversation, "toProgram");
      const forwarded = wrapped(conversation, "fromProgram").filter(({ method }) =>
        INITIALIZE.some(known => known === method),
      );
      const wrong = forwarded.find(({ method }) => method !== AGENT_METHODS.initialize);
      if (wrong) return fail(`The proxy forwarded ${wrong.method}.`, wrong.located);
      const isBefore = forwarded.some(({ located }) => located.order < (own?.response?.order ?? Infinity));
      return isBefore ? PASS : fail("The proxy did not forward initialize.", own?.response);
    },
  ),
  rule("version", "Does not change the protocol version", INITIALIZATION, "must", conversation => {
    const own = initializeOf(conversation, "toProgram"),
      forwarded = wrappedExchange(conversation, "fromProgram", AGENT_METHODS.initialize);
    if (!own || !forwarded) return notSeen("initialize was not forwarded.");
    const requestedVersion = objectOr(paramsOf(forwarded.request).params).protocolVersion,
      agreed = resultOf(forwarded).protocolVersion;
    if (requestedVersion !== conversation.requested)
      return fail(`The proxy requested version ${String(requestedVersion)}.`, forwarded.request);
    return resultOf(own).protocolVersion === agreed ? PASS : fail("The proxy changed the version.", own.response);
  }),
  rule("envelopes", "Wraps messages for its successor in valid envelopes", MESSAGES, "must", conversation =>
    judgeEach(
      calls(conversation, "fromProgram").filter(({ message }) =>
        message.method.includes(PROXY_METHODS.proxy_successor),
      ),
      call => {
        const definition = call.message.kind === "request" ? "ProxySuccessorRequest" : "ProxySuccessorNotification";
        const problem = schemaProblem(conversation.version, definition, call.message.params);
        return problem === undefined ? PASS : fail(problem, call);
      },
      notSeen("The proxy forwarded nothing."),
    ),
  ),
  rule(
    "request-forwarded",
    "Forwards requests that it does not know, and their results",
    MESSAGES,
    "should",
    conversation => {
      const [exchange] = exchanges(conversation, "toProgram", ECHO),
        forwarded = wrappedExchange(conversation, "fromProgram", ECHO);
      if (!exchange) return notSeen("No unknown request was sent.");
      if (!forwarded) return fail("The request did not reach the successor.", exchange.request);
      return isSuccess(exchange) ? PASS : missingOrError(conversation, exchange);
    },
  ),
  rule(
    "request-returned",
    "Forwards requests of its successor that it does not know, and their results",
    MESSAGES,
    "should",
    conversation => {
      const exchange = wrappedExchange(conversation, "toProgram", ECHO),
        [forwarded] = exchanges(conversation, "fromProgram", ECHO);
      if (!exchange) return notSeen("No unknown request was sent.");
      if (!forwarded) return fail("The request did not reach the client.", exchange.request);
      return isSuccess(exchange) ? PASS : missingOrError(conversation, exchange);
    },
  ),
  rule(
    "notification-forwarded",
    "Forwards notifications that it does not know, in both directions",
    MESSAGES,
    "should",
    conversation => {
      const [down] = calls(conversation, "toProgram", NOTIFY),
        [up] = wrapped(conversation, "toProgram", NOTIFY);
      if (!down || !up) return notSeen("No unknown notification was sent.");
      if (wrapped(conversation, "fromProgram", NOTIFY).length === 0)
        return fail("It did not reach the successor.", down);
      return calls(conversation, "fromProgram", NOTIFY).length === 0
        ? fail("It did not reach the client.", up.located)
        : PASS;
    },
  ),
  rule("members", "Keeps unknown members and _meta of what it forwards", MESSAGES, "should", conversation => {
    const exact: unknown = JSON.parse(EXACT);
    return judgeEach(
      forwardedExact(conversation),
      ({ value, located }) => (isDeepStrictEqual(value, exact) ? PASS : fail("A member was changed.", located)),
      notSeen("Nothing was forwarded."),
    );
  }),
  rule("bytes", "Forwards what it does not know byte for byte", MESSAGES, "should", conversation =>
    judgeEach(
      forwardedExact(conversation),
      ({ value, located }) => {
        if (!isDeepStrictEqual(value, JSON.parse(EXACT))) return notSeen("The values were changed.");
        if (located.text.includes(EXACT)) return PASS;
        return fail("The same values were written differently, or a number lost its precision.", located);
      },
      notSeen("Nothing was forwarded."),
    ),
  ),
  rule("errors", "Returns errors of its successor unchanged", MESSAGES, "must", conversation => {
    const [exchange] = exchanges(conversation, "toProgram", FAIL),
      forwarded = wrappedExchange(conversation, "fromProgram", FAIL);
    if (!exchange || !forwarded) return notSeen("The request did not reach the successor.");
    if (!exchange.response) return missingResponse(conversation, exchange);
    return isDeepStrictEqual(exchange.response.message.error, FAILURE)
      ? PASS
      : fail("The error was changed.", exchange.response);
  }),
  rule(
    "order",
    "Keeps the order of updates, and sends the response to the prompt after them",
    "component-roles",
    "must",
    conversation => {
      const [prompt] = exchanges(conversation, "toProgram", AGENT_METHODS.session_prompt),
        sent = updateNumbers(wrappedUpdates(conversation));
      if (!prompt || sent.length === 0) return notSeen("The prompt did not reach the successor.");
      const received = calls(conversation, "fromProgram", CLIENT_METHODS.session_update).map(located => ({
        located,
        params: located.message.params,
      }));
      const numbers = updateNumbers(received);
      if (!isDeepStrictEqual(numbers, sent)) {
        return fail(
          `${2 * UPDATES} updates were sent. These arrived, in this order: ${numbers.join(" ").slice(0, 200)}.`,
        );
      }
      if (conversation.version === 2) return PASS;
      const last = received.at(-1)?.located;
      return last && prompt.response && prompt.response.order < last.order
        ? fail("The response came first.", prompt.response)
        : PASS;
    },
  ),
  rule("permission", "Forwards permission requests, and the answer", "component-roles", "must", conversation => {
    const exchange = wrappedExchange(conversation, "toProgram", CLIENT_METHODS.session_request_permission);
    const [shown] = exchanges(conversation, "fromProgram", CLIENT_METHODS.session_request_permission);
    if (!exchange) return notSeen("The prompt did not reach the successor.");
    if (!shown) return fail("The request did not reach the client.", exchange.request);
    if (!isDeepStrictEqual(paramsOf(shown.request).options, PERMISSION.options))
      return fail("The options were changed.", shown.request);
    return isDeepStrictEqual(resultOf(exchange), resultOf(shown))
      ? PASS
      : fail("The answer was changed.", exchange.response ?? exchange.request);
  }),
  rule("cancel", "Forwards session/cancel", "component-roles", "must", conversation => {
    const [cancel] = calls(conversation, "toProgram", AGENT_METHODS.session_cancel);
    if (!cancel) return notSeen("session/cancel was not sent.");
    return wrapped(conversation, "fromProgram", AGENT_METHODS.session_cancel).length > 0
      ? PASS
      : fail("It did not reach the successor.", cancel);
  }),
  rule(
    "cancel-request",
    "Cancels a forwarded request with the id that the request has on its own connection",
    MESSAGES,
    "must",
    conversation => {
      const forwarded = wrappedExchange(conversation, "fromProgram", WAIT),
        [exchange] = exchanges(conversation, "toProgram", WAIT);
      if (!forwarded || !exchange) return notSeen("The request did not reach the successor.");
      const direct = calls(conversation, "fromProgram", PROTOCOL_METHODS.cancel_request);
      const isOld = forwarded.request.message.method !== PROXY_METHODS.proxy_successor;
      const inside = wrapped(conversation, "fromProgram", PROTOCOL_METHODS.cancel_request).map(
        ({ located }) => located,
      );
      if (inside.length > 0 && !isOld) return fail("The cancellation was put into an envelope.", inside[0]);
      const ids = [...direct, ...inside].map(call => requestIdOf(paramsOf(call)));
      if (ids.length === 0) return fail("The cancellation did not reach the successor.", exchange.request);
      return ids.includes(forwarded.request.message.id)
        ? PASS
        : fail("The cancellation has another id.", direct[0] ?? inside[0]);
    },
  ),
  {
    id: "proxy/exit",
    title: "Exits after its stdin closes",
    program: "proxy",
    section: { 1: "protocol/v1/transports#stdio", 2: "protocol/v2/transports#stdio" },
    severity: "should",
    judge: input => judgeConversations(input, exits),
  },
];

function missingOrError(conversation: Conversation, exchange: Exchange): Verdict {
  if (!exchange.response) return missingResponse(conversation, exchange);
  return fail("The proxy returned an error.", exchange.response);
}

function requestIdOf(params: JsonObject): unknown {
  return params.requestId ?? objectOr(params.params).requestId;
}

/** All messages that carry the exact params or the exact result. */
function forwardedExact(conversation: Conversation): readonly { readonly value: unknown; readonly located: Located }[] {
  const down = wrapped(conversation, "fromProgram")
    .filter(({ method }) => method === ECHO || method === NOTIFY)
    .map(({ params, located }) => ({ value: params, located }));
  const up = calls(conversation, "fromProgram", ECHO, NOTIFY).map(located => ({
    value: located.message.params,
    located,
  }));
  const results = [
    ...exchanges(conversation, "toProgram", ECHO),
    wrappedExchange(conversation, "toProgram", ECHO),
  ].flatMap(exchange =>
    exchange?.response && isSuccess(exchange)
      ? [{ value: exchange.response.message.result, located: exchange.response }]
      : [],
  );
  return [...down, ...up, ...results];
}

function wrappedUpdates(conversation: Conversation): readonly Wrapped[] {
  return wrapped(conversation, "toProgram", CLIENT_METHODS.session_update);
}

/** Numbers in the texts of the kit's updates. */
function updateNumbers(updates: readonly { readonly params: unknown }[]): readonly string[] {
  return updates.flatMap(({ params }) => {
    const content = objectOr(objectOr(objectOr(params).update).content);
    return /^update (\d+)$/.exec(stringOr(content.text, ""))?.slice(1) ?? [];
  });
}
