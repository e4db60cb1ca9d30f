import { deepEqual, doesNotThrow, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { offers, withValue } from "../../../src/protocol/chat/controls";
import { controlsOf, MODE, MODEL, requestToSet } from "./controls";

const SELECT = {
  id: "model",
  name: "Model",
  description: "Who answers",
  category: "model",
  type: "select",
  currentValue: "s",
  options: [
    { value: "s", name: "Small" },
    { value: "l", name: "Large", description: "slow" },
  ],
};
const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

suite("session control", () => {
  test("keeps the agent's order with groups and switches", () =>
    deepEqual(
      controlsOf({
        configOptions: [
          { id: "fast", name: "Fast", type: "boolean", currentValue: false },
          SELECT,
          {
            id: "effort",
            name: "Effort",
            type: "select",
            currentValue: "x",
            options: [
              { group: "g", name: "Deep", options: [{ value: "x", name: "X" }] },
              { group: "h", name: "None", options: [] },
            ],
          },
        ],
      }),
      [
        { kind: "switch", id: "fast", name: "Fast", category: "", value: false },
        {
          kind: "select",
          id: "model",
          name: "Model",
          category: "model",
          description: "Who answers",
          value: "s",
          groups: [
            {
              choices: [
                { value: "s", name: "Small" },
                { value: "l", name: "Large", description: "slow" },
              ],
            },
          ],
        },
        {
          kind: "select",
          id: "effort",
          name: "Effort",
          category: "",
          value: "x",
          groups: [{ name: "Deep", choices: [{ value: "x", name: "X" }] }],
        },
      ],
    ));

  test("uses options instead of modes, or modes and models without options", () => {
    deepEqual(
      controlsOf({ configOptions: [SELECT], modes: MODES }).map(({ id }) => id),
      ["model"],
    );
    deepEqual(
      controlsOf({ configOptions: [], modes: MODES }).map(({ id }) => id),
      [],
    );
    deepEqual(
      controlsOf({
        modes: MODES,
        models: { currentModelId: "m1", availableModels: [{ modelId: "m1", name: "One" }] },
      }).map(({ id, value }) => [id, value]),
      [
        [MODE, "ask"],
        [MODEL, "m1"],
      ],
    );
  });

  test("omits an unknown option, an empty one and a duplicate id", () =>
    deepEqual(
      controlsOf({
        configOptions: [
          { id: "a", name: "A", type: "slider" },
          { id: "b", name: "B", type: "select", options: [] },
          SELECT,
          SELECT,
          5,
          { name: "no id", type: "boolean" },
        ],
      }).map(({ id }) => id),
      ["model"],
    ));

  test("accepts configId in v2", () =>
    deepEqual(
      controlsOf({ configOptions: [{ configId: "fast", name: "Fast", type: "boolean", currentValue: true }] }).map(
        ({ id, value }) => [id, value],
      ),
      [["fast", true]],
    ));

  test("is set with its own request", () => {
    const [option] = controlsOf({ configOptions: [SELECT] }),
      [fast] = controlsOf({ configOptions: [{ id: "fast", name: "Fast", type: "boolean", currentValue: false }] });
    const [mode, model] = controlsOf({ modes: MODES, models: { availableModels: [{ modelId: "m1" }] } });
    deepEqual(option && requestToSet(option, "l"), {
      method: "session/set_config_option",
      params: { configId: "model", value: "l" },
    });
    deepEqual(fast && requestToSet(fast, true), {
      method: "session/set_config_option",
      params: { configId: "fast", value: true, type: "boolean" },
    });
    deepEqual(mode && requestToSet(mode, "code"), { method: "session/set_mode", params: { modeId: "code" } });
    deepEqual(model && requestToSet(model, "m1"), { method: "session/set_model", params: { modelId: "m1" } });
  });

  test("accepts only an offered value", () => {
    const controls = controlsOf({
      configOptions: [SELECT, { id: "fast", name: "Fast", type: "boolean", currentValue: false }],
    });
    deepEqual(
      withValue(controls, "model", "l").map(({ value }) => value),
      ["l", false],
    );
    deepEqual(
      withValue(controls, "fast", true).map(({ value }) => value),
      ["s", true],
    );
    for (const [id, value] of [
      ["model", "none"],
      ["model", true],
      ["fast", "on"],
      ["none", "s"],
    ] as const)
      deepEqual(withValue(controls, id, value), controls);
    deepEqual(
      controls.map(control => offers(control, "s")),
      [true, false],
    );
  });

  test("reads many options in linear time", () => {
    const started = process.cpuUsage();
    equal(
      controlsOf({ configOptions: Array.from({ length: 30_000 }, (_, i) => ({ id: `a${i}`, type: "boolean" })) })
        .length,
      30_000,
    );
    const { user, system } = process.cpuUsage(started);
    ok(user + system < 5_000_000, "seconds for what takes milliseconds");
  });

  test("never throws for any agent input", () =>
    fc.assert(
      fc.property(
        fc.record(
          { configOptions: fc.jsonValue(), modes: fc.jsonValue(), models: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        raw => {
          doesNotThrow(() => controlsOf(raw));
        },
      ),
    ));
});
