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
      ["gemini-cli", "claude-agent-acp", "ada"].map(name => workaroundsFor(name).map(({ id }) => id)),
      [["reads-before-creating"], ["hides-tools", "reserves-server-names", "prefers-structured-content"], []],
    );
    deepEqual(
      [needsWorkaround("gemini-cli", "reads-before-creating"), needsWorkaround("ada", "reads-before-creating")],
      [true, false],
    );
  });
});
