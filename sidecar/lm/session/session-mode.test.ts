import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { modeChange, modeOpened, modeUpdated, NO_MODE, type SessionMode } from "./session-mode";
import { type QuietMode } from "../history/chat-context";

const older = (currentModeId: string, ...ids: readonly string[]) => ({
  modes: { currentModeId, availableModes: ids.map(id => ({ id, name: `The ${id} mode` })) },
});
const option = (currentValue: string, ...ids: readonly string[]) => ({
  configOptions: [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "plan",
      options: [{ value: "plan", name: "Plan" }],
    },
    {
      id: "m",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue,
      options: ids.map(value => ({ value, name: value })),
    },
  ],
});
const opened = (result: unknown): SessionMode => modeOpened(NO_MODE, result);
const wantedOf = (mode: SessionMode, wanted: QuietMode): string | undefined => modeChange(mode, wanted)?.value;
const after = (mode: SessionMode, wanted: QuietMode): SessionMode => modeChange(mode, wanted)?.next ?? mode;

suite("SessionMode", () => {
  test("finds the mode for Plan and Ask by id or name, in either form", () => {
    deepEqual(
      [
        wantedOf(opened(older("default", "default", "acceptEdits", "plan")), "plan"),
        wantedOf(opened(option("build", "build", "plan")), "plan"),
      ],
      ["plan", "plan"],
    );
    deepEqual(
      [
        wantedOf(opened(older("auto", "read-only", "auto", "full-access")), "plan"),
        wantedOf(opened(older("auto", "read-only", "auto")), "ask"),
      ],
      ["read-only", "read-only"],
    );
    equal(
      wantedOf(opened(older("a", "a", "https://agentclientprotocol.com/protocol/session-modes#plan")), "plan"),
      "https://agentclientprotocol.com/protocol/session-modes#plan",
    );
    equal(
      wantedOf(
        opened({
          modes: {
            currentModeId: "x",
            availableModes: [
              { id: "x", name: "X" },
              { id: "m7", name: "Ask" },
            ],
          },
        }),
        "ask",
      ),
      "m7",
    );
    equal(
      modeChange(opened(option("build", "build", "plan")), "plan")?.control.id,
      "m",
      "no other option is taken for the mode",
    );
  });

  test("prefers a plan mode to a read-only one", () =>
    equal(wantedOf(opened(older("auto", "auto", "readOnly", "plan")), "plan"), "plan"));

  test("returns no change for an agent without a matching mode or already in it", () => {
    deepEqual(
      [
        wantedOf(opened({}), "plan"),
        wantedOf(opened(older("default", "default", "always-ask")), "ask"),
        wantedOf(opened(older("plan", "plan", "build")), "plan"),
      ],
      [undefined, undefined, undefined],
    );
  });

  test("reads the older modes of an agent whose options have another category", () =>
    equal(
      wantedOf(
        opened({
          configOptions: [
            {
              id: "model",
              name: "Model",
              category: "model",
              type: "select",
              currentValue: "s",
              options: [{ value: "s", name: "S" }],
            },
          ],
          ...older("auto", "auto", "plan"),
        }),
        "plan",
      ),
      "plan",
    ));

  test("restores the mode before Plan, also from Ask", () => {
    const plan = after(opened(older("default", "default", "plan", "ask")), "plan"),
      ask = after(plan, "ask");
    deepEqual(
      [wantedOf(plan, undefined), wantedOf(ask, undefined), wantedOf(after(ask, undefined), undefined)],
      ["default", "default", undefined],
    );
  });

  test("keeps a mode that the agent or user selected in the meantime", () => {
    const left = modeUpdated(after(opened(older("default", "default", "plan", "acceptEdits")), "plan"), {
      sessionUpdate: "current_mode_update",
      currentModeId: "acceptEdits",
    });
    deepEqual([wantedOf(left, undefined), wantedOf(left, "plan")], [undefined, "plan"]);
    const options = modeUpdated(after(opened(option("build", "build", "plan", "free")), "plan"), {
      sessionUpdate: "config_option_update",
      ...option("free", "build", "plan", "free"),
    });
    equal(wantedOf(options, undefined), undefined);
  });

  test("restores the mode before Plan and Ask, unless the agent selected another (property)", () => {
    const modes = ["default", "plan", "ask", "acceptEdits"];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<QuietMode>("plan", "ask", undefined), { maxLength: 12 }),
        fc.constantFrom("default", "acceptEdits"),
        (wishes, first) => {
          const end = after(wishes.reduce(after, opened(older(first, ...modes))), undefined);
          equal(end.control?.value, first);
          equal(end.back, undefined);
        },
      ),
    );
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (result, update) => {
        modeChange(modeUpdated(opened(result), update), "plan");
      }),
    );
  });
});
