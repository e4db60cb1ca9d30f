/** Queries on a recorded conversation: requests with their responses, turns, session updates, tool calls. Pure. */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../rpc/json";
import type { Conversation, Direction, RecordedEvent, WireMessage } from "./recording";
import {
  AGENT_METHODS,
  CLIENT_METHODS,
  PROTOCOL_METHODS,
  PROXY_DIALECTS,
  PROXY_METHODS,
  UPDATE_KINDS,
} from "../acp/methods";

export type RequestMessage = Extract<WireMessage, { kind: "request" }>;
export type ResponseMessage = Extract<WireMessage, { kind: "response" }>;
export type CallMessage = Exclude<WireMessage, { kind: "response" }>;

/** Message with its position: `order` increases with time and is unique in the conversation. */
export interface Located<M extends WireMessage = WireMessage> {
  readonly order: number;
  readonly at: number;
  readonly direction: Direction;
  readonly message: M;
  /** Line that contains the message. */
  readonly text: string;
}

export interface Exchange {
  readonly request: Located<RequestMessage>;
  /** First response with the id of the request. */
  readonly response: Located<ResponseMessage> | undefined;
}

const located = new WeakMap<Conversation, readonly Located[]>();

/** All messages in order. The result is cached, so the conversation must be complete. */
export function messagesOf(conversation: Conversation): readonly Located[] {
  const cached = located.get(conversation) ?? locate(conversation);
  located.set(conversation, cached);
  return cached;
}

function locate({ events }: Conversation): readonly Located[] {
  let order = 0;
  return events.flatMap(event =>
    event.kind !== "line"
      ? []
      : event.messages.map(message => ({
          order: order++,
          at: event.at,
          direction: event.direction,
          message,
          text: event.text,
        })),
  );
}

export function eventsOf<K extends RecordedEvent["kind"]>(
  { events }: Conversation,
  kind: K,
): readonly Extract<RecordedEvent, { kind: K }>[] {
  return events.filter((event): event is Extract<RecordedEvent, { kind: K }> => event.kind === kind);
}

export function opposite(direction: Direction): Direction {
  return direction === "toProgram" ? "fromProgram" : "toProgram";
}

/** Key of an id. Ids are compared as JSON values: `1` and `"1"` are different ids. Never throws. */
export function idKey(id: unknown): string {
  try {
    return JSON.stringify(id) ?? "";
  } catch {
    return "(nested too deeply)";
  }
}

/** Requests in this direction with their responses, in order. */
export function exchanges(
  conversation: Conversation,
  direction: Direction,
  ...methods: readonly string[]
): readonly Exchange[] {
  const all = messagesOf(conversation),
    open = new Map<string, Located<RequestMessage>[]>();
  const responses = new Map<number, Located<ResponseMessage>>();
  for (const located of all) {
    const { message } = located;
    if (isRequest(located) && located.direction === direction) {
      open.set(idKey(located.message.id), [...(open.get(idKey(located.message.id)) ?? []), located]);
    } else if (message.kind === "response" && located.direction !== direction) {
      const request = open.get(idKey(message.id))?.shift();
      if (request) responses.set(request.order, { ...located, message });
    }
  }
  return all.flatMap(located => {
    if (!isRequest(located) || located.direction !== direction) return [];
    if (methods.length > 0 && !methods.includes(located.message.method)) return [];
    return [{ request: located, response: responses.get(located.order) }];
  });
}

function isRequest(located: Located): located is Located<RequestMessage> {
  return located.message.kind === "request";
}

/** Requests and notifications in this direction. */
export function calls(
  conversation: Conversation,
  direction: Direction,
  ...methods: readonly string[]
): readonly Located<CallMessage>[] {
  return messagesOf(conversation).flatMap(located => {
    const { message } = located;
    if (message.kind === "response" || located.direction !== direction) return [];
    return methods.length === 0 || methods.includes(message.method) ? [{ ...located, message }] : [];
  });
}

export function paramsOf({ message }: Located<CallMessage>): JsonObject {
  return objectOr(message.params);
}
export function resultOf({ response }: Exchange): JsonObject {
  return objectOr(response?.message.result);
}
export function errorCode({ response }: Exchange): number | undefined {
  const { code } = objectOr(response?.message.error);
  return typeof code === "number" ? code : undefined;
}
export function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && !("error" in response.message);
}

export const INITIALIZE = [
  AGENT_METHODS.initialize,
  PROXY_METHODS.proxy_initialize,
  PROXY_DIALECTS._proxy.initialize,
] as const;

/** Exchange that initialized the connection: the last successful exchange, otherwise the first. */
export function initializeOf(conversation: Conversation, direction: Direction): Exchange | undefined {
  const all = exchanges(conversation, direction, ...INITIALIZE);
  return all.findLast(isSuccess) ?? all[0];
}

/** Version in the response to `initialize`. `direction`: direction of the request. */
export function negotiated(conversation: Conversation, direction: Direction): number | undefined {
  const exchange = initializeOf(conversation, direction),
    version = exchange && resultOf(exchange).protocolVersion;
  return typeof version === "number" ? version : undefined;
}

