/** Rules for proxies about unchanged forwarding in both directions, and about the exit. */
import { isDeepStrictEqual } from "node:util";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, PROXY_METHODS } from "../../acp/methods";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { calls, exchanges, isSuccess, paramsOf, resultOf, type Located } from "../conversation";
import { ECHO, EXACT, FAIL, FAILURE, NOTIFY, PERMISSION, UPDATES, WAIT } from "../proxy-traffic";
import type { Conversation } from "../recording";
import { fail, judgeConversations, judgeEach, notSeen, PASS, type Rule } from "../rule";
import { schemaProblem } from "../schema";
import { exits } from "./agent-initialize-rules";
import { MESSAGES, missingOrError, proxyRule, ROLES, wrapped, wrappedExchange, type Wrapped } from "./proxy-messages";
import { both, missingResponse } from "./wire-rules";

export const PROXY_FORWARDING_RULES: readonly Rule[] = [
  proxyRule({
    id: "envelopes",
    title: "Wraps messages for its successor in valid envelopes",
    section: MESSAGES,
    severity: "must",
    remedy:
      "Send {method, params} as params of proxy/successor. Wrap a request in a request, a notification in a notification.",
    judge: conversation =>
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
  }),
  proxyRule({
    id: "request-forwarded",
    title: "Forwards requests that it does not know, and their results",
    section: MESSAGES,
    severity: "should",
    remedy: "Forward each request that you do not handle to your successor, and return its result.",
    judge: conversation => {
      const [exchange] = exchanges(conversation, "toProgram", ECHO),
        forwarded = wrappedExchange(conversation, "fromProgram", ECHO);
      if (!exchange) return notSeen("No unknown request was sent.");
      if (!forwarded) return fail("The request did not reach the successor.", exchange.request);
      return isSuccess(exchange) ? PASS : missingOrError(conversation, exchange);
    },
  }),
  proxyRule({
    id: "request-returned",
    title: "Forwards requests of its successor that it does not know, and their results",
    section: MESSAGES,
    severity: "should",
    remedy:
      "Send your successor's requests that you do not handle to the client without an envelope. Return the result.",
    judge: conversation => {
      const exchange = wrappedExchange(conversation, "toProgram", ECHO),
        [forwarded] = exchanges(conversation, "fromProgram", ECHO);
      if (!exchange) return notSeen("No unknown request was sent.");
      if (!forwarded) return fail("The request did not reach the client.", exchange.request);
      return isSuccess(exchange) ? PASS : missingOrError(conversation, exchange);
    },
  }),
  proxyRule({
    id: "notification-forwarded",
    title: "Forwards notifications that it does not know, in both directions",
    section: MESSAGES,
    severity: "should",
    remedy: "Forward each notification that you do not handle, in both directions.",
    judge: conversation => {
      const [down] = calls(conversation, "toProgram", NOTIFY),
        [up] = wrapped(conversation, "toProgram", NOTIFY);
      if (!down || !up) return notSeen("No unknown notification was sent.");
      if (wrapped(conversation, "fromProgram", NOTIFY).length === 0)
        return fail("It did not reach the successor.", down);
      return calls(conversation, "fromProgram", NOTIFY).length === 0
        ? fail("It did not reach the client.", up.located)
        : PASS;
    },
  }),
  proxyRule({
    id: "members",
    title: "Keeps unknown members and _meta of what it forwards",
    section: MESSAGES,
    severity: "should",
    remedy: "Forward the parsed JSON object. Do not rebuild it from the fields of your own types.",
    judge: conversation => {
      const exact: unknown = JSON.parse(EXACT);
      return judgeEach(
        forwardedExact(conversation),
        ({ value, located }) => (isDeepStrictEqual(value, exact) ? PASS : fail("A member was changed.", located)),
        notSeen("Nothing was forwarded."),
      );
    },
  }),
  proxyRule({
    id: "bytes",
    title: "Forwards what it does not know byte for byte",
    section: MESSAGES,
    severity: "should",
    remedy: "Copy params and results as text. Otherwise a parser with 64-bit floats changes large integers.",
    judge: conversation =>
      judgeEach(
        forwardedExact(conversation),
        ({ value, located }) => {
          if (!isDeepStrictEqual(value, JSON.parse(EXACT))) return notSeen("The values were changed.");
          if (located.text.includes(EXACT)) return PASS;
          return fail("The same values were written differently, or a number lost its precision.", located);
        },
        notSeen("Nothing was forwarded."),
      ),
  }),
  proxyRule({
    id: "errors",
    title: "Returns errors of its successor unchanged",
    section: MESSAGES,
    severity: "must",
    remedy: "Return code, message and data of the successor's error as you received them.",
    judge: conversation => {
      const [exchange] = exchanges(conversation, "toProgram", FAIL),
        forwarded = wrappedExchange(conversation, "fromProgram", FAIL);
      if (!exchange || !forwarded) return notSeen("The request did not reach the successor.");
      if (!exchange.response) return missingResponse(conversation, exchange);
      return isDeepStrictEqual(exchange.response.message.error, FAILURE)
        ? PASS
        : fail("The error was changed.", exchange.response);
    },
  }),
  proxyRule({
    id: "order",
    title: "Keeps the order of updates, and sends the response to the prompt after them",
    section: ROLES,
    severity: "must",
    remedy: "Handle the messages of each direction one after the other, with updates and responses in one queue.",
    judge: conversation => {
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
  }),
  proxyRule({
    id: "permission",
    title: "Forwards permission requests, and the answer",
    section: ROLES,
    severity: "must",
    remedy: "Forward session/request_permission with its options, and the response with its outcome.",
    judge: conversation => {
      const exchange = wrappedExchange(conversation, "toProgram", CLIENT_METHODS.session_request_permission);
      const [shown] = exchanges(conversation, "fromProgram", CLIENT_METHODS.session_request_permission);
      if (!exchange) return notSeen("The prompt did not reach the successor.");
      if (!shown) return fail("The request did not reach the client.", exchange.request);
      if (!isDeepStrictEqual(paramsOf(shown.request).options, PERMISSION.options))
        return fail("The options were changed.", shown.request);
      return isDeepStrictEqual(resultOf(exchange), resultOf(shown))
        ? PASS
        : fail("The answer was changed.", exchange.response ?? exchange.request);
    },
  }),
  proxyRule({
    id: "cancel",
    title: "Forwards session/cancel",
    section: ROLES,
    severity: "must",
    remedy: "Forward session/cancel to your successor, also while a prompt is open.",
    judge: conversation => {
      const [cancel] = calls(conversation, "toProgram", AGENT_METHODS.session_cancel);
      if (!cancel) return notSeen("session/cancel was not sent.");
      return wrapped(conversation, "fromProgram", AGENT_METHODS.session_cancel).length > 0
        ? PASS
        : fail("It did not reach the successor.", cancel);
    },
  }),
  proxyRule({
    id: "cancel-request",
    title: "Cancels a forwarded request with the id that the request has on its own connection",
    section: MESSAGES,
    severity: "must",
    remedy: "Send $/cancel_request to your successor without an envelope, with the id of your own request.",
    judge: conversation => {
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
  }),
  {
    id: "proxy/exit",
    title: "Exits after its stdin closes",
    program: "proxy",
    section: both("transports#stdio"),
    severity: "should",
    remedy: "End the process when stdin closes. Stop timers and child processes first.",
    judge: input => judgeConversations(input, exits),
  },
];

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
