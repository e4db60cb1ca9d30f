import { deepEqual, rejects } from "node:assert/strict";
import { SerialWrites } from "./serial-writes";

suite("SerialWrites", () => {
  const fixture = () => {
    const kept = new Map<string, unknown>(),
      written: unknown[] = [];
    let problem: Error | undefined;
    const writes = new SerialWrites({
      value: name => kept.get(name),
      write: async (name, value) => {
        await new Promise(resolve => setImmediate(resolve));
        if (problem) throw problem;
        written.push(value);
        kept.set(name, value);
      },
    });
    return {
      kept,
      written,
      writes,
      fail: (error?: Error) => {
        problem = error;
      },
    };
  };
  const and =
    (item: string) =>
    (value: unknown): unknown => [...(Array.isArray(value) ? value : []), item];

  test("applies each write to the result of the previous one", async () => {
    const { kept, writes } = fixture();
    await Promise.all([
      writes.change("symposium.agents", and("a")),
      writes.change("symposium.bypassPermissions", and("x")),
      writes.change("symposium.agents", and("b")),
    ]);
    deepEqual(
      [...kept],
      [
        ["symposium.agents", ["a", "b"]],
        ["symposium.bypassPermissions", ["x"]],
      ],
    );
  });

  test("rejects a failed write and continues with the next", async () => {
    const { kept, writes, fail } = fixture();
    fail(new Error("read-only"));
    const first = writes.change("symposium.agents", and("a"));
    await rejects(first, /read-only/);
    await rejects(
      writes.change("symposium.agents", () => {
        throw new Error("odd");
      }),
      /odd/,
    );
    fail();
    await writes.change("symposium.agents", and("b"));
    deepEqual(kept.get("symposium.agents"), ["b"]);
  });

  test("skips a write without a change", async () => {
    const { written, writes } = fixture();
    await writes.change("symposium.agents", value => value);
    deepEqual(written, []);
  });
});
