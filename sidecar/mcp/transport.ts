/** The SDK's transport on a channel of ours: frames become its messages, and its messages frames. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Channel } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { isObject } from "../rpc/json";
import type { Id, Message } from "../rpc/message";

export class ChannelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(private readonly channel: Channel) {}

  async start(): Promise<void> {
    this.channel.start({
      receive: ({ message }) => {
        if (isMcpMessage(message)) this.onmessage?.(message);
        else this.onerror?.(new Error("A message is not one of MCP: its params or result must be an object."));
      },
      closed: () => this.onclose?.(),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.channel.send(frameOf(message))) await this.channel.drained();
  }

  async close(): Promise<void> { await this.channel[Symbol.asyncDispose](); }
}

/** JSON-RPC allows more than MCP: arrays as params, any value as a result. */
export function isMcpMessage(message: Message): message is Message & JSONRPCMessage {
  if ("method" in message) return message.params === undefined || isObject(message.params);
  return "error" in message || isObject(message.result);
}

export function frameOf(message: JSONRPCMessage): Frame {
  return Frame.of("error" in message ? { ...message, id: message.id ?? null } : message);
}

export function isId(value: unknown): value is Id { return typeof value === "string" || typeof value === "number"; }
