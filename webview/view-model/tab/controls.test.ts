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

  test("shows the tab's agent and then the agent's controls in its order", () => {
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

  test("detects the changed control and ignores the displayed values", () => {
    const controls = [mode, effort, web];
    const shown = pickersOf(AGENTS, agent("a"), controls, true);
    const values = { "control:mode": "ask", "control:agent": "low", "control:web": "on", agent: "a" };
    equal(picked(shown, controls, values), undefined);
    deepEqual(picked(shown, controls, { ...values, "control:mode": "code" }), {
      kind: "control",
      controlId: "mode",
      value: "code",
    });
    deepEqual(picked(shown, controls, { ...values, "control:agent": "high" }), {
      kind: "control",
      controlId: "agent",
      value: "high",
    });
    deepEqual(picked(shown, controls, { ...values, "control:web": "off" }), {
      kind: "control",
      controlId: "web",
      value: false,
    });
    deepEqual(picked(shown, controls, { ...values, agent: "b" }), { kind: "agent", agentId: "b" });
    equal(picked(shown, controls, { "control:mode": ["code"] }), undefined);
  });

  test("detects a change for any control ids (property)", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom("agent", "__proto__", "control:agent", "toString")), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.nat(),
        (ids, n) => {
          const controls = ids.map((id): Control => ({ ...web, id }));
          const shown = pickersOf(AGENTS, agent("a"), controls, true);
          const at = n % ids.length;
          const values = Object.fromEntries(shown.map(({ id, value }, i) => [id, i === at + 1 ? "off" : value]));
          deepEqual(picked(shown, controls, values), { kind: "control", controlId: ids[at], value: false });
        },
      ),
    ));
});
