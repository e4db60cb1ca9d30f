import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { BYPASSED } from "../../scripts/bypass-notice.mjs";
import { memoryChain, type MemoryChain, type ProxyScript } from "../testing/chain/memory-chain";
import { MemoryAgent } from "../testing/memory-agent";
import type { Channel } from "../rpc/channel";
import type { IncomingRequest } from "../rpc/peer";
import { memoryChannels } from "../rpc/memory-channel";
import { RpcError } from "../rpc/message";
import type { ProxyComponent } from "./component";
import { serveProxy } from "../proxies/serve-proxy";
import type { Proxy } from "../proxies/proxy";
import { settled } from "../testing/turn";
import { deferred } from "../../src/protocol/wire/deferred";

const PASS: ProxyScript = {};
const INITIALIZE = { protocolVersion: 1, clientCapabilities: {}, vendor: { a: 1 } };
const internal = (name: string, create: () => Proxy): ProxyComponent => ({
  kind: "internal",
  name,
  serve: (up, down, ids) => serveProxy({ name, create }, up, down, ids),
});
const nothing = () => internal("quiet", () => ({}));

async function initialized(
  scripts: readonly (ProxyScript | ProxyComponent)[],
  overrides: Parameters<typeof memoryChain>[1] = {},
): Promise<MemoryChain> {
  const chain = memoryChain(scripts, overrides);
  await chain.client.request("initialize", INITIALIZE);
  return chain;
}

