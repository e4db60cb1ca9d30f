/** Tests tools of an extension and of a user's program with simulations of published agents (issue 14 item 2). */
import { deepEqual } from "node:assert/strict";
import { MemoryEvidence } from "../mcp/delivery/delivery-evidence";
import { HabitAgent, type AcpVersion, type Habit, type SessionOutcome } from "../testing/mcp/habit-agent";

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
  suite(`tool delivery to agents with MCP quirks, ACP v${version}`, () => {
    test("delivers the tools in the first session of an agent without quirks", async () =>
      deepEqual(await sessions("none", version, 2), [OK, OK]));

    test("delivers all servers, including the user's program, to an agent that silently refuses stdio", async () =>
      deepEqual(await sessions("refusesStdio", version, 3), [OK, OK, OK]));

    test("delivers the tools over stdio in the session after an agent's http client timed out", async () =>
      deepEqual(await sessions("givesUpHttp", version, 3), [
        { transports: HTTP, tools: [], missing: ALL },
        { transports: STDIO, tools: ALL, missing: [] },
        { transports: STDIO, tools: ALL, missing: [] },
      ]));

    test("delays the first prompt for an agent with a slow MCP client", async () =>
      deepEqual(await sessions("slowClient", version, 2), [OK, OK]));

    test("reports missing tools over each transport for an agent that ignores mcpServers", async () =>
      deepEqual(
        await sessions("ignoresMcp", version, 3),
        [HTTP, STDIO, HTTP].map(transports => ({ transports, tools: [], missing: ALL })),
      ));
  });
