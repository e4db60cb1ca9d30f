/**
 * VS Code's tools in a chain of the proxy, the bridge with its real endpoint, and an agent that connects with the SDK's
 * client.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { RpcError } from "../../rpc/message";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { mcpBridge } from "../../conductor/mcp-bridge";
import { AGENT, fixedEvidence } from "../../testing/mcp/delivery-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../../testing/memory-agent";
import { memoryChain } from "../../testing/chain/memory-chain";
import { bridge, resultText } from "../../testing/mcp/mcp-ends";
import { connected, HTTP_AGENT, Signal, Fixture, type FixtureOptions } from "../../testing/mcp/mcp-fixture";
import { rig, type FakeNeighbour } from "../../testing/chain/proxy-rig";
import { turn } from "../../testing/turn";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { toMcp } from "./tool-results";
import { ToolOffers, type OfferedCall, type ToolOffer } from "./tool-offer";
import { offering, TOOLS_KEY, toolsComponent, vscodeTools } from "./tools-proxy";
import { EXTENSION_METHODS } from "../../acp/methods";

const tool = (name: string): ChatTool => ({ name, description: name });
const TOOLS = Array.from({ length: 60 }, (_, i) => tool(`tool_${i}`));
const OTHER_SERVER = { name: "other", command: "/bin/other", args: [], env: [] };
const options = { clock: new FakeClock(), version: "1" };

class Offered {
  readonly offers = new ToolOffers(() => undefined);
  readonly calls: OfferedCall[] = [];
  readonly asked = new Signal();
  open(tools: readonly ChatTool[] = TOOLS): ToolOffer {
    return this.offers.open({
      tools,
      duplicates: true,
      called: call => {
        this.calls.push(call);
        this.asked.fire();
      },
    });
  }
  fixture(overrides: Partial<FixtureOptions> = {}): Fixture {
    return new Fixture({ stages: [vscodeTools(this.offers, options), bridge()], ...overrides });
  }
}
const withTools = (offer: ToolOffer, overrides: JsonObject = {}): JsonObject => ({
  cwd: "/",
  mcpServers: [OTHER_SERVER],
  _meta: { theirs: 1, ...offering(offer) },
  ...overrides,
});
const assertWithdrawn = (server: JsonObject) => rejects(connected(server));
const assertConnects = async (server: JsonObject) => (await connected(server))[Symbol.asyncDispose]();

suite("VS Code tools proxy", () => {
  test("adds one server to a session with a key and removes the key", async () => {
    const offered = new Offered(),
      offer = offered.open();
    await using fixture = offered.fixture();
    await fixture.initialize();
    const { servers } = await fixture.setup("session/new", withTools(offer));
    deepEqual(
      servers.map(({ name }) => name),
      ["other", offer.server],
    );
    deepEqual(fixture.setups[0]!.params._meta, { theirs: 1 });
    await fixture.setup("session/new", withTools(offer, { _meta: offering(offer) }));
    equal("_meta" in fixture.setups[1]!.params, false);
    await using client = await connected(servers[1]!);
    equal((await client.listTools()).tools.length, 60);
    match(String(client.getInstructions()), /VS Code/);
  });

  test("does not count the bridge's tool count as a list request of the agent", async () => {
    const offered = new Offered(),
      offer = offered.open();
    const evidence = fixedEvidence({ transport: "http", isListed: true, lists: "inPrompt" });
    await using fixture = new Fixture({
      stages: [vscodeTools(offered.offers, options), mcpBridge({ clock: new FakeClock(), evidence })],
      initialized: AGENT,
      agent: request => {
        if (request.method !== "session/prompt") return false;
        request.respond({ stopReason: "end_turn" });
        return true;
      },
    });
    await fixture.initialize();
    const { sessionId } = await fixture.setup("session/new", withTools(offer));
    await fixture.client.request("session/prompt", { sessionId, prompt: [] });
    const { servers } = objectOr(await fixture.client.request(EXTENSION_METHODS.session_tools, { sessionId }));
    deepEqual(
      arrayOr(servers).map(server => objectOr(server).offered),
      [60],
    );
    offer.update([tool("new")], true);
    equal(offer.isOutdated, false);
  });

  test("forwards the bytes of a session without a key unchanged", () => {
    const { client, successor } = rig(vscodeTools(new ToolOffers(() => undefined), options).create);
    const line = `{"jsonrpc":"2.0",  "id":7,"method":"session/new","params":{"cwd":"/", "mcpServers":[],"_meta":{"${TOOLS_KEY}":7}}}`;
    client.deliver(line);
    equal(successor.frames.at(-1)?.bytes.toString(), line);
    successor.deliver(`{"jsonrpc":"2.0",  "id":7,"result":{ "sessionId":"s" }}`);
    return turn().then(() => match(String(client.frames.at(-1)?.bytes.toString()), /"result":\{ "sessionId":"s" \}/));
  });

  test("removes an unknown key and continues the session", async () => {
    const offered = new Offered(),
      offer = offered.open();
    offer.close();
    await using fixture = offered.fixture();
    await fixture.initialize();
    const { servers } = await fixture.setup("session/new", withTools(offer));
    deepEqual(servers, [OTHER_SERVER]);
    deepEqual(fixture.setups[0]!.params._meta, { theirs: 1 });
    equal(fixture.warnings.length, 1);
  });

  for (const method of ["session/load", "session/resume", "session/fork"])
    test(`offers the tools on ${method} and withdraws the session's earlier server`, async () => {
      const offered = new Offered(),
        offer = offered.open(),
        two = offered.open([tool("new")]);
      await using fixture = offered.fixture();
      await fixture.initialize();
      const first = await fixture.setup("session/new", withTools(offer)),
        { servers, sessionId } = await fixture.setup(method, { ...withTools(two), sessionId: first.sessionId });
      await using client = await connected(servers[1]!);
      deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ["new"],
      );
      await (method === "session/fork" ? assertConnects : assertWithdrawn)(first.servers[1]!);
      await fixture.client.request("session/close", { sessionId });
      await assertWithdrawn(servers[1]!);
    });

  type Played = { readonly method: string; readonly answer: JsonObject; readonly isWithdrawn: boolean };
  const endings: readonly Played[] = [
    { method: "session/close", answer: { result: {} }, isWithdrawn: true },
    { method: "session/delete", answer: { result: {} }, isWithdrawn: true },
    { method: "session/close", answer: { error: { code: -32002, message: "?" } }, isWithdrawn: true },
    { method: "session/close", answer: { error: { code: -32603, message: "busy" } }, isWithdrawn: false },
    { method: "session/cancel", answer: { result: {} }, isWithdrawn: false },
  ];
  /**
   * Starts the proxy between simulated neighbours and requests a session. `isServed` queries the server directly,
   * without the bridge.
   */
  function simulated() {
    const offered = new Offered(),
      offer = offered.open(),
      watch = offer.watch.bind(offer);
    let watched = 0;
    offer.watch = watcher => {
      const watching = watch(watcher);
      watched++;
      return {
        [Symbol.dispose]: () => {
          watched--;
          watching[Symbol.dispose]();
        },
      };
    };
    const { client, successor } = rig(vscodeTools(offered.offers, options).create);
    const send = async (neighbour: FakeNeighbour, message: JsonObject): Promise<void> => {
      neighbour.deliver(message as never);
      await turn();
      await turn();
    };
    client.deliver({ id: 1, method: "session/new", params: { mcpServers: [], _meta: offering(offer) } } as never);
    const { serverId } = objectOr(arrayOr(objectOr(objectOr(successor.frames.at(-1)?.message).params).mcpServers)[0]);
    const isServed = async (): Promise<boolean> => {
      client.news();
      await send(successor, { id: 9, method: "mcp/connect", params: { serverId } });
      return client.news().length === 0; // messages for other servers are forwarded
    };
    return {
      offer,
      isServed,
      fromClient: (message: JsonObject) => send(client, message),
      fromAgent: (message: JsonObject) => send(successor, message),
      leave: () => client.leaves({ message: "gone" }),
      watched: () => watched,
    };
  }

  for (const { method, answer, isWithdrawn } of endings)
    test(`${isWithdrawn ? "withdraws" : "keeps"} the server if ${method} is answered with ${JSON.stringify(answer)}`, async () => {
      const { isServed, fromClient, fromAgent } = simulated();
      await fromAgent({ id: 1, result: { sessionId: "s" } });
      await fromClient({ id: 2, method, params: { sessionId: "s" } });
      await fromAgent({ id: 2, ...answer });
      equal(await isServed(), !isWithdrawn);
    });

  test("withdraws the server and its watcher when the session setup fails", async () => {
    const { isServed, fromAgent, watched } = simulated();
    equal(watched(), 1);
    await fromAgent({ id: 1, error: { code: -32603, message: "no" } });
    deepEqual([await isServed(), watched()], [false, 0]);
  });

  test("withdraws the server of a closed offer, also during the session setup", async () => {
    for (const isOpen of [true, false]) {
      const { offer, isServed, fromAgent } = simulated();
      if (isOpen) await fromAgent({ id: 1, result: { sessionId: "s" } });
      offer.close();
      await turn();
      equal(await isServed(), false);
    }
  });

  test("stops watching the offer when the chain closes", async () => {
    const { fromAgent, leave, watched } = simulated();
    await fromAgent({ id: 1, result: { sessionId: "s" } });
    leave();
    for (let i = 0; i < 5; i++) await turn();
    equal(watched(), 0);
  });

  test("withdraws the server when the session setup fails and when the offer closes", async () => {
    const offered = new Offered(),
      failing = offered.open(),
      offer = offered.open();
    let fails = true;
    await using fixture = offered.fixture({
      agent: request => {
        if (request.method !== "session/new" || !fails) return false;
        request.fail(new RpcError(-32603, "no"));
        return true;
      },
    });
    await fixture.initialize();
    await rejects(fixture.setup("session/new", withTools(failing)), /no/);
    await assertWithdrawn(fixture.lastServers()[1]!);
    fails = false;
    const { servers } = await fixture.setup("session/new", withTools(offer));
    const client = await connected(servers[1]!),
      open = client.callTool({ name: "tool_1" });
    await offered.asked.times(1);
    offer.close();
    await open.then(
      result => equal(result.isError, true),
      () => undefined,
    ); // or the connection closed before the answer
    equal(offered.calls[0]!.signal.aborted, true);
    await client.close();
  });

  test("names the server vsctools, and appends a number while another session is open", async () => {
    const offered = new Offered(),
      offers = [offered.open(), offered.open(), offered.open()] as const;
    await using fixture = offered.fixture();
    await fixture.initialize();
    const nameOf = async (offer: ToolOffer) => {
      const { servers, sessionId } = await fixture.setup("session/new", withTools(offer));
      equal(servers[1]!.name, offer.server);
      return { name: offer.server, sessionId };
    };
    const first = await nameOf(offers[0]);
    deepEqual([first.name, (await nameOf(offers[1])).name], ["vsctools", "vsctools2"]);
    await fixture.client.request("session/close", { sessionId: first.sessionId });
    equal((await nameOf(offers[2])).name, "vsctools");
    equal(offers[2].qualified.toolNamed("mcp__vsctools2__tool_1"), undefined);
  });

  test("keeps the name of a renewed session unless another session uses that name", async () => {
    const offered = new Offered(),
      terms = { tools: TOOLS, duplicates: true, called: () => undefined };
    await using fixture = offered.fixture();
    await fixture.initialize();
    for (const [preferred, name] of [
      ["vsctools3", "vsctools3"],
      ["vsctools3", "vsctools"],
    ] as const) {
      const offer = offered.offers.open(terms, preferred);
      await fixture.setup("session/resume", withTools(offer, { sessionId: name }));
      equal(offer.server, name);
    }
  });

  test("never uses the name of another program's server, also not in a later session", async () => {
    const offered = new Offered();
    await using fixture = offered.fixture();
    await fixture.initialize();
    const { name: _, ...other } = OTHER_SERVER,
      first = offered.open();
    const { servers } = await fixture.setup(
      "session/new",
      withTools(first, { mcpServers: [{ ...other, name: "vsctools" }] }),
    );
    deepEqual(
      servers.map(({ name }) => name),
      ["vsctools", "vsctools2"],
    );
    equal(first.qualified.toolNamed("mcp__vsctools__tool_1"), undefined);
    first.close();
    const later = offered.open();
    await fixture.setup("session/new", withTools(later));
    equal(later.server, "vsctools2");
  });

  test("separates server, list and calls of two sessions", async () => {
    const offered = new Offered(),
      offer = offered.open([tool("a")]),
      two = offered.open([tool("a")]);
    await using fixture = offered.fixture();
    await fixture.initialize();
    const [first, second] = [
      await fixture.setup("session/new", withTools(offer)),
      await fixture.setup("session/new", withTools(two)),
    ];
    ok(first.servers[1]!.name !== second.servers[1]!.name);
    await using a = await connected(first.servers[1]!);
    await using b = await connected(second.servers[1]!);
    const answers = [
      a.callTool({ name: "a", arguments: { from: 1 } }),
      b.callTool({ name: "a", arguments: { from: 2 } }),
    ];
    await offered.asked.times(2);
    for (const { args, answer } of offered.calls) answer(toMcp(`for ${String(args.from)}`));
    deepEqual((await Promise.all(answers)).map(resultText), ["for 1", "for 2"]);
  });
});

