/** Ends of a chain for tests of MCP over ACP: the bridge, the SDK's stream, and an agent that only accepts servers. */
import { ReadableStream, WritableStream } from "node:stream/web";
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { mcpBridge } from "../../conductor/mcp-bridge";
import type { Channel } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import type { Message } from "../../rpc/message";
import { Peer } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { HTTP_AGENT, type ChainEnds } from "./mcp-fixture";

export const bridge = () =>
  mcpBridge({ clock: new FakeClock(), shim: { command: "node", script: "s", electron: false } });
export const resultText = (result: unknown) => String(objectOr(arrayOr(objectOr(result).content)[0]).text);

/** Adapts a channel to the SDK's stream of messages. */
export function streamOf(channel: Channel): acp.Stream {
  return {
    readable: new ReadableStream({
      start: controller =>
        channel.start({
          receive: frame => controller.enqueue(frame.message as never),
          closed: () => controller.close(),
        }),
    }) as acp.Stream["readable"],
    writable: new WritableStream({
      write: message => {
        channel.send(Frame.of(message as unknown as Message));
      },
    }) as acp.Stream["writable"],
  };
}

/** Agent that responds to the required requests and exposes the received servers. */
export function plainAgent(chain: ChainEnds): { readonly servers: () => JsonObject[] } {
  let servers: JsonObject[] = [];
  new Peer(chain.agent, {
    request: request => {
      if (request.method === "session/new") servers = arrayOr(objectOr(request.params).mcpServers).map(objectOr);
      request.respond(request.method === "initialize" ? HTTP_AGENT : { sessionId: "s1" });
    },
    notification: () => undefined,
    closed: () => undefined,
  });
  return { servers: () => servers };
}
