import { deepEqual, equal } from "node:assert/strict";
import { settled } from "../testing/settled";
import { BypassWrites } from "./bypass-writes";
import { SerialWrites } from "./serial-writes";

class World {
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

suite("bypass writes", () => {
  test("each begins with what the one before has written", async () => {
    const world = new World();
    world.release();
    await Promise.all([world.writes.set("a", true), world.writes.set("b", true), world.writes.set("a", false)]);
    deepEqual(world.value, [
      { id: "a", bypassPermissions: false },
      { id: "b", bypassPermissions: true },
    ]);
  });

  test("what is being written counts already: a change of the settings meanwhile does not take it back", async () => {
    const world = new World();
    const written = world.writes.set("a", true);
    await settled();
    deepEqual([world.writes.with([]), world.writes.with(["b"]), world.writes.with(["a"])], [["a"], ["b", "a"], ["a"]]);
    world.release();
    await written;
    deepEqual(world.writes.with([]), []);
  });

  test("one that is taken back counts no more, at once; the last of several counts", async () => {
    const world = new World();
    void world.writes.set("a", true);
    const written = world.writes.set("a", false);
    deepEqual(world.writes.with(["a", "b"]), ["b"]);
    world.release();
    await written;
    deepEqual(world.writes.with(["a", "b"]), ["a", "b"]);
  });

  test("one that cannot be written is told, no longer counts, and does not hold up the next", async () => {
    const world = new World();
    const problem = (world.problem = new Error("read-only"));
    world.release();
    await world.writes.set("a", true);
    deepEqual(world.failed, [["a", true, problem, []]]);
    world.problem = undefined;
    await world.writes.set("b", true);
    deepEqual(world.value, [{ id: "b", bypassPermissions: true }]);
    equal(world.failed.length, 1);
  });
});
