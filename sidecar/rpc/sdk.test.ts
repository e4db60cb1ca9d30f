/** Tests our peer against the SDK's peer in both roles, over byte streams. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { PassThrough, Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { ndjsonChannel } from "./ndjson-channel";
import { ConnectionClosed, methodNotFound, Peer, type PeerHandlers } from "./peer";
import { deferred } from "../../src/protocol/wire/deferred";

/** Two pipes: ours ends in a peer, theirs in a stream for the SDK. */
function joined(handlers: Partial<PeerHandlers>) {
  const there = new PassThrough(),
    back = new PassThrough();
  const peer = new Peer(ndjsonChannel(back, there), {
    request: request => request.fail(methodNotFound(request.method)),
    notification: () => {},
    closed: () => {},
    ...handlers,
  });
  return { peer, back, stream: acp.ndJsonStream(Writable.toWeb(back), Readable.toWeb(there)) };
}
const update = (text: string) => ({
  sessionId: "s1",
  update: { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } },
});
const permission: acp.RequestPermissionRequest = {
  sessionId: "s1",
  toolCall: { toolCallId: "t1" },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

suite("Peer and the ACP SDK", () => {
  test("runs as the client of an SDK agent: handshake, updates and permission in order, turn end last", async () => {
    const received: string[] = [];
    const { peer, stream } = joined({
      request: request => {
        received.push(request.method);
        request.respond({ outcome: { outcome: "selected", optionId: "yes" } });
      },
      notification: (_, params) => {
        received.push(JSON.stringify(params).match(/"text":"(.*?)"/)![1]!);
      },
    });
    acp
      .agent({ name: "theirs" })
      .onRequest("initialize", () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
      .onRequest("session/new", () => ({ sessionId: "s1" }))
      .onRequest("session/prompt", async ({ client }) => {
        await client.notify("session/update", update("one"));
        const { outcome } = await client.request("session/request_permission", permission);
        await client.notify("session/update", update(outcome.outcome));
        for (let i = 0; i < 50; i++) await client.notify("session/update", update(String(i)));
        return { stopReason: "end_turn" };
      })
      .connect(stream);
    const initialized = await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    deepEqual(initialized, { protocolVersion: 1, agentCapabilities: {} });
    deepEqual(await peer.request("session/new", { cwd: "/", mcpServers: [] }), { sessionId: "s1" });
    await new Promise<void>(resolve =>
      peer.call("session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "hi" }] }, outcome => {
        received.push(outcome.ok ? JSON.stringify(outcome.result) : outcome.error.message);
        resolve();
      }),
    );
    deepEqual(received, [
      "one",
      "session/request_permission",
      "selected",
      ...Array.from({ length: 50 }, (_, i) => String(i)),
      '{"stopReason":"end_turn"}',
    ]);
    await peer[Symbol.asyncDispose]();
  });

  test("runs as the client of an SDK agent: cancelled request, unknown method, disconnected agent", async () => {
    const { peer, stream, back } = joined({});
    const { promise: started, resolve: began } = deferred<void>();
    acp
      .agent({ name: "theirs" })
      .onRequest(
        "_demo/wait",
        params => params,
        ({ signal }) =>
          new Promise((_, reject) => {
            began();
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      )
      .connect(stream);
    const aborting = new AbortController();
    const waiting = peer.request("_demo/wait", {}, { signal: aborting.signal });
    await started;
    aborting.abort();
    await rejects(waiting, { code: -32800 });
    await rejects(peer.request("_demo/nothing", {}), { code: -32601 });
    const left = peer.request("_demo/wait", {});
    back.end();
    await rejects(left, ConnectionClosed);
  });

  test("runs as the agent of an SDK client: requests in both directions, updates, cancellation", async () => {
    const received: string[] = [];
    const { peer, stream } = joined({
      request: request => {
        switch (request.method) {
          case "initialize":
            return request.respond({ protocolVersion: 1, agentCapabilities: {} });
          case "session/new":
            return request.respond({ sessionId: "s1" });
          case "session/prompt":
            peer.notify("session/update", update("hello"));
            peer.call("session/request_permission", permission, outcome => {
              received.push(JSON.stringify(outcome));
              request.signal.addEventListener("abort", () => request.fail(new Error("stopped")));
              peer.notify("session/update", update("waiting"));
            });
            return;
          default:
            return request.fail(methodNotFound(request.method));
        }
      },
    });
    const aborting = new AbortController(),
      updates: unknown[] = [];
    const connection = acp
      .client({ name: "theirs" })
      .onNotification("session/update", ({ params }) => {
        updates.push(params);
        if (updates.length === 2) aborting.abort();
      })
      .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "no" } }))
      .connect(stream);
    equal(
      (await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })).protocolVersion,
      1,
    );
    equal((await connection.agent.request("session/new", { cwd: "/", mcpServers: [] })).sessionId, "s1");
    const prompted = connection.agent.request(
      "session/prompt",
      { sessionId: "s1", prompt: [] },
      { cancellationSignal: aborting.signal },
    );
    await rejects(prompted, { code: -32800, message: "The request was cancelled." });
    await rejects(connection.agent.request("session/set_mode", { sessionId: "s1", modeId: "m" }), { code: -32601 });
    deepEqual(received, ['{"ok":true,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}']);
    deepEqual(updates, [update("hello"), update("waiting")]);
    await peer[Symbol.asyncDispose]();
    await connection.closed;
  });
});
