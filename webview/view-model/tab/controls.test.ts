import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { AgentChoice } from "../../../src/protocol/agents/agents";
import type { Control } from "../../../src/protocol/chat/controls";
import { AGENT, picked, pickersOf } from "./controls";

const AGENTS = [
  { id: "a", name: "Claude" },
  { id: "b", name: "Gemini" },
];
const mode: Control = {
  kind: "select",
  id: "mode",
  name: "Mode",
  category: "mode",
  value: "ask",
  groups: [
    {
      choices: [
        { value: "ask", name: "Ask" },
        { value: "code", name: "Code", description: "Writes" },
      ],
    },
  ],
};
const effort: Control = {
  kind: "select",
  id: "agent",
  name: "Effort",
  category: "thought_level",
  value: "low",
  groups: [
    { name: "Quick", choices: [{ value: "low", name: "low" }] },
    { name: "Slow", choices: [{ value: "high", name: "high" }] },
  ],
};
const web: Control = { kind: "switch", id: "web", name: "Web", category: "", value: true };

const agent = (id: string): AgentChoice => ({ id, name: id.toUpperCase() });

suite("control", () => {
  test("keeps a tab's agent that was removed from the settings", () =>
    deepEqual(
      pickersOf(AGENTS, agent("gone"), [], true).map(({ value, choices }) => [
        value,
        choices.map(({ label }) => label),
      ]),
      [["gone", ["GONE", "Claude", "Gemini"]]],
    ));

  test("shows the tab's agent and then the agent's controls in its order, named in the row", () => {
    const pickers = pickersOf(AGENTS, agent("b"), [mode, effort, web], true);
    deepEqual(
      pickers.map(({ id, name, value, disabled }) => [id, name, value, disabled]),
      [
        [AGENT, "The agent of this tab. After the first prompt, another agent opens in a new tab.", "b", false],
        ["control:mode", "Mode", "ask", false],
        ["control:agent", "Effort", "low", false],
        ["control:web", "Web", "on", false],
      ],
    );
    deepEqual(
      pickers.map(({ choices }) => choices.map(({ label }) => label)),
      [
        ["Claude", "Gemini"],
        ["Ask", "Code"],
        ["low", "high"],
        ["on", "off"],
      ],
    );
    deepEqual(
      pickers.map(({ choices }) => choices.map(({ rowLabel }) => rowLabel)),
      [
        ["Claude", "Gemini"],
        ["Ask", "Code"],
        ["Effort: low", "Effort: high"],
        ["Web: on", "Web: off"],
      ],
    );
    deepEqual(
      pickers[2]?.choices.map(({ group }) => group),
      ["Quick", "Slow"],
    );
    equal(pickers[1]?.choices[1]?.about, "Writes");
  });

  test("is disabled without a session, and hidden without choices", () => {
    deepEqual(
      pickersOf(AGENTS, agent("a"), [mode], false).map(({ disabled }) => disabled),
      [false, true],
    );
    deepEqual(pickersOf([], agent(""), [{ ...mode, groups: [] }], true), []);
  });

  test("shows a value that is not offered", () => {
    deepEqual(
      pickersOf([], agent(""), [{ ...mode, value: "odd" }], true)[0]?.choices.map(({ label }) => label),
      ["Ask", "Code", "odd"],
    );
  });

  test("escapes agent text in Markdown tooltips", () => {
    const hostile = "<img src=x onerror=alert(1)> **b** [l](u)";
    const tooltip =
      pickersOf(
        [],
        agent(""),
        [
          {
            ...mode,
            name: hostile,
            description: hostile,
            groups: [{ choices: [{ value: "ask", name: hostile, description: hostile }] }],
          },
        ],
        true,
      )[0]?.tooltip ?? "";
    ok(!/(?<!\\)[<[]/.test(tooltip) && !tooltip.includes("**b**"), tooltip);
  });

  test("shows mode and model before other controls", () => {
    const model = { ...mode, id: "model", category: "model" };
    deepEqual(
      pickersOf(AGENTS, agent("a"), [effort, model, web, mode], true).map(({ id }) => id),
      ["agent", "control:mode", "control:model", "control:agent", "control:web"],
    );
  });

  test("converts the choice of a value", () => {
    const controls = [mode, effort, web];
    deepEqual(picked("control:mode", "code", controls), { kind: "control", controlId: "mode", value: "code" });
    deepEqual(picked("control:agent", "high", controls), { kind: "control", controlId: "agent", value: "high" });
    deepEqual(picked("control:web", "off", controls), { kind: "control", controlId: "web", value: false });
    deepEqual(picked("agent", "b", controls), { kind: "agent", agentId: "b" });
    equal(picked("control:gone", "code", controls), undefined);
  });

  test("converts a choice for any control ids (property)", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom("agent", "__proto__", "control:agent", "toString")), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.nat(),
        (ids, n) => {
          const controls = ids.map((id): Control => ({ ...web, id })),
            at = n % ids.length,
            shown = pickersOf(AGENTS, agent("a"), controls, true)[at + 1];
          deepEqual(picked(shown?.id ?? "", "off", controls), { kind: "control", controlId: ids[at], value: false });
        },
      ),
    ));
});
