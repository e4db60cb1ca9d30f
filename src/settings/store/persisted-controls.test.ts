import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { Log } from "../../log";
import { settled } from "../../testing/settled";
import { PersistedControls } from "./persisted-controls";

/** Like a memento of VS Code, which returns JSON copies. */
class FakeMemento {
  text: string | undefined;
  problem: Error | undefined;
  get(_: string): unknown {
    return this.text === undefined ? undefined : JSON.parse(this.text);
  }
  async update(_: string, value: unknown): Promise<void> {
    if (this.problem) throw this.problem;
    this.text = JSON.stringify(value);
  }
}

function fixture(text?: string) {
  const memory = new FakeMemento(),
    log = new Log(),
    warnings: string[] = [];
  memory.text = text;
  log.onLog(({ message }) => warnings.push(message));
  return { memory, warnings, chosen: new PersistedControls(memory, log) };
}

suite("persisted controls", () => {
  test("keeps the last value per agent and control", () => {
    const { chosen, memory } = fixture();
    equal(chosen.of("a"), undefined);
    chosen.keep("a", "model", "small");
    chosen.keep("b", "model", "other");
    chosen.keep("a", "fast", true);
    chosen.keep("a", "model", "large");
    deepEqual(chosen.of("a"), { model: "large", fast: true });
    deepEqual(new PersistedControls(memory, new Log()).of("b"), { model: "other" });
  });

  test("keeps at most fifty agents and controls, dropping the oldest", () => {
    const { chosen } = fixture();
    for (let n = 0; n < 50; n++) chosen.keep("one", `c${n}`, true);
    chosen.keep("one", "c0", false);
    chosen.keep("one", "c50", true);
    const kept = chosen.of("one") ?? {};
    deepEqual([Object.keys(kept).length, kept["c0"], kept["c1"], kept["c50"]], [50, false, undefined, true]);
    for (let n = 0; n < 50; n++) chosen.keep(`a${n}`, "c", true);
    deepEqual([chosen.of("one"), chosen.of("a0")], [undefined, { c: true }]);
  });

  test("ignores long values", () => {
    const { chosen, memory } = fixture();
    const long = "x".repeat(501);
    chosen.keep(long, "c", true);
    chosen.keep("a", long, true);
    chosen.keep("a", "c", long);
    equal(memory.text, undefined);
    chosen.keep("a", "c", long.slice(1));
    ok(chosen.of("a"));
  });

  test("supports names of object members", () => {
    const { chosen } = fixture();
    equal(chosen.of("toString"), undefined);
    chosen.keep("__proto__", "__proto__", "x");
    deepEqual(Object.entries(chosen.of("__proto__") ?? {}), [["__proto__", "x"]]);
  });

  test("reads any stored content safely", () => {
    deepEqual(
      fixture(
        JSON.stringify({ a: { c: true, d: 3, e: { f: 1 }, g: "x".repeat(501) }, b: [1], c: "x", d: {} }),
      ).chosen.of("a"),
      { c: true },
    );
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const { chosen } = fixture(JSON.stringify(value));
        chosen.of("a");
        chosen.keep("a", "c", true);
        deepEqual(chosen.of("a")?.["c"], true);
      }),
      { numRuns: 100 },
    );
  });

  test("logs a failed write", async () => {
    const { chosen, memory, warnings } = fixture();
    memory.problem = new Error("disk full");
    chosen.keep("a", "c", true);
    await settled();
    deepEqual(warnings, ["Could not save the selected controls"]);
  });
});
