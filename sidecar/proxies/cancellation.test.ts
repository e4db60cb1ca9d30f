import { deepEqual, strictEqual } from "node:assert/strict";
import { Frame } from "../rpc/frame";
import { deferred } from "../../src/protocol/wire/deferred";
import { intercepts, rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";

suite("proxy kit: cancellation", () => {
  const cancel = (requestId: number) => ({ method: "$/cancel_request", params: { requestId } });

  test("aborts the signal of a forwarded request, forwards the cancellation and awaits the response", async () => {
    const { client, successor } = rig(
      intercepts("m", async request => {
        const answer = await request.pass().catch(() => "cancelled");
        return [request.signal.aborted, answer];
      }),
    );
    const frame = Frame.of({ jsonrpc: "2.0", ...cancel(1) });
    client.deliver({ id: 1, method: "m" });
    client.deliver(frame);
    strictEqual(successor.frames[1], frame);
    successor.deliver({ id: 1, error: { code: -32800, message: "cancelled" } });
    await turn();
    deepEqual(client.received, ['#1 = [true,"cancelled"]']);
  });

  test("only aborts the signal of a request that was not forwarded or has its response", async () => {
    const gate = deferred<void>();
    const { client, successor } = rig(
      intercepts("m", async request => {
        const { after } = request.params as { after: boolean };
        if (after) await request.pass();
        const aborted = new Promise(resolve => request.signal.addEventListener("abort", () => resolve("aborted")));
        gate.resolve();
        return await aborted;
      }),
    );
    client.deliver({ id: 1, method: "m", params: { after: false } });
    client.deliver(cancel(1));
    await turn();
    deepEqual([successor.news(), client.news()], [[], ['#1 = "aborted"']]);
    client.deliver({ id: 2, method: "m", params: { after: true } });
    successor.deliver({ id: 2, result: 0 });
    await turn();
    client.deliver(cancel(2));
    await turn();
    deepEqual([successor.news().length, client.news()], [1, ['#2 = "aborted"']]);
  });

  test("rejects a cancelled request without forwarding it", async () => {
    const gate = deferred<void>();
    const { client, successor, warnings } = rig({
      fromClient: {
        requests: {
          passes: async request => {
            await gate.promise;
            return await request.pass();
          },
          fails: async request => {
            await gate.promise;
            request.signal.throwIfAborted();
          },
        },
      },
    });
    client.deliver({ id: 1, method: "passes" });
    client.deliver({ id: 2, method: "fails" });
    client.deliver(cancel(1));
    client.deliver(cancel(2)); // while the request is queued
    gate.resolve();
    await turn();
    deepEqual(
      [successor.received, client.received, warnings],
      [[], ["#1 ! -32800 The request was cancelled.", "#2 ! -32800 The request was cancelled."], []],
    );
  });

  test("forwards the cancellation of an unknown request behind that request", async () => {
    const gate = deferred<void>();
    const { client, successor } = rig(
      intercepts("m", async request => {
        await gate.promise;
        return await request.pass();
      }),
    );
    client.deliver({ id: 1, method: "m" });
    client.deliver({ id: 2, method: "other" });
    client.deliver(cancel(2));
    client.deliver({ method: "$/cancel_request", params: null });
    deepEqual(successor.news(), []);
    gate.resolve();
    await turn();
    deepEqual(successor.news(), ["m#1", "other#2", '$/cancel_request {"requestId":2}', "$/cancel_request null"]);
  });

  test("works the same for requests of the agent", async () => {
    const { client, successor } = rig({ fromSuccessor: { requests: { ask: request => request.pass() } } });
    successor.deliver({ id: 1, method: "ask" });
    successor.deliver(cancel(1));
    client.deliver({ id: 1, error: { code: -32800, message: "ok" } });
    await turn();
    deepEqual(
      [client.received, successor.received],
      [["ask#1", '$/cancel_request {"requestId":1}'], ["#1 ! -32800 ok"]],
    );
  });
});
