import { deepEqual, doesNotThrow, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { offers, withValue } from "../../../src/protocol/controls";
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

suite("what an agent lets a person choose", () => {
  test("options come in the agent's order, with groups and switches", () =>
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

  test("an agent that has options has no modes beside them; one that has none has its modes and models", () => {
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

  test("an option that is not known, or has nothing to choose, or an id twice, is left out alone", () =>
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

  test("v2 calls an option's id configId", () =>
    deepEqual(
      controlsOf({ configOptions: [{ configId: "fast", name: "Fast", type: "boolean", currentValue: true }] }).map(
        ({ id, value }) => [id, value],
      ),
      [["fast", true]],
    ));

  test("each is set by its own request", () => {
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

  test("a control takes only a value that it offers", () => {
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

  test("many options need no square time", () => {
    const begun = process.cpuUsage();
    equal(
      controlsOf({ configOptions: Array.from({ length: 30_000 }, (_, i) => ({ id: `a${i}`, type: "boolean" })) })
        .length,
      30_000,
    );
    const { user, system } = process.cpuUsage(begun);
    ok(user + system < 5_000_000, "seconds for what takes milliseconds");
  });

  test("nothing that an agent sends makes it throw", () =>
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
