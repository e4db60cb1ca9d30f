/**
 * Delivery of tools by evidence (issue 14 item 2): the transport per session, and the first prompt, which waits for
 * `tools/list`.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { MemoryEvidence, type DeliveryEvidence } from "../mcp/delivery/delivery-evidence";
import { LIST_LIMIT_MS } from "../mcp/delivery/delivery-tracker";
import { objectOr, type JsonObject } from "../rpc/json";
import { AGENT, DeliveryRig } from "../testing/mcp/delivery-rig";
import type { FakeClock } from "../../src/protocol/testing/fake-clock";
import { TOOLS } from "../testing/mcp/many-tools";
import { connected } from "../testing/mcp/mcp-fixture";
import { EXTENSION_METHODS } from "../acp/methods";
import { settled } from "../testing/turn";

/**
 * Runs one session until the end of its first turn, in a new chain, as after a restart. `act` runs at `when`: after the
 * setup, while the prompt waits, or during the prompt.
 */
async function session(
  evidence: MemoryEvidence,
  act: (server: JsonObject, clock: FakeClock) => Promise<void>,
  when: "setup" | "wait" | "prompt",
  agent = AGENT,
): Promise<string> {
  let isAsked = false;
  await using rig = new DeliveryRig(
    async (request, [server]) => {
      isAsked = true;
      if (when === "prompt") await act(server!, rig.clock);
      request.respond({ stopReason: "end_turn" });
    },
    ["tools"],
    agent,
    evidence,
  );
  const id = await rig.session(),
    [server] = rig.fixture.lastServers(),
    transport = server!.type === "http" ? "http" : "stdio";
  if (when === "setup") await act(server!, rig.clock);
  const turn = rig.prompt(id);
  await settled();
  const waited = isAsked ? "" : " waits";
  if (when === "wait") await act(server!, rig.clock);
  rig.clock.advance(LIST_LIMIT_MS);
  await turn;
  return `${transport}${waited}${rig.decided[0]?.[1].length === 0 ? "" : " missing"}`;
}

