import { deepEqual, equal } from "node:assert/strict";
import { settled } from "../../testing/settled";
import { BypassWrites } from "./bypass-writes";
import { SerialWrites } from "./serial-writes";

class Fixture {
  value: unknown = [];
  problem: Error | undefined;
  release: () => void = () => undefined;
  readonly #released = new Promise<void>(resolve => {
    this.release = resolve;
  });
  readonly #serial = new SerialWrites({
    value: () => this.value,
    write: async (_, value) => {
      await this.#released;
      if (this.problem) throw this.problem;
      this.value = value;
    },
  });
  readonly failed: unknown[] = [];
  readonly writes: BypassWrites = new BypassWrites({
    change: change => this.#serial.change("symposium.agents", change),
    failed: (agentId, isOn, error) => {
      this.failed.push([agentId, isOn, error, this.writes.with([])]);
    },
  });
}

suite("BypassWrites", () => {
  test("applies each write to the result of the previous one", async () => {
    const fixture = new Fixture();
    fixture.release();
    await Promise.all([fixture.writes.set("a", true), fixture.writes.set("b", true), fixture.writes.set("a", false)]);
    deepEqual(fixture.value, [
      { id: "a", bypassPermissions: false },
      { id: "b", bypassPermissions: true },
    ]);
  });

  test("applies a pending write immediately despite other setting changes", async () => {
    const fixture = new Fixture();
    const written = fixture.writes.set("a", true);
    await settled();
    deepEqual(
      [fixture.writes.with([]), fixture.writes.with(["b"]), fixture.writes.with(["a"])],
      [["a"], ["b", "a"], ["a"]],
    );
    fixture.release();
    await written;
    deepEqual(fixture.writes.with([]), []);
  });

  test("reverts a pending write immediately and applies the last of several", async () => {
    const fixture = new Fixture();
    void fixture.writes.set("a", true);
    const written = fixture.writes.set("a", false);
    deepEqual(fixture.writes.with(["a", "b"]), ["b"]);
    fixture.release();
    await written;
    deepEqual(fixture.writes.with(["a", "b"]), ["a", "b"]);
  });

  test("reports a failed write, reverts it and continues with the next", async () => {
    const fixture = new Fixture();
    const problem = (fixture.problem = new Error("read-only"));
    fixture.release();
    await fixture.writes.set("a", true);
    deepEqual(fixture.failed, [["a", true, problem, []]]);
    fixture.problem = undefined;
    await fixture.writes.set("b", true);
    deepEqual(fixture.value, [{ id: "b", bypassPermissions: true }]);
    equal(fixture.failed.length, 1);
  });
});