export interface Update extends Located<CallMessage> {
  readonly sessionId: string;
  readonly update: JsonObject;
  readonly type: string;
}

/** All `session/update` notifications. `direction`: direction from the agent. */
export function updates(conversation: Conversation, direction: Direction): readonly Update[] {
  return calls(conversation, direction, CLIENT_METHODS.session_update).map(located => {
    const { sessionId, update } = paramsOf(located),
      body = objectOr(update);
    return { ...located, sessionId: stringOr(sessionId, ""), update: body, type: stringOr(body.sessionUpdate, "") };
  });
}

export interface Turn {
  readonly sessionId: string;
  readonly prompt: Exchange;
  /** Message that ended the turn: the response in v1, the idle update in v2. Undefined if the turn did not end. */
  readonly end: Located | undefined;
  readonly stopReason: unknown;
  /** Updates of the session between the prompt and the end. */
  readonly updates: readonly Update[];
  /** First `session/cancel` during the turn. */
  readonly cancel: Located<CallMessage> | undefined;
}

/**
 * Turns of an agent under test or, with `fromProgram`, of a client under test. `direction`: direction of
 * `session/prompt`.
 */
export function turns(conversation: Conversation, direction: Direction = "toProgram"): readonly Turn[] {
  const fromAgent = opposite(direction),
    all = updates(conversation, fromAgent);
  return exchanges(conversation, direction, AGENT_METHODS.session_prompt).map(prompt => {
    const sessionId = stringOr(paramsOf(prompt.request).sessionId, ""),
      start = prompt.request.order;
    const own = all.filter(update => update.sessionId === sessionId && update.order > start);
    const idle = own.find(({ type, update }) => type === UPDATE_KINDS.state_update && update.state === "idle");
    const ended = conversation.version === 1 ? prompt.response : idle,
      until = ended?.order ?? Infinity;
    return {
      sessionId,
      prompt,
      end: ended,
      updates: own.filter(({ order }) => order < until),
      stopReason: conversation.version === 1 ? resultOf(prompt).stopReason : idle?.update.stopReason,
      cancel: calls(conversation, direction, AGENT_METHODS.session_cancel).find(
        ({ order, ...located }) =>
          order > start && order < until && paramsOf({ order, ...located }).sessionId === sessionId,
      ),
    };
  });
}

/** Capabilities of the agent, from its `initialize` response. */
export function agentCapabilities(conversation: Conversation, direction: Direction = "toProgram"): JsonObject {
  const exchange = initializeOf(conversation, direction),
    result = exchange ? resultOf(exchange) : {};
  return objectOr(conversation.version === 1 ? result.agentCapabilities : result.capabilities);
}

/** Capabilities of the client, from its `initialize` request. */
export function clientCapabilities(conversation: Conversation, direction: Direction = "toProgram"): JsonObject {
  const exchange = initializeOf(conversation, direction),
    params = exchange ? paramsOf(exchange.request) : {};
  return objectOr(conversation.version === 1 ? params.clientCapabilities : params.capabilities);
}

/** `{}` and `true` mean supported. A missing member, null and false mean unsupported. */
export function isSupported(marker: unknown): boolean {
  return marker !== undefined && marker !== null && marker !== false;
}

/** Methods that open a session. */
export const OPENING = [
  AGENT_METHODS.session_new,
  AGENT_METHODS.session_load,
  AGENT_METHODS.session_resume,
  AGENT_METHODS.session_fork,
] as const;

export interface Opening {
  readonly exchange: Exchange;
  readonly sessionId: string | undefined;
}

export function openings(conversation: Conversation, direction: Direction = "toProgram"): readonly Opening[] {
  return exchanges(conversation, direction, ...OPENING).map(exchange => {
    const { method } = exchange.request.message,
      isKnown = method === AGENT_METHODS.session_load || method === AGENT_METHODS.session_resume;
    const id = isKnown ? paramsOf(exchange.request).sessionId : resultOf(exchange).sessionId;
    return { exchange, sessionId: isSuccess(exchange) && typeof id === "string" ? id : undefined };
  });
}

/** Every string in the value under one of these names, at any depth. */
export function stringsNamed(value: unknown, names: ReadonlySet<string>): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(item => stringsNamed(item, names));
  return Object.entries(objectOr(value)).flatMap(([name, member]) =>
    typeof member === "string" ? (names.has(name) ? [member] : []) : stringsNamed(member, names),
  );
}

export function configOptionsIn(result: JsonObject): readonly JsonObject[] {
  return arrayOr(result.configOptions).map(objectOr);
}

/** Whether the client cancelled this prompt with `$/cancel_request`, or closed its session. */
export function isWithdrawn(
  conversation: Conversation,
  { request }: Exchange,
  direction: Direction = "toProgram",
): boolean {
  const { sessionId } = paramsOf(request),
    later = calls(conversation, direction).filter(({ order }) => order > request.order);
  return later.some(call =>
    call.message.method === PROTOCOL_METHODS.cancel_request
      ? idKey(paramsOf(call).requestId) === idKey(request.message.id)
      : call.message.method === AGENT_METHODS.session_close && paramsOf(call).sessionId === sessionId,
  );
}