const list = async (server: JsonObject): Promise<void> => {
  await using client = await connected(server);
  await client.listTools();
};
const ignore = async (): Promise<void> => undefined;
suite("MCP bridge: delivery by evidence", () => {
  test("uses http where it works and waits only until the tools are listed", async () => {
    const evidence = new MemoryEvidence();
    deepEqual([await session(evidence, list, "setup"), await session(evidence, list, "setup")], ["http", "http"]);
    deepEqual(evidence.of("ada 1"), {
      transport: "http",
      isListed: true,
      lists: "beforePrompt",
      waitsInVain: 0,
    } satisfies DeliveryEvidence);
  });

  test("uses stdio in the session after an agent did not list tools over http, then http again", async () => {
    const evidence = new MemoryEvidence(),
      sessions: string[] = [];
    for (let i = 0; i < 3; i++) sessions.push(await session(evidence, ignore, "setup"));
    deepEqual(sessions, ["http waits missing", "stdio waits missing", "http missing"]);
  });

  test("stores evidence per program and version", async () => {
    const evidence = new MemoryEvidence();
    await session(evidence, ignore, "setup");
    deepEqual(
      [
        await session(evidence, list, "setup", { ...AGENT, agentInfo: { name: "ada", version: "2" } }),
        evidence.of("ada 1")?.transport,
      ],
      ["http", "http"],
    );
  });

  test("stores the counts of the session whose turn ended last, for doctor", async () => {
    const evidence = new MemoryEvidence();
    await session(evidence, list, "setup");
    const counts = () =>
      evidence.tools("ada 1")?.servers.map(({ delivery, isMissing }) => [delivery.listed, isMissing]);
    deepEqual(counts(), [[TOOLS, false]]);
    await session(evidence, ignore, "setup");
    deepEqual([counts(), evidence.tools("ada 1")?.retry], [[[0, true]], "otherTransport"]);
  });

  test("waits only once for an agent that lists the tools during its prompt", async () => {
    const evidence = new MemoryEvidence();
    deepEqual(
      [await session(evidence, list, "prompt"), await session(evidence, list, "prompt")],
      ["http waits", "http"],
    );
  });

  test("never uses http for an agent that does not advertise it", async () => {
    const evidence = new MemoryEvidence(),
      agent = { ...AGENT, agentCapabilities: {} };
    deepEqual(
      [await session(evidence, ignore, "setup", agent), await session(evidence, ignore, "setup", agent)],
      ["stdio waits missing", "stdio missing"],
    );
  });

  test("sends a waiting prompt once a slow MCP client lists the tools, without delaying other sessions", async () => {
    const prompted: unknown[] = [];
    await using rig = new DeliveryRig(
      request => {
        prompted.push(objectOr(request.params).sessionId);
        request.respond({ stopReason: "end_turn" });
      },
      ["tools"],
      AGENT,
    );
    const first = await rig.session(),
      slow = rig.fixture.lastServers()[0]!;
    const second = String((await rig.fixture.setup("session/new", { cwd: "/", mcpServers: [] })).sessionId);
    await list(rig.fixture.lastServers()[0]!);
    const turn = rig.prompt(first);
    await rig.prompt(second);
    deepEqual(prompted, [second]);
    await list(slow);
    await turn;
    deepEqual(
      [prompted, rig.decided.map(([, missing]) => missing.length)],
      [
        [second, first],
        [0, 0],
      ],
    );
  });

  test("sends a waiting prompt before its cancellation", async () => {
    const order: string[] = [];
    await using rig = new DeliveryRig(
      async (request, _, fixture) => {
        order.push("prompt");
        while (!fixture.agentReceived.some(({ method }) => method === "session/cancel"))
          await new Promise(setImmediate);
        order.push("cancel");
        request.respond({ stopReason: "cancelled" });
      },
      ["tools"],
      AGENT,
    );
    const id = await rig.session(),
      turn = rig.prompt(id);
    await settled();
    deepEqual(order, []);
    rig.fixture.client.notify("session/cancel", { sessionId: id });
    await turn;
    deepEqual([order, rig.decided], [["prompt", "cancel"], []]);
  });

  test("sends a waiting prompt before session/close", async () => {
    const order: string[] = [];
    await using rig = new DeliveryRig(
      request => {
        order.push(request.method);
        request.respond({ stopReason: "end_turn" });
      },
      ["tools"],
      AGENT,
    );
    const id = await rig.session(),
      turn = rig.prompt(id);
    await settled();
    const closed = rig.fixture.client.request("session/close", { sessionId: id }).then(
      () => order.push("closed"),
      () => order.push("closed"),
    );
    await Promise.all([turn, closed]);
    deepEqual(order, ["session/prompt", "closed"]);
  });

  test("rejects a cancelled prompt request immediately while the prompt waits", async () => {
    const cancelling = new AbortController();
    await using rig = new DeliveryRig(request => request.respond({ stopReason: "end_turn" }), ["tools"], AGENT);
    const sessionId = await rig.session();
    const turn = rig.fixture.client.request("session/prompt", { sessionId, prompt: [] }, { signal: cancelling.signal });
    await settled();
    cancelling.abort();
    await rejects(turn, /cancelled/);
  });

  test("answers session_tools with wait: true at the time limit of the first prompt", async () => {
    await using rig = new DeliveryRig(request => request.respond({ stopReason: "end_turn" }), ["tools"], AGENT);
    const id = await rig.session(),
      answered: string[] = [];
    const response = rig.fixture.client
      .request(EXTENSION_METHODS.session_tools, { sessionId: id, wait: true })
      .then(() => answered.push("tools"));
    await settled();
    rig.clock.advance(LIST_LIMIT_MS - 1);
    const turn = rig.prompt(id).then(() => answered.push("prompt"));
    await settled();
    deepEqual(answered, []);
    rig.clock.advance(1);
    await Promise.all([response, turn]);
    equal(answered.length, 2);
  });

  test("reports no missing tools for an agent known to list them after its first turn", async () => {
    const evidence = new MemoryEvidence();
    await using rig = new DeliveryRig(
      request => request.respond({ stopReason: "end_turn" }),
      ["tools"],
      AGENT,
      evidence,
    );
    const id = await rig.session(),
      turn = rig.prompt(id);
    await settled();
    rig.clock.advance(LIST_LIMIT_MS);
    await turn;
    deepEqual(
      rig.decided.map(([, missing]) => missing.length),
      [1],
    );
    await list(rig.fixture.lastServers()[0]!);
    equal(evidence.of("ada 1")?.lists, "later");
    await using next = new DeliveryRig(
      request => request.respond({ stopReason: "end_turn" }),
      ["tools"],
      AGENT,
      evidence,
    );
    const second = await next.session();
    await next.prompt(second); // does not wait
    deepEqual(next.decided, [[second, []]]);
  });

  test("reports missing tools again after a session in which such an agent lists none", async () => {
    const later = { transport: "http", isListed: true, lists: "later" } as const,
      evidence = new MemoryEvidence();
    evidence.set("ada 1", later);
    const sessions = [await session(evidence, ignore, "setup"), await session(evidence, ignore, "setup")];
    deepEqual(sessions, ["http", "stdio waits missing"]);
    evidence.set("ada 1", later);
    await session(evidence, list, "setup");
    equal(evidence.of("ada 1")?.lists, "beforePrompt");
  });

  test("waits again after a session whose agent connected in time but listed too late", async () => {
    const evidence = new MemoryEvidence();
    const slow = async (server: JsonObject, clock: FakeClock): Promise<void> => {
      await using client = await connected(server);
      clock.advance(LIST_LIMIT_MS);
      await settled();
      await client.listTools();
    };
    deepEqual(
      [await session(evidence, slow, "wait"), await session(evidence, list, "wait")],
      ["http waits missing", "http waits"],
    );
  });

  test("waits again, but not forever, for an agent that listed late once", async () => {
    const evidence = new MemoryEvidence(),
      sessions: string[] = [];
    for (let i = 0; i < 6; i++) sessions.push(await session(evidence, list, "prompt"));
    deepEqual(sessions, ["http waits", "http", "http waits", "http", "http", "http"]);
  });

  test("keeps the transport and the evidence when a server cannot list its tools", async () => {
    const evidence = new MemoryEvidence();
    await using rig = new DeliveryRig(
      request => request.respond({ stopReason: "end_turn" }),
      ["tools", "broken"],
      AGENT,
      evidence,
    );
    const id = await rig.session(),
      [tools, broken] = rig.fixture.lastServers();
    await list(tools!);
    await rejects(list(broken!));
    await rig.prompt(id);
    deepEqual(evidence.of("ada 1"), {
      transport: "http",
      isListed: true,
      lists: "beforePrompt",
      waitsInVain: 0,
    } satisfies DeliveryEvidence);
    deepEqual(
      rig.fixture.warnings.map(line => line.split(":")[0]),
      ["the MCP server “broken” could not list its tools"],
    );
  });
});