suite("Conductor", () => {
  for (const [what, scripts] of Object.entries({
    "no proxy": [],
    "one external proxy": [PASS],
    "one internal proxy": [nothing()],
    "three external proxies": [PASS, PASS, PASS],
    "external and internal proxies in both spellings": [{ spelling: "_proxy" as const }, nothing(), PASS, nothing()],
  })) {
    test(`forwards requests, updates, permissions and notifications in order with ${what}`, async () => {
      const asked: unknown[] = [];
      const chain = await initialized(scripts, {
        client: {
          request: (request: IncomingRequest) => {
            asked.push([request.method, request.params]);
            request.respond({ outcome: { outcome: "selected", optionId: "y" } });
          },
        },
      });
      deepEqual(await chain.client.request("session/new", { cwd: "/", mcpServers: [] }), { sessionId: "s1" });
      const answer = chain.client
        .request("session/prompt", { sessionId: "s1", prompt: [], _meta: { t: 1 } })
        .then(result => {
          chain.notifications.push(result);
        });
      const prompt = await chain.agent.next("session/prompt");
      deepEqual(prompt.params, { sessionId: "s1", prompt: [], _meta: { t: 1 } });
      chain.agent.report("s1", "a");
      deepEqual(await chain.agent.peer.request("session/request_permission", { sessionId: "s1", options: [1] }), {
        outcome: { outcome: "selected", optionId: "y" },
      });
      chain.agent.report("s1", "b");
      prompt.respond({ stopReason: "end_turn" });
      await answer;
      chain.agent.report("s1", "late");
      chain.client.notify("session/cancel", { sessionId: "s1" });
      await settled();
      const updateOf = (text: string) => [
        "session/update",
        { sessionId: "s1", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
      ];
      deepEqual(chain.notifications, [updateOf("a"), updateOf("b"), { stopReason: "end_turn" }, updateOf("late")]);
      deepEqual(asked, [["session/request_permission", { sessionId: "s1", options: [1] }]]);
      equal(chain.agent.received.at(-1), "cancel s1");
      deepEqual([chain.notices, chain.warnings], [[], []]);
      await chain.conductor[Symbol.asyncDispose]();
    });
  }

  test("starts no component before initialize and all components at initialize", async () => {
    const chain = memoryChain([PASS, PASS]);
    await rejects(chain.client.request("session/new", {}), /“session\/new” was received before initialize/);
    chain.client.notify("session/cancel", {});
    await rejects(chain.client.request("initialize", { protocolVersion: "1" }), /protocolVersion must be an integer/);
    await rejects(chain.client.request("proxy/initialize", INITIALIZE), /This process is an agent/);
    deepEqual(chain.started, []);
    await chain.client.request("initialize", INITIALIZE);
    deepEqual(chain.started, ["p1", "p2", "agent"]);
  });

  for (const kind of ["external", "deferred"] as const)
    test(`aborts the start of an ${kind} component when the client disconnects`, async () => {
      const aborted = (signal: AbortSignal): Promise<never> =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      const installing: ProxyComponent =
        kind === "external"
          ? { kind, name: "slow", start: aborted }
          : { kind, name: "slow", of: "external", resolve: aborted };
      const chain = memoryChain([installing]);
      const rejected = ["initialize", "session/new"].map(method => rejects(chain.client.request(method, INITIALIZE)));
      await settled();
      await chain.client[Symbol.asyncDispose]();
      await Promise.all(rejected);
      equal((await chain.conductor.closed).component, undefined);
      deepEqual(chain.notices, []);
    });

  test("bypasses a component that cannot be resolved, with the reason", async () => {
    const chain = await initialized([
      {
        kind: "deferred",
        name: "lost",
        of: "external",
        resolve: () => Promise.reject(new Error("It is not in the registry.")),
      },
      PASS,
    ]);
    deepEqual(await chain.client.request("session/new", { cwd: "/", mcpServers: [] }), { sessionId: "s1" });
    deepEqual(
      chain.notices.map(({ kind, component, message }) => [kind, component, message]),
      [["bypassed", "lost", "The agent extension “lost” is skipped: It is not in the registry."]],
    );
    await chain.conductor[Symbol.asyncDispose]();
  });

  test("keeps the order of messages that arrive while a component starts", async () => {
    const { promise: waiting, resolve: proceed } = deferred<void>();
    const slow: ProxyComponent = {
      kind: "deferred",
      name: "slow",
      of: "internal",
      resolve: () => waiting.then(nothing),
    };
    const chain = memoryChain([slow]),
      answer = chain.client.request("initialize", INITIALIZE);
    for (let i = 0; i < 200; i++) chain.client.notify("session/cancel", { sessionId: `s${i}` });
    await settled();
    proceed();
    await answer;
    await settled();
    deepEqual(
      chain.agent.received.filter(line => line.startsWith("cancel")),
      Array.from({ length: 200 }, (_, i) => `cancel s${i}`),
    );
    await chain.conductor[Symbol.asyncDispose]();
  });

  test("initializes each proxy in its own spelling and keeps its additions to initialize", async () => {
    const adding: ProxyScript = {
      initialize: (request, proxy) => {
        proxy.successor("initialize", { ...(request.params as object), added: true }).then(
          result => request.respond({ ...(result as object), title: "mine" }),
          (error: unknown) => request.fail(error),
        );
      },
    };
    const agent = new MemoryAgent(["initialize"]);
    const chain = memoryChain([{ spelling: "_proxy" }, adding], { agent });
    const answer = chain.client.request("initialize", INITIALIZE);
    const request = await agent.next("initialize");
    deepEqual(request.params, { ...INITIALIZE, added: true });
    request.respond({ protocolVersion: 1, future: [1] });
    deepEqual(await answer, {
      protocolVersion: 1,
      future: [1],
      title: "mine",
      agentCapabilities: { mcpCapabilities: { acp: true } },
    });
    deepEqual(
      chain.proxies.map(({ received }) => received),
      [["_proxy/initialize"], ["_proxy/initialize", "proxy/initialize"]],
    );
  });

  test("forwards a cancellation hop by hop and still returns the response", async () => {
    const chain = await initialized([PASS, nothing(), { spelling: "_proxy" }]);
    const call = new Promise(resolve => {
      const pending = chain.client.call("session/prompt", { sessionId: "s" }, resolve);
      void chain.agent.next("session/prompt").then(request => {
        request.signal.addEventListener("abort", () => request.fail(new RpcError(-32800, "cancelled")));
        pending.cancel();
      });
    });
    const { ok, error } = (await call) as { ok: boolean; error: RpcError };
    deepEqual([ok, error.code], [false, -32800]);
  });

  test("forwards unknown methods, members and responses unchanged", async () => {
    const chain = await initialized([PASS, nothing(), PASS]);
    const params = { list: [1, { x: null }], text: '\u2028"\\' };
    const answer = chain.client.request("_vendor/unknown", params);
    const request = await chain.agent.next("_vendor/unknown");
    deepEqual(request.params, params);
    request.fail(new RpcError(-31999, "mine", { detail: [true] }));
    await rejects(answer, { code: -31999, message: "mine", data: { detail: [true] } });
  });

  suite("bypassing a proxy that fails before it is initialized", () => {
    const reasons: Record<string, readonly [ProxyScript, RegExp]> = {
      "bypasses a proxy that exits": [{ initialize: (_, proxy) => void proxy.die() }, /“p1” is skipped: p1 died/],
      "bypasses a proxy that exits after its request to the successor": [
        {
          initialize: (request, proxy) => {
            proxy.forward(request, "initialize");
            void settled().then(() => proxy.die());
          },
        },
        /p1 died/,
      ],
      "bypasses a proxy that supports neither spelling": [
        { spelling: "other" as "proxy" },
        /implements neither proxy\/initialize nor/,
      ],
      "bypasses a proxy that responds with an error": [
        { initialize: request => request.fail(new RpcError(-1, "no licence")) },
        /error: no licence/,
      ],
      "bypasses a proxy that responds before its successor": [
        { initialize: request => request.respond({ protocolVersion: 1 }) },
        /before its successor/,
      ],
      "bypasses a proxy that changes the version in the request": [
        { initialize: (_, proxy) => void proxy.successor("initialize", { protocolVersion: 2 }).catch(() => undefined) },
        /version/,
      ],
      "bypasses a proxy that changes the version in the response": [
        {
          initialize: (request, proxy) =>
            void proxy.successor("initialize", request.params).then(() => request.respond({ protocolVersion: 2 })),
        },
        /version/,
      ],
    };
    for (const [what, [script, why]] of Object.entries(reasons)) {
      test(what, async () => {
        const hold = what.includes("after its request");
        const agent = hold ? new MemoryAgent(["initialize"]) : new MemoryAgent();
        const chain = memoryChain([script, PASS], { agent });
        const answer = chain.client.request("initialize", INITIALIZE);
        if (hold) {
          const request = await agent.next("initialize");
          await settled();
          request.respond({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } });
        }
        deepEqual(await answer, {
          protocolVersion: 1,
          agentCapabilities: { sessionCapabilities: { close: {} }, mcpCapabilities: { acp: true } },
        });
        deepEqual(await chain.client.request("session/new", { mcpServers: [] }), { sessionId: "s1" });
        equal(agent.received.filter(method => method === "initialize").length, 1);
        equal(chain.notices.length, 1);
        match(chain.notices[0]?.message ?? "", why);
        match(chain.notices[0]?.message ?? "", BYPASSED);
        equal(chain.proxies[0]?.stopped, true);
      });
    }

    test("bypasses a proxy that cannot be created or started", async () => {
      const broken: ProxyComponent = {
        kind: "external",
        name: "nix",
        start: () => Promise.reject(new Error("nix was not found.")),
      };
      const chain = await initialized([
        broken,
        internal("ill", () => {
          throw new Error("ill");
        }),
      ]);
      deepEqual(chain.notices.map(({ message }) => message).sort(), [
        "The agent extension “ill” is skipped: it could not be started.",
        "The agent extension “nix” is skipped: nix was not found.",
      ]);
      deepEqual(await chain.client.request("session/new", { mcpServers: [] }), { sessionId: "s1" });
    });

    test("shows a notice for a hanging proxy after 10 s and bypasses it after 30 s of its own time", async () => {
      const chain = memoryChain([{ initialize: () => undefined }]);
      const answer = chain.client.request("initialize", INITIALIZE);
      await settled();
      chain.clock.advance(9_999);
      equal(chain.notices.length, 0);
      chain.clock.advance(1);
      match(chain.notices.at(0)?.message ?? "", /“p1” is still starting/);
      chain.clock.advance(20_000);
      match(chain.notices.at(1)?.message ?? "", /“p1” is skipped: it did not respond within 30 seconds/);
      await answer;
    });

    test("excludes the successor's time from the limit, so that a slow agent is awaited", async () => {
      const agent = new MemoryAgent(["initialize"]);
      const chain = memoryChain([PASS], { agent });
      const answer = chain.client.request("initialize", INITIALIZE);
      const request = await agent.next("initialize");
      chain.clock.advance(120_000);
      deepEqual(
        chain.notices.map(({ message }) => message),
        ["agent is still starting."],
      );
      request.respond({ protocolVersion: 1 });
      await answer;
      equal(chain.notices.length, 1);
    });
  });

  suite("failure after initialization", () => {
    test("names the failed proxy in the errors of all waiting requests", async () => {
      const chain = await initialized([PASS, { request: request => request.method === "session/prompt" }, PASS]);
      const prompt = rejects(chain.client.request("session/prompt", {}), {
        message: "p2 died.",
        code: -32603,
        data: { component: "p2", details: "The other side closed the connection." },
      });
      const fromAgent = rejects(chain.agent.peer.request("fs/read_text_file", { path: "/a" }), /no fs\/read_text_file/);
      await settled();
      await chain.proxies[1]?.die();
      await prompt;
      await fromAgent;
      const { message, component } = await chain.conductor.closed;
      deepEqual([message, component], ["p2 died.", "p2"]);
      await settled();
      deepEqual(
        chain.notices.map(({ kind, component }) => [kind, component]),
        [["failed", "p2"]],
      );
      deepEqual(
        [...chain.proxies.map(({ stopped }) => stopped), chain.agent.received.at(-1)],
        [true, true, true, "closed"],
      );
      await rejects(chain.client.request("session/prompt", {}), /closed/);
    });

    test("fails every waiting request when the agent exits, for any chain and moment of a turn", async () => {
      for (const scripts of [[], [PASS], [nothing(), PASS, nothing()]]) {
        for (const moment of ["initialize", "session/new", "session/prompt"]) {
          const agent = new MemoryAgent(["initialize", "session/new"]);
          const chain = memoryChain(scripts, { agent });
          const asked = (method: string) => chain.client.request(method, { ...INITIALIZE, mcpServers: [] });
          for (const method of ["initialize", "session/new", "session/prompt"]) {
            const answer = asked(method);
            const request = await agent.next(method);
            if (method === moment) {
              await agent.die();
              await rejects(answer, { message: "agent died." }, `${method} ${scripts.length}`);
              break;
            }
            request.respond(method === "initialize" ? { protocolVersion: 1 } : { sessionId: "s" });
            await answer;
          }
          equal((await chain.conductor.closed).component, "agent");
        }
      }
    });

    test("names the agent in the error when the exit of its process has no description", async () => {
      const [ours, theirs] = memoryChannels(),
        failing = {
          channel: theirs,
          stop: async () => {
            await theirs[Symbol.asyncDispose]();
          },
          lastWords: () => "",
        };
      const chain = memoryChain([PASS], { options: { last: { kind: "agent", name: "Ada", start: () => failing } } });
      const answer = rejects(chain.client.request("initialize", INITIALIZE), {
        message: "Ada: The other side closed the connection.",
        data: { component: "Ada" },
      });
      await settled();
      await ours[Symbol.asyncDispose]();
      await answer;
    });

    const exited: Channel = {
      start: receiver => queueMicrotask(() => receiver.closed({ message: "Ada could not be started." })),
      send: () => true,
      drained: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const withExited = (scripts: readonly (ProxyScript | ProxyComponent)[]): MemoryChain => {
      const running = { channel: exited, stop: () => Promise.resolve(), lastWords: () => "" };
      return memoryChain(scripts, { options: { last: { kind: "agent", name: "Ada", start: () => running } } });
    };
    for (const [what, scripts] of Object.entries({
      "no proxy": [],
      "a proxy": [PASS],
      "an internal proxy": [nothing()],
    }))
      test(`answers initialize with the reason if the agent has exited before, behind ${what}`, async () => {
        await rejects(withExited(scripts).client.request("initialize", INITIALIZE), {
          message: "Ada could not be started.",
          data: { component: "Ada" },
        });
      });

    test("reports an agent that has exited while a proxy starts", async () => {
      const chain = withExited([{ initialize: () => undefined }]),
        answer = chain.client.request("initialize", INITIALIZE);
      await settled();
      chain.clock.advance(100);
      await rejects(answer, { message: "Ada could not be started.", data: { component: "Ada" } });
    });

    test("stops all components without a failure when the client disconnects", async () => {
      const chain = await initialized([PASS, nothing()]);
      await chain.client[Symbol.asyncDispose]();
      const { component } = await chain.conductor.closed;
      deepEqual(
        [component, chain.proxies[0]?.stopped, chain.agent.received.at(-1), chain.notices],
        [undefined, true, "closed", []],
      );
    });
  });
});
