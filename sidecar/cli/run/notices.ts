/**
 * Shows notices in the client: in the session of a prompt, before its turn. Editors hide the stderr of an agent.
 *
 * Invariants:
 * - Each notice is sent once, in the session of the next prompt.
 * - A client that does not support notices receives a message of the agent (schema, `Notice`).
 * - A notice is not part of the conversation of the agent, which never receives it.
 */
import { randomUUID } from "node:crypto";
import { AGENT_METHODS, CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";
import type { Channel } from "../../rpc/channel";
import { Frame, FrameError } from "../../rpc/frame";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";

/** Returns the notices that were not returned earlier. Called before each prompt. Must not throw. */
export type NewNotices = () => readonly string[];

/** `client`: the client's channel. The result is the same channel with notices. */
export function withNotices(client: Channel, newNotices: NewNotices): Channel {
  let areSupported = false;
  const notify = (prompt: Frame): void => {
    const { sessionId } = paramsOf(prompt);
    for (const notice of newNotices())
      client.send(updateOf(sessionId, areSupported ? noticeOf(notice) : messageOf(notice)));
  };
  return {
    start: receiver =>
      client.start({
        receive: frame => {
          const { envelope } = frame;
          const method = envelope.kind === "request" ? envelope.method : undefined;
          if (method === AGENT_METHODS.initialize) areSupported = supportsNotices(paramsOf(frame));
          if (method === AGENT_METHODS.session_prompt) notify(frame);
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => client.send(frame),
    drained: () => client.drained(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** In the capabilities of version 1 or 2. */
function supportsNotices({ clientCapabilities, capabilities }: JsonObject): boolean {
  return [clientCapabilities, capabilities].some(each => isObject(objectOr(objectOr(each).session).notices));
}

/** An invalid request has no parameters here. The chain rejects it. */
function paramsOf(frame: Frame): JsonObject {
  try {
    const { message } = frame;
    return "params" in message ? objectOr(message.params) : {};
  } catch (error) {
    if (error instanceof FrameError) return {};
    throw error;
  }
}

function updateOf(sessionId: unknown, update: JsonObject): Frame {
  return Frame.of({ jsonrpc: "2.0", method: CLIENT_METHODS.session_update, params: { sessionId, update } });
}

function noticeOf(text: string): JsonObject {
  return { sessionUpdate: UPDATE_KINDS.notice, severity: "warning", title: text };
}

/** The empty line separates the notice from the answer in clients that join messages. */
function messageOf(text: string): JsonObject {
  return {
    sessionUpdate: UPDATE_KINDS.agent_message_chunk,
    messageId: randomUUID(),
    content: { type: "text", text: `Symposium: ${text}\n\n` },
  };
}
