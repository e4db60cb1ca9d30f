/**
 * Tests call routing and permission requests for an agent that offers every session's servers in all sessions of its
 * process (issue 14 item 3).
 */
import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { objectOr, type JsonObject } from "../rpc/json";
import { SharingAgent } from "../testing/mcp/sharing-agent";
import type { StatelessServer } from "../mcp/revision";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ANNOUNCE_LIMIT_MS, CallRouter } from "./call-router";
import { propertyRuns } from "../../src/protocol/testing/property-runs";

suite("MCP bridge: an agent that shares servers between sessions", () => {
  test("routes a call from session B at the server of session A to session B", async () => {
    await using agent = await SharingAgent.open(2);
    await agent.begin(1);
    await agent.announce(1, 0, "t1", { note: "B" });
    deepEqual([await agent.call(0, { note: "B" }), agent.asked], ["kept in s2", [["s2", { note: "B" }]]]);
  });

  test("matches a call that precedes its announcement", async () => {
    await using agent = await SharingAgent.open(2);
    await agent.begin(1);
    const call = agent.call(0, { note: "B" });
    await agent.announce(1, 0, "t1", { note: "B" });
    equal(await call, "kept in s2");
  });

  test("refuses a call without an announcement, without a permission request", async () => {
    await using agent = await SharingAgent.open(2);
    await agent.begin(1);
    const call = agent.call(0, { note: "?" });
    let answer: string | undefined;
    void call.then(text => {
      answer = text;
    });
    while (answer === undefined) {
      agent.clock.advance(ANNOUNCE_LIMIT_MS);
      await new Promise(setImmediate);
    }
    match(answer, /^This tool belongs to another conversation\. Use the tool of the same name/);
    deepEqual(agent.asked, []);
  });

  test("matches an announcement to its own session when both sessions have a server of that name", async () => {
    const clock = new FakeClock(),
      router = new CallRouter(clock),
      never = new AbortController().signal;
    const server: StatelessServer = { request: () => Promise.resolve({}) };
    for (const id of ["a", "b"]) router.set(id, { isRunning: () => true, isSide: false, servers: [["tools", server]] });
    const announce = (sessionId: string): void => {
      const update = {
        sessionUpdate: "tool_call",
        toolCallId: `${sessionId}1`,
        title: "tools_look",
        kind: "other",
        rawInput: {},
      };
      router.updated({ params: { sessionId, update } });
    };
    announce("b"); // b waits for a permission
    const early = router.routeFor(() => "a", "tools")("look", {}, never);
    announce("a");
    equal(await early, undefined);
    announce("a");
    equal(await router.routeFor(() => "a", "tools")("look", {}, never), undefined);
    equal(clock.waiting, 0);
  });

  test("does not apply Always Allow of session A to session B", async () => {
    await using agent = await SharingAgent.open(2);
    agent.answer = "always";
    let calls = 0;
    const call = async (session: number): Promise<string> => {
      const note = ++calls;
      await agent.announce(session, 0, `t${note}`, { note });
      return agent.call(0, { note });
    };
    await agent.begin(0);
    deepEqual([await call(0), await call(0)], ["kept in s1", "kept in s1"]);
    await agent.begin(1);
    deepEqual([await call(1), await call(0), await call(1)], ["kept in s2", "kept in s1", "kept in s2"]);
    deepEqual(agent.asked, [
      ["s1", { note: 1 }],
      ["s2", { note: 3 }],
    ]);
  });

  for (const version of [1, 2] as const)
    for (const count of [2, 5])
      test(`routes each call of ${count} sessions to its session or refuses it, ACP v${version}`, async () => {
        await using agent = await SharingAgent.open(count, version);
        await new Conversations(agent).share();
        await fc.assert(
          fc.asyncProperty(fc.array(stepsOf(count), { minLength: 1, maxLength: 8 }), async steps => {
            const conversations = new Conversations(agent);
            try {
              for (const step of steps) await conversations.run(step);
            } finally {
              await conversations.close();
            }
          }),
          { numRuns: propertyRuns(100) },
        );
      });
});