suite("VS Code's tools over HTTP, through a conductor", () => {
  async function chain(offered: Offered, clock = new FakeClock()) {
    const agent = new MemoryAgent(["session/new"], HTTP_AGENT),
      warnings: string[] = [],
      offer = offered.open();
    const memory = memoryChain([toolsComponent(offered.offers, { clock, version: "1" }, what => warnings.push(what))], {
      agent,
    });
    await memory.client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opened = memory.client.request("session/new", withTools(offer)),
      request = await agent.next("session/new");
    const server = arrayOr(objectOr(request.params).mcpServers).filter(isObject)[1]!;
    return {
      ...memory,
      offer,
      server,
      warnings,
      clock,
      open: async () => {
        request.respond({ sessionId: "s" });
        return opened;
      },
    };
  }

  test("serves list and call requests before the agent responds to session/new", async () => {
    const offered = new Offered(),
      { server, open, conductor } = await chain(offered);
    await using client = await connected(server);
    equal((await client.listTools()).tools.length, 60);
    const called = client.callTool({ name: "tool_7" });
    await offered.asked.times(1);
    offered.calls[0]!.answer(toMcp("early"));
    equal(resultText(await called), "early");
    await open();
    await conductor[Symbol.asyncDispose]();
  });

  test("serves 1 to 20 parallel calls with results in any order, partial and duplicate", async () => {
    const offered = new Offered(),
      { server, open, conductor, offer, warnings } = await chain(offered);
    await open();
    await using client = await connected(server);
    let before = 0;
    for (let n = 1; n <= 20; n++) {
      const results = Array.from({ length: n }, (_, i) => client.callTool({ name: `tool_${i}`, arguments: { i } }));
      await offered.asked.times(before + n);
      const calls = offered.calls
        .slice(before)
        .sort((a, b) => ((Number(a.args.i) * 7) % n) - ((Number(b.args.i) * 7) % n));
      ok(calls.every(({ signal }) => !signal.aborted));
      const later = calls.splice(0, Math.floor(n / 2));
      for (const call of calls) {
        call.answer(toMcp(call.toolName));
        call.answer(toMcp("twice"));
      }
      await Promise.all(results.filter((_, i) => calls.some(({ args }) => args.i === i)));
      for (const call of later) call.answer(toMcp(call.toolName));
      deepEqual(
        (await Promise.all(results)).map(resultText),
        Array.from({ length: n }, (_, i) => `tool_${i}`),
      );
      before += n;
    }
    equal(offered.calls.length, 210);
    offer.close();
    await conductor[Symbol.asyncDispose]();
    deepEqual(warnings, []);
  });

  test("forwards progress to the agent and cancellations to VS Code", async () => {
    const offered = new Offered(),
      { server, open, conductor, clock } = await chain(offered);
    await open();
    await using client = await connected(server);
    const progress = new Signal(),
      withdrawn = new AbortController();
    const called = rejects(
      client.callTool({ name: "tool_1" }, undefined, { onprogress: progress.fire, signal: withdrawn.signal }),
    );
    await offered.asked.times(1);
    clock.advance(15_000);
    await progress.times(1);
    clock.advance(15_000);
    await progress.times(2);
    const aborted = new Promise<void>(resolve => offered.calls[0]!.signal.addEventListener("abort", () => resolve()));
    withdrawn.abort();
    await Promise.all([called, aborted]);
    await conductor[Symbol.asyncDispose]();
  });

  test("aborts waiting calls when the chain closes and keeps the offer for the next chain", async () => {
    const offered = new Offered(),
      { server, open, conductor, offer } = await chain(offered);
    await open();
    const client = await connected(server),
      failed = client.callTool({ name: "tool_1" }).catch(() => undefined);
    await offered.asked.times(1);
    await conductor[Symbol.asyncDispose]();
    await failed;
    equal(offered.calls[0]!.signal.aborted, true);
    equal(offered.offers.find(offer.key), offer);
    await client.close();
  });
});
