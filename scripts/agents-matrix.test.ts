import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

interface MatrixModule {
  matrix(lines: readonly string[]): readonly string[];
}

async function matrix(entries: readonly object[]): Promise<readonly string[]> {
  const module = (await import(pathToFileURL(path.resolve("scripts/real-agents/matrix.mjs")).href)) as MatrixModule;
  return module.matrix(entries.map(entry => JSON.stringify(entry)));
}

const ended = (agent: string, check: string, title: string, outcome: string): readonly object[] =>
  ["started", outcome].map(each => ({ agent, check, title, outcome: each }));

suite("agents matrix", () => {
  test("has a row per agent with passed tests per check and tool sums", async () => {
    assert.deepEqual(
      await matrix([
        ...ended("one", "chat", "answers", "passed"),
        ...ended("one", "chat", "stops", "failed"),
        ...ended("one", "tools", "cargo", "skipped"),
        ...ended("another", "chain", "is the same", "passed"),
        { agent: "another", check: "chain", title: "never ends", outcome: "started" },
        { agent: "one", counts: { offered: 10, connected: 10, listed: 10, called: 7 } },
        { agent: "one", counts: { offered: 3, connected: 0, listed: 0, called: 0 } },
      ]),
      [
        "agent    alone  chat  chain  tools  sessions  one tool  three tools  command  details  restart  list  branches  review  doctor  conform  offered  connected  listed  called",
        "one          –   1/2      –      –         –         –            –        –        –        –     –         –       –       –        –       13         10      10       7",
        "another      –     –    1/2      –         –         –            –        –        –        –     –         –       –       –        –        –          –       –       –",
      ],
    );
  });
});