type Step =
  | { readonly kind: "begin" | "end" | "cancel"; readonly session: number }
  /** Concurrent calls. */
  | { readonly kind: "call"; readonly calls: readonly Call[] };
/** `announced`: before or after the call, or never. */
interface Call {
  readonly caller: number;
  readonly server: number;
  readonly announced: "before" | "after" | "never";
}

/** Concurrent calls of several sessions, and starts and ends of turns. */
function stepsOf(count: number): fc.Arbitrary<Step> {
  const session = fc.nat(count - 1);
  const call = fc.record({
    caller: session,
    server: session,
    announced: fc.constantFrom("before" as const, "before" as const, "after" as const, "never" as const),
  });
  return fc.oneof(
    fc.record({
      kind: fc.constantFrom("begin" as const, "begin" as const, "end" as const, "cancel" as const),
      session,
    }),
    fc.record({ kind: fc.constant("call" as const), calls: fc.array(call, { minLength: 1, maxLength: 3 }) }),
  );
}

/** The turns of an agent's sessions, and the expected outcome of each call. */
class Conversations {
  static #notes = 0;
  readonly #running = new Set<number>();

  constructor(private readonly agent: SharingAgent) {}

  /** The agent calls the server of another session, so that later calls count as those of a sharing agent. */
  async share(): Promise<void> {
    await this.run({ kind: "begin", session: 1 });
    await this.run({ kind: "call", calls: [{ caller: 1, server: 0, announced: "before" }] });
    await this.close();
  }

  async run(step: Step): Promise<void> {
    if (step.kind === "call") return this.#call(step.calls.filter(call => this.#isPossible(call)));
    const { kind, session } = step;
    if ((kind === "begin") === this.#running.has(session)) return;
    if (kind === "begin") {
      this.#running.add(session);
      return this.agent.begin(session);
    }
    this.#running.delete(session);
    if (kind === "cancel") return this.agent.cancel(session);
    return this.agent.end(session);
  }

  async close(): Promise<void> {
    for (const session of [...this.#running]) await this.run({ kind: "end", session });
  }

  /** A session without a turn makes no call without an announcement. */
  #isPossible({ caller, announced }: Call): boolean {
    return announced !== "never" || this.#running.has(caller);
  }

  async #call(calls: readonly Call[]): Promise<void> {
    this.agent.asked.length = 0;
    let open = calls.length;
    const results = calls.map(async call => {
      const input = { note: ++Conversations.#notes };
      try {
        return { ...call, input, answer: await this.#makeCall(call, input) };
      } finally {
        open--;
      }
    });
    for (let turns = 1; open > 0; turns++) {
      await new Promise(setImmediate);
      if (turns % 50 === 0) this.agent.clock.advance(ANNOUNCE_LIMIT_MS); // after all announcements
    }
    const accepted = (await Promise.all(results)).filter(({ caller, announced, answer }) => {
      const id = this.agent.ids[caller];
      if (this.#running.has(caller) && announced !== "never") equal(answer, `kept in ${id}`);
      else if (answer !== `kept in ${id}`) match(answer, /^(This tool belongs to another conversation|More than one)/);
      return answer.startsWith("kept");
    });
    deepEqual(
      this.agent.asked.toSorted(([, a], [, b]) => Number(objectOr(a).note) - Number(objectOr(b).note)),
      accepted.map(({ caller, input }) => [this.agent.ids[caller], input]),
    );
  }

  async #makeCall({ caller, server, announced }: Call, input: JsonObject): Promise<string> {
    const announce = (): Promise<void> => this.agent.announce(caller, server, `t${String(input.note)}`, input);
    if (announced === "before") await announce();
    const answer = this.agent.call(server, input);
    if (announced === "after") await announce();
    return answer;
  }
}
