/** Building blocks for faults of agents: hooks that change messages sent or received by the reference agent. */
import { objectOr, type JsonObject } from "../../rpc/json";
import type { Fault, ReferenceAgent } from "./reference-agent";

export interface AgentFault {
  /** Id of the rule. */
  readonly rule: string;
  /** Completes "fails if the agent". */
  readonly why: string;
  readonly fault: Fault;
}

type Out = NonNullable<Fault["out"]>;

export const as = (rule: string, why: string, fault: Fault): AgentFault => ({ rule: `agent/${rule}`, why, fault });
/** Replaces messages for which `change` returns a value. */
export const out = (
  change: (message: JsonObject, agent: ReferenceAgent) => readonly (JsonObject | string)[] | undefined,
): Fault => ({ out: (message, agent) => change(message, agent) ?? [message] });
/** Changes the result of a method. */
export const result = (method: string, change: (result: JsonObject, agent: ReferenceAgent) => unknown): Fault =>
  out((message, agent) => {
    const request = agent.asked.get(message.id);
    if (request?.method !== method || !("result" in message)) return undefined;
    return [{ ...message, result: change(objectOr(message.result), agent) }];
  });
/** Responds to a method with an error. */
export const refuses = (method: string, code = -32602, when: (params: JsonObject) => boolean = () => true): Fault => ({
  in: (message, agent) => {
    if (message.method !== method || !when(objectOr(message.params))) return message;
    agent.write({ id: message.id, error: { code, message: "refused" } });
    return undefined;
  },
});
/** Accepts a request that the agent should reject. */
export const accepts = (method: string, when: (params: JsonObject) => boolean, accepted: unknown = {}): Fault =>
  out((message, agent) => {
    const request = agent.asked.get(message.id);
    if (request?.method !== method || !("error" in message) || !when(objectOr(request.params))) return undefined;
    return [{ jsonrpc: "2.0", id: message.id, result: accepted }];
  });
/** Changes updates of this type. */
export const updates = (
  type: string,
  change: (update: JsonObject, message: JsonObject, agent: ReferenceAgent) => readonly JsonObject[],
): Fault =>
  out((message, agent) => {
    const params = objectOr(message.params),
      update = objectOr(params.update);
    if (message.method !== "session/update" || update.sessionUpdate !== type) return undefined;
    return change(update, message, agent).map(changed => ({ ...message, params: { ...params, update: changed } }));
  });
/** Changes the params of a request of the agent. */
export const params = (method: string, change: (params: JsonObject) => JsonObject): Fault =>
  out(message => (message.method === method ? [{ ...message, params: change(objectOr(message.params)) }] : undefined));
export const both = (first: Fault, second: Fault): Fault => ({
  in: (message, agent) => {
    const received = first.in ? first.in(message, agent) : message;
    return received && second.in ? second.in(received, agent) : received;
  },
  out: (message, agent) =>
    (first.out ?? keep)(message, agent).flatMap(item =>
      typeof item === "string" ? [item] : (second.out ?? keep)(item, agent),
    ),
});
const keep: Out = message => [message];
export const isPrompt = (agent: ReferenceAgent, message: JsonObject): boolean =>
  agent.asked.get(message.id)?.method === "session/prompt";
export const promptHas =
  (type: string) =>
  ({ prompt }: JsonObject): boolean =>
    JSON.stringify(prompt).includes(`"type":"${type}"`);
export const inV1 = (agent: ReferenceAgent): boolean => agent.version === 1;

export function late(sessionId: unknown): JsonObject {
  const update = { sessionUpdate: "agent_message_chunk", messageId: "late", content: { type: "text", text: "Late." } };
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update } };
}

export function changedFirst(list: unknown, change: JsonObject): readonly unknown[] {
  const [first, ...rest] = Array.isArray(list) ? (list as unknown[]) : [];
  return [{ ...objectOr(first), ...change }, ...rest];
}

/** A permission request for the session of `message`. */
export function permissionRequest({ params }: JsonObject): JsonObject {
  const { sessionId } = objectOr(params),
    options = [{ optionId: "no", name: "No", kind: "reject_once" }];
  return {
    jsonrpc: "2.0",
    id: "early",
    method: "session/request_permission",
    params: { sessionId, toolCall: { toolCallId: "early" }, options },
  };
}

/**
 * Sends the response to a prompt of version 2 at the end of its turn. `change` replaces the response and the update
 * that ends the turn.
 */
export function respondsAtEnd(
  change: (response: JsonObject, idle: JsonObject, agent: ReferenceAgent) => readonly JsonObject[] | undefined,
): Fault {
  const responses = new WeakMap<ReferenceAgent, JsonObject>();
  return out((message, agent) => {
    if (inV1(agent)) return undefined;
    if (isPrompt(agent, message) && "result" in message) {
      responses.set(agent, message);
      return [];
    }
    const response = responses.get(agent);
    if (!response || objectOr(objectOr(message.params).update).state !== "idle") return undefined;
    return change(response, message, agent) ?? [response, message];
  });
}

/** Sends an additional request in each turn. */
export function turnAsks(method: string, fields: JsonObject): Fault {
  return updates("agent_message_chunk", (update, message, agent) => {
    const { sessionId } = objectOr(message.params);
    const isDefined = inV1(agent) || method.startsWith("elicitation/");
    if (isDefined) void agent.request(method, { sessionId, ...fields });
    return [update];
  });
}

/** Changes the updates that are sent while a request of this method is open. */
export function updatesDuring(method: string, change: (message: JsonObject) => readonly JsonObject[]): Fault {
  return out((message, agent) => {
    const [, last] = [...agent.asked].at(-1) ?? [];
    return message.method === "session/update" && last?.method === method ? change(message) : undefined;
  });
}
