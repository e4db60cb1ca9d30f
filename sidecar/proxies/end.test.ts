import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import type { Frame } from "../rpc/frame";
import { deferred } from "../../src/protocol/wire/deferred";
import { FakeNeighbour, rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import { serveProxy } from "./serve-proxy";

suite("proxy kit: end", () => {
  test("aborts signals, rejects requests and calls `close` once when the client ends", async () => {
    let closes = 0;
    const seen: unknown[] = [];
    const { client, successor, chain, served } = rig({
      fromClient: {
        requests: {
          m: async request => {
            try {
              return await request.pass();
            } finally {
              seen.push(request.signal.aborted);
            }
          },
        },
      },
      close: () => {
        closes++;
      },
    });
    client.deliver({ id: 1, method: "m" });
    const own = [chain.client.request("a", {}), chain.successor.request("b", {})].map(request =>
      request.catch((error: Error) => error.message),
    );
    client.leaves({ message: "The window was closed." });
    deepEqual(await Promise.all(own), Array(2).fill("The window was closed."));
    await served[Symbol.asyncDispose]();
    deepEqual([seen, successor.disposed, closes], [[true], 1, 1]);
    await rejects(chain.successor.request("late", {}), { message: "The window was closed." });
    await rejects(chain.client.request("late", {}), { message: "The window was closed." });
  });

  test("delivers earlier messages, rejects waiting requests and closes when the successor ends", async () => {
    const gate = deferred<void>();
    const { client, successor, chain, served } = rig({
      fromClient: {
        requests: {
          passed: request => request.pass(),
          forgotten: async request => {
            void request.pass();
            await gate.promise;
          },
          own: () => new Promise(() => {}),
        },
      },
      fromSuccessor: {
        notifications: {
          held: async note => {
            await gate.promise;
            note.pass();
          },
          quick: async note => {
            await Promise.resolve();
            note.pass();
          },
        },
      },
    });
    client.deliver({ id: 1, method: "passed" });
    client.deliver({ id: 2, method: "forgotten" });
    client.deliver({ id: 4, method: "passed" });
    client.deliver({ id: 3, method: "own" });
    client.deliver({ method: "n" });
    const own = chain.successor.request("a", {}).catch((error: Error) => error.message);
    successor.deliver({ method: "quick" });
    successor.deliver({ method: "held" });
    successor.deliver({ method: "after" });
    successor.deliver({ id: 4, result: "in time" });
    successor.leaves({ message: "Agent exited unexpectedly." });
    equal(await own, "Agent exited unexpectedly.");
    equal(client.disposed, 0);
    await served[Symbol.asyncDispose]();
    equal(client.disposed, 1);
    const died = "! -32603 Agent exited unexpectedly.";
    deepEqual(client.received, ["quick", "after", '#4 = "in time"', `#1 ${died}`, `#2 ${died}`, `#3 ${died}`]);
  });

  test("cancels waiting requests of a successor that ended", async () => {
    const gate = deferred<void>(),
      reasons: unknown[] = [];
    const { client, successor, served } = rig({
      fromSuccessor: {
        requests: {
          ask: async request => {
            request.signal.addEventListener("abort", () => {
              const { message } = request.signal.reason as Error;
              reasons.push(message);
            });
            await gate.promise;
            return await request.pass().catch((error: Error) => reasons.push(`pass: ${error.message}`));
          },
        },
      },
    });
    successor.deliver({ id: 1, method: "ask" });
    successor.deliver({ id: 2, method: "ask" });
    successor.leaves({ message: "Gone." });
    gate.resolve();
    await served[Symbol.asyncDispose]();
    deepEqual([client.received, reasons], [[], ["Gone.", "pass: Gone.", "pass: Gone."]]);
  });

  test("lets an interceptor answer a request after its successor ended", async () => {
    const { client, successor, served } = rig({
      fromClient: { requests: { m: request => request.pass().catch((error: Error) => `mended: ${error.message}`) } },
    });
    client.deliver({ id: 1, method: "m" });
    successor.leaves({ message: "Gone." });
    await served[Symbol.asyncDispose]();
    deepEqual(client.received, ['#1 = "mended: Gone."']);
  });

  test("closes both sides, answers open requests and reports a failing close on disposal", async () => {
    const { client, successor, chain, warnings, served } = rig({
      fromClient: { requests: { m: request => request.pass(), own: () => new Promise(() => {}) } },
      close: async () => {
        throw new Error("stuck");
      },
    });
    client.deliver({ id: 1, method: "m" });
    client.deliver({ id: 2, method: "own" });
    const own = chain.client.request("a", {}).catch((error: Error) => error.message);
    client.news();
    const disposing = served[Symbol.asyncDispose]();
    deepEqual(client.news(), ["#1 ! -32603 The chain was closed.", "#2 ! -32603 The chain was closed."]);
    await disposing;
    equal(await own, "The chain was closed.");
    deepEqual([client.disposed, successor.disposed, warnings], [1, 1, ["closing a proxy failed: stuck"]]);
  });

  test("closes once although its neighbours' channels close with it", async () => {
    let closes = 0;
    const { client, successor, served } = rig({
      close: () => {
        closes++;
      },
    });
    await served[Symbol.asyncDispose]();
    for (let i = 0; i < 5; i++) await turn();
    deepEqual([closes, client.disposed, successor.disposed], [1, 1, 1]);
  });

  test("sends no second response after disposal when the interceptor returns", async () => {
    const gate = deferred<void>(),
      sent: Frame[] = [];
    const { client, served } = rig({ fromClient: { requests: { m: () => gate.promise } } });
    client.send = frame => {
      sent.push(frame);
      return true;
    };
    client.deliver({ id: 1, method: "m" });
    await served[Symbol.asyncDispose]();
    gate.resolve();
    await turn();
    equal(sent.length, 1);
  });

  test("resumes a paused reader", async () => {
    const { client, successor } = rig({ fromSuccessor: { notifications: { held: () => new Promise(() => {}) } } });
    successor.deliver({ method: "held" });
    const busy = Array.from({ length: 64 }, () => successor.offers({ method: "n" })).at(-1);
    ok(busy);
    client.leaves({ message: "Gone." });
    await busy;
  });

  test("starts and disposes no channel when the proxy cannot be created", () => {
    const client = new FakeNeighbour(),
      successor = new FakeNeighbour();
    throws(
      () =>
        serveProxy(
          {
            name: "X",
            create: () => {
              throw new Error("no");
            },
          },
          client,
          successor,
          { next: () => 1 },
        ),
      /no/,
    );
    deepEqual([client.disposed, client.offers({ method: "n" }), successor.disposed], [0, undefined, 0]);
  });
});
