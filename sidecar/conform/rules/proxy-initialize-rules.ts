/** Rules for proxies about initialization. */
import { isDeepStrictEqual } from "node:util";
import { AGENT_METHODS, PROXY_METHODS } from "../../acp/methods";
import { objectOr } from "../../rpc/json";
import { exchanges, initializeOf, INITIALIZE, isSuccess, negotiated, paramsOf, resultOf } from "../conversation";
import { CONFORM_META, MARK } from "../proxy-traffic";
import { fail, judgeEach, notApplicable, notSeen, PASS, type Rule } from "../rule";
import { schemaProblem, VERSIONS } from "../schema";
import { INITIALIZATION, missingOrError, proxyRule, wrapped, wrappedExchange } from "./proxy-messages";
import { missingResponse } from "./wire-rules";

export const PROXY_INITIALIZE_RULES: readonly Rule[] = [
  {
    id: "proxy/initialize",
    title: "Can be initialized as a proxy",
    program: "proxy",
    section: INITIALIZATION,
    severity: "must",
    remedy: "Answer proxy/initialize with the result of initialize of your successor.",
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
    section: INITIALIZATION,
    severity: "should",
    remedy: "Accept proxy/initialize, and use proxy/successor. The spellings with an underscore are older drafts.",
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
    section: INITIALIZATION,
    severity: "should",
    remedy: "Return the error -32601 for an initialize of another dialect. A conductor then tries the next one.",
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
  proxyRule({
    id: "forwards-initialize",
    title: "Forwards initialize to its successor before it responds",
    section: INITIALIZATION,
    severity: "must",
    remedy: "Send initialize to your successor through proxy/successor, and answer after its response.",
    judge: conversation => {
      const own = initializeOf(conversation, "toProgram");
      const forwarded = wrapped(conversation, "fromProgram").filter(({ method }) =>
        INITIALIZE.some(known => known === method),
      );
      const wrong = forwarded.find(({ method }) => method !== AGENT_METHODS.initialize);
      if (wrong) return fail(`The proxy forwarded ${wrong.method}.`, wrong.located);
      const isBefore = forwarded.some(({ located }) => located.order < (own?.response?.order ?? Infinity));
      return isBefore ? PASS : fail("The proxy did not forward initialize.", own?.response);
    },
  }),
  proxyRule({
    id: "version",
    title: "Does not change the protocol version",
    section: INITIALIZATION,
    severity: "must",
    remedy: "Forward protocolVersion as you received it, and return the version of your successor's response.",
    judge: conversation => {
      const own = initializeOf(conversation, "toProgram"),
        forwarded = wrappedExchange(conversation, "fromProgram", AGENT_METHODS.initialize);
      if (!own || !forwarded) return notSeen("initialize was not forwarded.");
      const requestedVersion = objectOr(paramsOf(forwarded.request).params).protocolVersion,
        agreed = resultOf(forwarded).protocolVersion;
      if (requestedVersion !== conversation.requested)
        return fail(`The proxy requested version ${String(requestedVersion)}.`, forwarded.request);
      return resultOf(own).protocolVersion === agreed ? PASS : fail("The proxy changed the version.", own.response);
    },
  }),
  proxyRule({
    id: "capabilities",
    title: "Keeps _meta in the capabilities of the client and of its successor",
    section: INITIALIZATION,
    severity: "should",
    remedy: "Copy the capabilities with _meta, and change only the members that your proxy implements.",
    judge: conversation => {
      const own = initializeOf(conversation, "toProgram"),
        forwarded = wrappedExchange(conversation, "fromProgram", AGENT_METHODS.initialize);
      if (!own || !forwarded) return notSeen("initialize was not forwarded.");
      const isV1 = conversation.version === 1,
        isMarked = (capabilities: unknown): boolean =>
          isDeepStrictEqual(objectOr(objectOr(capabilities)._meta)[CONFORM_META], MARK);
      const { clientCapabilities, capabilities } = objectOr(paramsOf(forwarded.request).params);
      if (!isMarked(isV1 ? clientCapabilities : capabilities))
        return fail("The proxy changed _meta of the client's capabilities.", forwarded.request);
      const result = resultOf(own);
      return isMarked(isV1 ? result.agentCapabilities : result.capabilities)
        ? PASS
        : fail("The proxy changed _meta of its successor's capabilities.", own.response);
    },
  }),
];
