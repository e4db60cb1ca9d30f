/**
 * Tools of an extension and of the user's own program, with agents that use MCP like published ones (issue 14 item 2).
 */
import { deepEqual } from "node:assert/strict";
import { MemoryEvidence } from "../mcp/delivery/delivery-evidence";
import { HabitAgent, type AcpVersion, type Habit, type SessionOutcome } from "../testing/habit-agent";

const ALL = ["notes", "git"],
  HTTP = ["http", "http"],
  STDIO = ["stdio", "stdio"];
const OK: SessionOutcome = { transports: HTTP, tools: ALL, missing: [] };

/** Each session runs in a separate process. */
async function sessions(habit: Habit, version: AcpVersion, count: number): Promise<readonly SessionOutcome[]> {
  const evidence = new MemoryEvidence(),
    outcomes: SessionOutcome[] = [];
  for (let i = 0; i < count; i++) {
    await using agent = new HabitAgent(habit, version, evidence);
    outcomes.push(await agent.session());
  }
  return outcomes;
}

for (const version of [1, 2] as const)
  suite(`Tools of agents with MCP habits, ACP v${version}`, () => {
    test("reach an agent without any habit in its first session", async () =>
      deepEqual(await sessions("none", version, 2), [OK, OK]));

    test("reach an agent that refuses stdio servers without a word, also those of the user's own program", async () =>
      deepEqual(await sessions("refusesStdio", version, 3), [OK, OK, OK]));

    test("reach an agent that gives up its http servers after 5 s in its next session, over stdio", async () =>
      deepEqual(await sessions("givesUpHttp", version, 3), [
        { transports: HTTP, tools: [], missing: ALL },
        { transports: STDIO, tools: ALL, missing: [] },
        { transports: STDIO, tools: ALL, missing: [] },
      ]));

    test("reach an agent whose MCP client is slower than its first prompt, which waits", async () =>
      deepEqual(await sessions("slowClient", version, 2), [OK, OK]));

    test("are reported as missing, over every transport, for an agent that ignores mcpServers", async () =>
      deepEqual(
        await sessions("ignoresMcp", version, 3),
        [HTTP, STDIO, HTTP].map(transports => ({ transports, tools: [], missing: ALL })),
      ));
  });
