import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { alwaysQuestion, bypassQuestion } from "./bypass-question";

suite("bypass question", () => {
  test("names the agent, the effect and both durations, the shorter first", () => {
    const { question, detail, choices } = bypassQuestion("Claude Code");
    equal(question, "Allow Claude Code to do everything without asking?");
    deepEqual(choices, [
      { label: "This Session", until: "sessionEnds" },
      { label: "Always for Claude Code", until: "revoked" },
    ]);
    for (const part of [
      "change and delete files, run commands",
      "“This Session” ends when",
      "“Always for Claude Code” applies to all tabs",
    ])
      ok(detail.includes(part), part);
  });

  test("offers one permanent choice on the settings page", () => {
    const { question, detail, yes } = alwaysQuestion("Claude Code");
    deepEqual([question, yes], ["Allow Claude Code to do everything without asking?", "Always for Claude Code"]);
    ok(detail.endsWith("until you turn it off here."));
  });

  test("shows the agent's name on one short, visible line", () => {
    deepEqual(
      ["A\nda\u202e\u3164x", "\u200b", "n".repeat(100)].map(name => alwaysQuestion(name).yes),
      ["Always for A da x", "Always for this agent", `Always for ${"n".repeat(39)}…`],
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), name => {
        const [first, always] = bypassQuestion(name).choices;
        ok(
          always !== undefined &&
            always.label.length <= 60 &&
            !/[\n\u202e]/.test(always.label) &&
            first?.label !== always.label,
        );
      }),
    );
  });
});
