import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { AGENT_WORKAROUNDS, needsWorkaround, workaroundsFor } from "./agent-workarounds";

suite("agent workarounds", () => {
  test("names an existing test each", () => {
    for (const {
      id,
      test: [file, title],
    } of AGENT_WORKAROUNDS)
      ok(readFileSync(file, "utf8").includes(title), `${id}: ${file} has no “${title}”`);
    equal(new Set(AGENT_WORKAROUNDS.map(({ id }) => id)).size, AGENT_WORKAROUNDS.length);
  });

  test("applies to the agents that it names", () => {
    deepEqual(
      ["gemini-cli", "claude-agent-acp", "ada"].map(name => workaroundsFor(name, "1.0.0").map(({ id }) => id)),
      [["reads-before-creating"], ["hides-tools", "reserves-server-names", "prefers-structured-content"], []],
    );
    deepEqual(
      [
        needsWorkaround("gemini-cli", "0.61.0", "reads-before-creating"),
        needsWorkaround("ada", "0.61.0", "reads-before-creating"),
      ],
      [true, false],
    );
  });

  test("applies to the versions of its range, and to an agent without a valid version", () => {
    const adapter = "@agentclientprotocol/claude-agent-acp";
    deepEqual(
      ["0.16.2", "0.60.0", "0.60.1", "0.61.0-beta.1", "1.0.0", "", "nightly"].map(version =>
        needsWorkaround(adapter, version, "system-prompt-in-meta"),
      ),
      [true, true, false, false, false, true, true],
    );
  });
});
