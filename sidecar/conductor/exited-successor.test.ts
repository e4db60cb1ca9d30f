import { deepEqual, equal, rejects } from "node:assert/strict";
import { RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";
import { memoryChain } from "../testing/chain/memory-chain";
import { MemoryAgent } from "../testing/memory-agent";
import { settled } from "../testing/turn";
import { FIRST_MESSAGE_MS } from "./agent-stage";
import { LAST_ANSWERS_MS } from "./proxy-stage";

suite("proxy whose successor exited", () => {
  const DEAD = {
    code: -32603,
    message: "agent died.",
    data: { component: "agent", details: "The other side closed the connection." },
  };
  const errorObject = (error: unknown): unknown => (error instanceof RpcError ? { ...error.toJSON() } : error);

  /**
   * A chain whose second proxy holds `_hold`. The agent exits while the client waits for that request and for a prompt.
   */
  async function dying() {
    let take: (request: IncomingRequest) => void = () => undefined;
    const pending = new Promise<IncomingRequest>(resolve => {
      take = resolve;
    });
    const chain = memoryChain([
      {},
      {
        request: request => {
          if (request.method !== "_hold") return false;
          take(request);
          return true;
        },
      },
    ]);
    await chain.client.request("initialize", { protocolVersion: 1 });
    const passed = chain.client.request("session/prompt", {}).catch(errorObject),
      held = chain.client.request("_hold", {}).catch(errorObject);
    await chain.agent.next("session/prompt");
    const heldRequest = await pending;
    await chain.agent.die();
    await settled();
    return { chain, passed, held, heldRequest, holds: chain.proxies[1]! };
  }

  test("receives errors for its requests while its earlier messages still reach its client", async () => {
    const { chain, passed, held, heldRequest, holds } = await dying();
    deepEqual(await passed, DEAD);
    deepEqual(await holds.successor("session/new", {}).catch(errorObject), DEAD);
    holds.peer.notify("session/update", { n: 1 });
    heldRequest.respond("in time");
    equal(await held, "in time");
    equal((await chain.conductor.closed).component, "agent");
    deepEqual(chain.notifications[0], ["session/update", { n: 1 }]);
  });

  test("fails the client's request with the successor's error after one second without a response", async () => {
    const { chain, passed, held } = await dying();
    await passed;
    let isAnswered = false;
    void held.then(() => {
      isAnswered = true;
    });
    chain.clock.advance(LAST_ANSWERS_MS - 1);
    await settled();
    equal(isAnswered, false);
    chain.clock.advance(1);
    deepEqual(await held, DEAD);
    equal((await chain.conductor.closed).component, "agent");
  });

  test("forwards the successor's response to initialize", async () => {
    const agent = new MemoryAgent(["initialize"]),
      chain = memoryChain(
        [
          {},
          {
            initialize: (request, proxy) => {
              void proxy.successor("initialize", request.params).catch(async (error: unknown) => {
                await settled();
                request.fail(error);
              });
            },
          },
        ],
        { agent },
      );
    const pending = chain.client.request("initialize", { protocolVersion: 1 }).catch(errorObject);
    (await agent.next("initialize")).fail(new RpcError(-32000, "There is no licence."));
    await agent.die();
    deepEqual(await pending, { code: -32000, message: "There is no licence." });
    equal((await chain.conductor.closed).component, "agent");
  });

  test("is not reported as failed when it has not forwarded initialize", async () => {
    const chain = memoryChain([{ initialize: () => undefined }]);
    const pending = chain.client.request("initialize", { protocolVersion: 1 }).catch(errorObject);
    await settled();
    await chain.agent.die();
    chain.clock.advance(FIRST_MESSAGE_MS);
    deepEqual(await pending, DEAD);
    await chain.conductor.closed;
    deepEqual(
      chain.notices.map(({ kind, component }) => [kind, component]),
      [["failed", "agent"]],
    );
  });
});

suite("internal proxy that ends", () => {
  test("closes the chain without blaming another component", async () => {
    let end = (): Promise<void> => Promise.resolve();
    const chain = memoryChain([
      {
        kind: "internal",
        name: "inside",
        serve: (up, down) => {
          up.start({ receive: frame => void down.send(frame), closed: () => undefined });
          down.start({ receive: frame => void up.send(frame), closed: () => undefined });
          end = async () => {
            await down[Symbol.asyncDispose]();
            await settled();
            await up[Symbol.asyncDispose]();
          };
          return { [Symbol.asyncDispose]: () => end() };
        },
      },
    ]);
    await chain.client.request("initialize", { protocolVersion: 1 });
    const waiting = rejects(chain.client.request("session/prompt", {}), { message: "The chain has ended." });
    await chain.agent.next("session/prompt");
    await end();
    await waiting;
    deepEqual([await chain.conductor.closed, chain.notices], [{ message: "The chain has ended." }, []]);
    equal(chain.agent.received.at(-1), "closed");
  });
});
