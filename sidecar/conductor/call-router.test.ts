/**
 * An agent that offers every session's servers in all sessions of its process (issue 14 item 3): which server a call
 * reaches, and which session is asked for permission.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { objectOr } from "../rpc/json";
import { SharingAgent } from "../testing/mcp/sharing-agent";
import type { StatelessServer } from "../mcp/revision";
import { FakeClock } from "../testing/fake-clock";
import { ANNOUNCE_LIMIT_MS, CallRouter } from "./call-router";

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

  for (const count of [2, 5])
    test(`routes each call of ${count} sessions to its session, for any servers`, async () => {
      const session = fc.nat(count - 1);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ caller: session, server: session, announcesFirst: fc.boolean() }), {
            minLength: 1,
            maxLength: 8,
          }),
          async calls => {
            await using agent = await SharingAgent.open(count);
            for (let i = 0; i < count; i++) await agent.begin(i);
            const answers = await Promise.all(
              calls.map(async ({ caller, server, announcesFirst }, n) => {
                const input = { note: n };
                if (announcesFirst) await agent.announce(caller, server, `t${n}`, input);
                const answer = agent.call(server, input);
                if (!announcesFirst) await agent.announce(caller, server, `t${n}`, input);
                return await answer;
              }),
            );
            deepEqual(
              answers,
              calls.map(({ caller }) => `kept in ${agent.ids[caller]}`),
            );
            deepEqual(
              [...agent.asked].sort(([, a], [, b]) => Number(objectOr(a).note) - Number(objectOr(b).note)),
              calls.map(({ caller }, n) => [agent.ids[caller], { note: n }]),
            );
          },
        ),
        { numRuns: 12 },
      );
    });
});
