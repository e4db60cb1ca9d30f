/**
 * Adapters between the SDK's transport and a `Channel`, in both directions: frames become SDK messages and vice versa.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Channel } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { isObject } from "../rpc/json";
import { RpcCode, type Id, type Message } from "../rpc/message";

export class ChannelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(private readonly channel: Channel) {}

  async start(): Promise<void> {
    this.channel.start({
      receive: ({ message }) => {
        if (isMcpMessage(message)) this.onmessage?.(message);
        else this.onerror?.(new Error("A message is not valid MCP: its params or result must be an object."));
      },
      closed: () => this.onclose?.(),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.channel.send(frameOf(message))) await this.channel.drained();
  }

  async close(): Promise<void> {
    await this.channel[Symbol.asyncDispose]();
  }
}

/**
 * Channel for the messages of a transport. `start` starts the transport. A response that is not valid MCP is sent as an
 * error, because its request is still pending.
 */
export function channelOf(transport: Transport): Channel {
  let sent: Promise<unknown> = Promise.resolve();
  return {
    start: receiver => {
      transport.onmessage = message => void receiver.receive(frameOf(message));
      transport.onclose = () => receiver.closed({ message: "The connection was closed." });
      void transport.start();
    },
    send: frame => {
      const message = mcpMessage(frame.message);
      if (message) sent = transport.send(message).catch(() => undefined); // a closed transport drops the message
      return true;
    },
    drained: async () => void (await sent),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** Returns undefined for a request or notification that is not valid MCP. */
function mcpMessage(message: Message): JSONRPCMessage | undefined {
  if (isMcpMessage(message)) return message;
  if ("method" in message || message.id === null) return undefined;
  const error = { code: RpcCode.internalError, message: "The MCP server sent a result that is not an object." };
  return { jsonrpc: "2.0", id: message.id, error };
}

/** JSON-RPC allows more than MCP: arrays as params, any value as a result. */
export function isMcpMessage(message: Message): message is Message & JSONRPCMessage {
  if ("method" in message) return message.params === undefined || isObject(message.params);
  return "error" in message || isObject(message.result);
}

export function frameOf(message: JSONRPCMessage): Frame {
  return Frame.of("error" in message ? { ...message, id: message.id ?? null } : message);
}

export function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}
