/**
 * Routes each tool call of a served MCP server (`call-route.ts`): to the server itself, to the server of another
 * session, or to none.
 *
 * Invariants:
 * - Every call is answered once.
 * - Cancelling a call cancels it at the server to which it was routed.
 * - All other messages are forwarded unchanged.
 */
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { Channel, Receiver } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError, type Id } from "../../rpc/message";
import type { DeclaredServer } from "../declared-servers";
import { Meta, STATELESS_REVISION, withMeta, type StatelessServer } from "../revision";
import { MCP_METHODS } from "../methods";

/** Returns the target of a call, or undefined for the server that was called. */
export type RouteCall = (
  tool: string,
  args: unknown,
  signal: AbortSignal,
) => Promise<StatelessServer | { readonly refused: string } | undefined>;

export function routedServer(server: DeclaredServer, route: RouteCall): DeclaredServer {
  return {
    connect: async () => routedChannel(await server.connect(), route),
    stateless: {
      request: async (method, params, options) => {
        const to =
          method === MCP_METHODS.tools_call
            ? await route(stringOr(params.name, ""), params.arguments, options.signal)
            : undefined;
        if (to && "refused" in to) return refusal(to.refused);
        return (to ?? server.stateless).request(method, params, options);
      },
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function routedChannel(channel: Channel, route: RouteCall): Channel {
  let receiver: Receiver | undefined;
  /** Calls that are still being routed, or that were routed to another server. */
  const open = new Map<Id, AbortController>();
  const answer = (id: Id, message: JsonObject): void => {
    if (open.delete(id))
      void receiver?.receive(Frame.of({ jsonrpc: "2.0", id, ...message } as Parameters<typeof Frame.of>[0]));
  };
  const call = async (frame: Frame, id: Id, params: JsonObject): Promise<void> => {
    const stops = new AbortController();
    open.set(id, stops);
    try {
      const to = await route(stringOr(params.name, ""), params.arguments, stops.signal);
      if (!to) {
        if (open.delete(id)) channel.send(frame);
        return;
      }
      if ("refused" in to) return answer(id, { result: refusal(to.refused) });
      const notification = (method: string, notificationParams: unknown): void => {
        if (open.has(id))
          void receiver?.receive(Frame.of({ jsonrpc: "2.0", method, params: objectOr(notificationParams) }));
      };
      const { resultType: _, ...result } = objectOr(
        await to.request(MCP_METHODS.tools_call, withMeta(params, STATELESS), { signal: stops.signal, notification }),
      );
      answer(id, { result });
    } catch (error) {
      answer(id, {
        error: (error instanceof RpcError ? error : new RpcError(RpcCode.internalError, errorMessage(error))).toJSON(),
      });
    }
  };
  return {
    start: started => channel.start((receiver = started)),
    send: frame => {
      const { message } = frame;
      if ("method" in message && message.method === MCP_METHODS.tools_call && "id" in message) {
        void call(frame, message.id as Id, objectOr(message.params));
        return true;
      }
      if ("method" in message && message.method === MCP_METHODS.notifications_cancelled) {
        const id = objectOr(message.params).requestId as Id,
          routedCall = open.get(id);
        if (routedCall && open.delete(id)) {
          routedCall.abort(); // a cancelled call has no response (MCP, “Cancellation”)
          return true;
        }
      }
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: async () => {
      for (const routedCall of open.values()) routedCall.abort();
      open.clear();
      await channel[Symbol.asyncDispose]();
    },
  };
}

const STATELESS = { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} };

function refusal(sentence: string): JsonObject {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
