import { deepEqual, equal } from "node:assert/strict";
import { settled } from "../testing/settled";
import { BypassWrites } from "./bypass-writes";

class World {
  value: unknown = [];
  problem: Error | undefined;
  release: () => void = () => undefined;
  readonly #released = new Promise<void>(resolve => { this.release = resolve; });
  readonly failed: unknown[] = [];
  readonly writes = new BypassWrites({
    value: () => this.value,
    write: async value => { await this.#released; if (this.problem) throw this.problem; this.value = value; },
    failed: (agentId, error) => { this.failed.push([agentId, error, this.writes.with([])]); },
  });
}

suite("bypass writes", () => {
  test("each begins with what the one before has written", async () => {
    const world = new World();
    world.release();
    await Promise.all([world.writes.add("a"), world.writes.add("b")]);
    deepEqual(world.value, [{ id: "a", bypassPermissions: true }, { id: "b", bypassPermissions: true }]);
  });

  test("what is being written counts already: a change of the settings meanwhile does not take it back", async () => {
    const world = new World();
    const written = world.writes.add("a");
    await settled();
    deepEqual([world.writes.with([]), world.writes.with(["b"]), world.writes.with(["a"])], [["a"], ["b", "a"], ["a"]]);
    world.release();
    await written;
    deepEqual(world.writes.with([]), []);
  });

  test("one that cannot be written is told, no longer counts, and does not hold up the next", async () => {
    const world = new World();
    const problem = world.problem = new Error("read-only");
    world.release();
    await world.writes.add("a");
    deepEqual(world.failed, [["a", problem, []]]);
    world.problem = undefined;
    await world.writes.add("b");
    deepEqual(world.value, [{ id: "b", bypassPermissions: true }]);
    equal(world.failed.length, 1);
  });
});
