/** The messages of a proxy without their envelopes, and the definition of its rules. */
import { AGENT_METHODS } from "../../acp/methods";
import { stringOr } from "../../rpc/json";
import { calls, exchanges, paramsOf, type CallMessage, type Exchange, type Located } from "../conversation";
import type { Conversation, Direction } from "../recording";
import { fail, judgeConversations, type Rule, type RuleInput, type Verdict } from "../rule";
import type { Version } from "../schema";
import { missingResponse } from "./wire-rules";

const ENVELOPE = /^_?proxy\/successor(\/(request|notification))?$/;

/** Section of the proposal for proxies. */
export function proxyChains(anchor: string): Readonly<Record<Version, string>> {
  return { 1: `rfds/proxy-chains#${anchor}`, 2: `rfds/proxy-chains#${anchor}` };
}

export const INITIALIZATION = proxyChains("proxy-initialization-protocol"),
  MESSAGES = proxyChains("message-reference"),
  ROLES = proxyChains("component-roles");

/** Message between the proxy and its successor, without its envelope. */
export interface Wrapped {
  readonly located: Located<CallMessage>;
  readonly method: string;
  readonly params: unknown;
}

export function wrapped(conversation: Conversation, direction: Direction, method?: string): readonly Wrapped[] {
  return calls(conversation, direction)
    .filter(({ message }) => ENVELOPE.test(message.method))
    .flatMap(located => {
      const inner = paramsOf(located),
        name = stringOr(inner.method, "");
      return method === undefined || name === method ? [{ located, method: name, params: inner.params }] : [];
    });
}

/** Exchanges of wrapped requests, in order. `direction`: direction of the request. */
export function wrappedExchanges(
  conversation: Conversation,
  direction: Direction,
  method: string,
): readonly (Wrapped & { readonly exchange: Exchange })[] {
  const all = exchanges(conversation, direction);
  return wrapped(conversation, direction, method).flatMap(message => {
    const exchange = all.find(({ request }) => request.order === message.located.order);
    return exchange ? [{ ...message, exchange }] : [];
  });
}

/** First exchange of a wrapped request. `direction`: direction of the request. */
export function wrappedExchange(
  conversation: Conversation,
  direction: Direction,
  method: string,
): Exchange | undefined {
  return wrappedExchanges(conversation, direction, method)[0]?.exchange;
}

export function missingOrError(conversation: Conversation, exchange: Exchange): Verdict {
  if (!exchange.response) return missingResponse(conversation, exchange);
  return fail("The proxy returned an error.", exchange.response);
}

/** Rule for the conversations that continue after `initialize`. */
export function proxyRule({
  judge,
  ...rule
}: Omit<Rule, "id" | "program" | "judge" | "remedy"> & {
  readonly id: string;
  readonly remedy: string;
  readonly judge: (conversation: Conversation) => Verdict;
}): Rule {
  return {
    ...rule,
    id: `proxy/${rule.id}`,
    program: "proxy",
    judge: input => judgeConversations({ ...input, conversations: initialized(input) }, judge),
  };
}

function initialized({ conversations }: RuleInput): readonly Conversation[] {
  return conversations.filter(
    conversation => exchanges(conversation, "toProgram", AGENT_METHODS.session_new).length > 0,
  );
}
