/** The bridge's record of a session's tools (issue 14 item 1), with SDK clients in place of agents. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { LISTS_ON_DEMAND } from "../mcp/agent-mcp-capabilities";
import { Delivery, DeliveryTracker } from "../mcp/delivery/delivery-tracker";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import type { IncomingRequest } from "../rpc/peer";
import { AGENT, DeliveryRig, fixedEvidence, type Prompted } from "../testing/mcp/delivery-rig";
import { TOOLS } from "../testing/mcp/many-tools";
import { connected } from "../testing/mcp/mcp-fixture";

/** The evidence states that the agent lists tools during a prompt, so that no prompt waits. */
function rigOf(onPrompt: Prompted, names?: readonly string[], initialized = AGENT): DeliveryRig {
  const evidence = fixedEvidence({ transport: "http", isListed: true, lists: "inPrompt" });
  return new DeliveryRig(onPrompt, names, { ...initialized, agentInfo: AGENT.agentInfo }, evidence);
}

const end = (request: IncomingRequest, stopReason = "end_turn"): void => request.respond({ stopReason });
const ALL = TOOLS;

suite("MCP bridge: tool delivery", () => {
  test("counts connections, listed tools and calls", async () => {
    await using rig = rigOf(async (request, [server]) => {
      await using client = await connected(server!);
      const { tools } = await client.listTools();
      await client.callTool({ name: tools[0]!.name, arguments: {} });
      end(request);
    });
    const id = await rig.session();
    deepEqual(await rig.record(id), [
      { server: "tools", transport: "http", stage: "offered", connections: 0, listed: 0, calls: 0 },
    ]);
    await rig.prompt(id);
    deepEqual(await rig.record(id), [
      { server: "tools", transport: "http", stage: "called", offered: ALL, connections: 1, listed: ALL, calls: 1 },
    ]);
    deepEqual(rig.decided, [[id, []]]);
  });

  test("reports the number of missing tools after the first turn of an agent that ignores mcpServers", async () => {
    await using rig = rigOf(request => end(request), ["one", "two"]);
    const id = await rig.session();
    deepEqual(rig.decided, []);
    await rig.prompt(id);
    await rig.prompt(id);
    const lacking = (server: string) => ({
      server,
      transport: "http",
      stage: "offered",
      offered: ALL,
      connections: 0,
      listed: 0,
      calls: 0,
    });
    deepEqual(rig.decided, [[id, [lacking("one"), lacking("two")]]]);
  });

  test("reports only the servers that were not listed", async () => {
    await using rig = rigOf(
      async (request, [one, two]) => {
        await using first = await connected(one!),
          _second = await connected(two!);
        await first.listTools();
        end(request);
      },
      ["one", "two"],
    );
    await rig.prompt(await rig.session());
    deepEqual(
      rig.decided[0]?.[1].map(({ server, stage, offered }) => [server, stage, offered]),
      [["two", "connected", ALL]],
    );
  });

  test("reports nothing for an agent that lists late, has no prompt, is cancelled, fails or exits", async () => {
    const turns: Prompted[] = [
      request => end(request, "cancelled"),
      request => end(request, "refusal"),
      request => request.fail(new Error("model error")),
      async (request, [server]) => {
        await using client = await connected(server!);
        await client.listTools();
        end(request);
      },
    ];
    await using rig = rigOf((request, servers, fixture) => turns.shift()!(request, servers, fixture));
    const id = await rig.session();
    for (let i = 0; i < 4; i++) await rig.prompt(id).catch(() => undefined);
    deepEqual(rig.decided, [[id, []]]);
    await using dying = rigOf((_, __, fixture) => fixture.agent[Symbol.asyncDispose]());
    await dying.prompt(await dying.session()).catch(() => undefined);
    deepEqual(dying.decided, []);
  });

  test("decides at the end of the turn in ACP v2, where the prompt response is only a receipt", async () => {
    const order: string[] = [];
    await using rig = rigOf(
      (request, _, { agent }) => {
        // ends the previous turn
        agent.notify("session/update", { sessionId: "s1", update: { sessionUpdate: "state_update", state: "idle" } });
        request.respond({});
        agent.notify("session/update", {
          sessionId: "s1",
          update: { sessionUpdate: "state_update", state: "running" },
        });
        order.push(`running: ${rig.decided.length}`);
        agent.notify("session/update", {
          sessionId: "s1",
          update: { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" },
        });
      },
      ["tools"],
      { protocolVersion: 2, capabilities: { session: { mcp: { http: {} } } } },
    );
    const id = await rig.session();
    await rig.prompt(id);
    while (rig.decided.length === 0) await new Promise(setImmediate);
    deepEqual([order, rig.decided.map(([of, missing]) => [of, missing.length])], [["running: 0"], [["s1", 1]]]);
  });

  test("counts one turn in ACP v2 for all prompts that join it", async () => {
    const state = (state: string, stopReason?: string) => ({
      sessionId: "s1",
      update: { sessionUpdate: "state_update", state, ...(stopReason === undefined ? {} : { stopReason }) },
    });
    let prompts = 0;
    await using rig = rigOf(
      (request, _, { agent }) => {
        prompts++;
        if (prompts === 2) return request.fail(new Error("busy"));
        request.respond({});
        if (prompts === 1) agent.notify("session/update", state("running"));
        else agent.notify("session/update", state("idle", "end_turn"));
      },
      ["tools"],
      { protocolVersion: 2, capabilities: { session: { mcp: { http: {} } } } },
    );
    const id = await rig.session();
    await rig.prompt(id);
    await rejects(rig.prompt(id));
    equal(rig.tracker.of(id)?.isRunning, true);
    await rig.prompt(id);
    while (rig.decided.length === 0) await new Promise(setImmediate);
    equal(rig.tracker.of(id)?.isRunning, false);
  });

  test("reports nothing for an agent that declares listing on demand", async () => {
    await using rig = rigOf(request => end(request), ["tools"], {
      protocolVersion: 1,
      agentCapabilities: { mcpCapabilities: { http: true }, _meta: { [LISTS_ON_DEMAND]: true } },
    });
    const id = await rig.session();
    await rig.prompt(id);
    deepEqual(rig.decided, []);
  });

  test("keeps the record of a running or recently used session when many sessions follow", () => {
    const tracker = new DeliveryTracker();
    const options = { clock: new FakeClock(), http: true, onDemand: false, evidence: undefined };
    const create = (id: string): Delivery => {
      const delivery = new Delivery([], options);
      tracker.set(id, delivery);
      return delivery;
    };
    const running = create("running"),
      used = create("used");
    running.add({ kind: "turnStarted" });
    create("unused");
    tracker.used("used");
    for (let i = 0; i < 254; i++) create(`title ${i}`);
    equal(tracker.of("used"), used);
    for (let i = 0; i < 300; i++) create(`aside ${i}`);
    deepEqual([tracker.of("running"), tracker.of("used"), tracker.of("unused")], [running, undefined, undefined]);
  });

  test("deletes the record when the session closes", async () => {
    await using rig = rigOf(request => end(request));
    const id = await rig.session();
    equal((await rig.record(id)).length, 1);
    await rig.fixture.client.request("session/close", { sessionId: id });
    deepEqual(await rig.record(id), []);
  });
});
