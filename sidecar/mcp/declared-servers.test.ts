import { deepEqual } from "node:assert/strict";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import { settled } from "../testing/turn";
import { DeclaredServers } from "./declared-servers";

suite("declared MCP servers", () => {
  test("report a connection that its owner does not end, but not the end of the chain", async () => {
    for (const [error, expected] of [
      [new RpcError(RpcCode.internalError, "It is busy."), ["an MCP connection was not ended"]],
      [new ConnectionClosed({ message: "The chain was closed." }), []],
    ] as const) {
      const warnings: string[] = [];
      const servers = new DeclaredServers(
        {
          request: async method => {
            if (method === "mcp/connect") return { connectionId: "c" };
            throw error;
          },
          notify: () => undefined,
        },
        what => warnings.push(what),
      );
      const channel = await servers
        .serve({ kind: "acp", name: "s", serverId: "s", id: undefined, declared: {} })
        .connect();
      channel.start({ receive: () => undefined, closed: () => undefined });
      await channel[Symbol.asyncDispose]();
      await settled();
      deepEqual(warnings, expected);
    }
  });
});
