/**
 * Reports the connections, tool lists and calls of a served MCP server (issue 14 item 1), for both kinds of clients.
 *
 * Invariants:
 * - Messages are forwarded unchanged and in order.
 * - A page of a list is reported when its response is sent to the client.
 */
import type { Channel } from "../../rpc/channel";
import type { Frame } from "../../rpc/frame";
import { arrayOr, objectOr } from "../../rpc/json";
import type { Id } from "../../rpc/message";
import type { DeclaredServer } from "../declared-servers";
import type { StatelessServer } from "../revision";
import { MCP_METHODS } from "../methods";

export type ServerEvent =
  | { readonly kind: "connected" }
  | { readonly kind: "listed"; readonly tools: number; readonly isMore: boolean }
  /** The server could not be reached, or rejected `initialize` or `tools/list`. */
  | { readonly kind: "listFailed"; readonly error: unknown }
  | { readonly kind: "called" };

export function observedServer(server: DeclaredServer, onEvent: (event: ServerEvent) => void): DeclaredServer {
  return {
    connect: async () => {
      const channel = await server.connect().catch((error: unknown) => {
        onEvent({ kind: "listFailed", error });
        throw error;
      });
      onEvent({ kind: "connected" });
      return observedChannel(channel, onEvent);
    },
    stateless: observedStateless(server.stateless, onEvent),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The client's end of a connection, which sends the agent's requests. */
function observedChannel(channel: Channel, onEvent: (event: ServerEvent) => void): Channel {
  /** Unanswered requests: `initialize`, or `tools/list` for the first or a further page. */
  const open = new Map<Id, "session" | "first" | "further">();
  const onRequest = ({ message }: Frame): void => {
    if (!("method" in message)) return;
    if (message.method === MCP_METHODS.tools_call) onEvent({ kind: "called" });
    if (!("id" in message)) return;
    if (message.method === MCP_METHODS.initialize) open.set(message.id as Id, "session");
    if (message.method === MCP_METHODS.tools_list)
      open.set(message.id as Id, isMore(message.params) ? "further" : "first");
  };
  const answered = ({ message }: Frame): void => {
    if ("method" in message || message.id === null) return;
    const request = open.get(message.id);
    if (request === undefined || !open.delete(message.id)) return;
    if (!("result" in message)) onEvent({ kind: "listFailed", error: message.error });
    else if (request !== "session")
      onEvent({ kind: "listed", tools: toolsIn(message.result), isMore: request === "further" });
  };
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          if (open.size > 0) answered(frame);
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      onRequest(frame);
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

/** A client without sessions counts as one connection from its first request on. */
function observedStateless(server: StatelessServer, onEvent: (event: ServerEvent) => void): StatelessServer {
  let isConnected = false;
  return {
    request: async (method, params, options) => {
      if (!isConnected) onEvent({ kind: "connected" });
      isConnected = true;
      if (method === MCP_METHODS.tools_call) onEvent({ kind: "called" });
      if (method !== MCP_METHODS.tools_list) return server.request(method, params, options);
      try {
        const result = await server.request(method, params, options);
        onEvent({ kind: "listed", tools: toolsIn(result), isMore: isMore(params) });
        return result;
      } catch (error) {
        if (!options.signal.aborted) onEvent({ kind: "listFailed", error }); // else the agent cancelled its request
        throw error;
      }
    },
  };
}

function isMore(params: unknown): boolean {
  return typeof objectOr(params).cursor === "string";
}

/** Number of tools in a `tools/list` result. */
export function toolsIn(result: unknown): number {
  return arrayOr(objectOr(result).tools).length;
}
