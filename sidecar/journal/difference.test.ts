import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { difference, patched, type Difference, type ListIndexes } from "./difference";

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const stored = (before: unknown, after: unknown): unknown => {
  const change = difference(before, after);
  return change === undefined ? before : patched(before, plain(change) as typeof change);
};

/** Lists with and without ids, texts that grow, and objects whose members come and go. */
const value = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, "", "a", "ab", "abc", "b"),
    fc.dictionary(fc.constantFrom("text", "kind", "x", "__proto__", "=", "constructor"), tie("node"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.array(
      fc.record(
        { id: fc.nat(12).map(String), kind: fc.constantFrom("agent", "tool"), text: tie("node") },
        { requiredKeys: ["id"] },
      ),
      { maxLength: 12 },
    ),
    fc.array(fc.record({ terminalId: fc.nat(12).map(String), output: fc.string() }), { maxLength: 12 }),
  ),
})).node;

suite("difference", () => {
  test("leads from any value to any other", () => {
    fc.assert(
      fc.property(value, value, (before, after) => deepEqual(plain(stored(before, after)), plain(after))),
      { numRuns: 3_000 },
    );
  });

  test("is undefined for equal values", () => {
    fc.assert(
      fc.property(value, before => {
        equal(difference(before, before), undefined);
        deepEqual(plain(stored(before, plain(before))), plain(before));
      }),
    );
    equal(difference({ a: undefined, b: [1, { c: "d" }] }, { b: [1, { c: "d" }] }), undefined);
  });

  test("contains only the growth of a text and only the changed members of an item", () => {
    const entries = Array.from({ length: 100 }, (_, i) => ({ kind: "tool", id: `t${i}`, title: "x".repeat(1_000) })),
      before = { entries: [...entries, { kind: "agent", id: "a", text: "Hello" }] },
      after = {
        entries: [{ ...entries[0], status: "done" }, ...entries.slice(1), { kind: "agent", id: "a", text: "Hello!" }],
      };
    deepEqual(difference(before, after), {
      ".": {
        entries: {
          "@": [
            [{ id: "t0", kind: "tool" }, { ".": { status: { "=": "done" } } }],
            [{ id: "a", kind: "agent" }, { ".": { text: { "+": "!" } } }],
          ],
        },
      },
    });
  });

  test("contains only the growth of a text that loses its beginning", () => {
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, i) => `${from + i}: some output\n`).join("");
    const [before, after] = [lines(0, 500), lines(100, 520)],
      change = difference(before, after);
    deepEqual(change, { "<": [lines(0, 100).length, lines(500, 520)] });
    equal(patched(before, change ?? { "=": "" }), after);
    equal(patched(undefined, change ?? { "=": "" }), lines(500, 520), "if the text is missing");
    const repeated = "same line\n".repeat(1_000);
    for (const text of [repeated.slice(3), `${repeated.slice(30)}end`, repeated.slice(9_990), `x${repeated}`])
      equal(patched(repeated, difference(repeated, text) ?? { "=": repeated }), text);
  });

  test("stays linear when all of 20,000 items change, or are new", () => {
    const items = (status: string) => Array.from({ length: 20_000 }, (_, i) => ({ kind: "tool", id: `t${i}`, status }));
    let reads = 0;
    const counted = (list: readonly object[]) =>
      list.map(
        item =>
          new Proxy(item, {
            get: (target, key) => {
              reads++;
              return Reflect.get(target, key);
            },
          }),
      );
    const before = counted(items("running"));
    ok(difference(before, counted(items("done"))));
    ok(difference([], before));
    ok(reads < 50 * 20_000, `${reads} reads`);
  });

  test("is applied to a list of 20,000 items without reading each of them again", () => {
    let reads = 0;
    const read = { get: (target: object, key: string) => (reads++, Reflect.get(target, key)) as unknown },
      items: unknown[] = Array.from({ length: 20_000 }, (_, i) => new Proxy({ kind: "tool", id: `t${i}` }, read)),
      indexes: ListIndexes = new WeakMap();
    const apply = (change: Difference) => equal(patched(items, change, indexes), items);
    for (let i = 0; i < 1_000; i++) {
      apply({ "@": [[{ id: `a${i}`, kind: "agent" }, { ".": { text: { "=": "one" } } }]] });
      apply({ "@": [[{ id: `a${i}`, kind: "agent" }, { ".": { text: { "+": " two" } } }]] });
    }
    apply({ "#": [[0, { "=": { kind: "tool", id: "first" } }]] });
    apply({ "@": [[{ id: "first", kind: "tool" }, { ".": { title: { "=": "T" } } }]] });
    deepEqual([items[0], items.length], [{ kind: "tool", id: "first", title: "T" }, 21_000]);
    deepEqual(items.at(-1), { id: "a999", kind: "agent", text: "one two" });
    ok(reads < 20 * 20_000, `${reads} reads`);
  });

  test("leads through all versions of a value to the last one", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), versions => {
        const indexes: ListIndexes = new WeakMap();
        let at: unknown;
        versions.forEach((version, i) => {
          const change = difference(versions[i - 1], version);
          if (change !== undefined) at = patched(at, plain(change) as Difference, indexes);
          deepEqual(plain(at), plain(version));
        });
      }),
    );
  });

  test("skips shared objects without reading them", () => {
    const shared = new Proxy({}, { get: () => ok(false), ownKeys: () => ok(false) as never });
    deepEqual(difference({ shared, n: 1 }, { shared, n: 2 }), { ".": { n: { "=": 2 } } });
    deepEqual(difference([shared, 1], [shared, 2]), { "#": [[1, { "=": 2 }]] });
  });

  test("loses only the values of a missing difference", () => {
    const versions = [
      { entries: [{ kind: "user", id: "u", text: "Hi" }] },
      {
        entries: [
          { kind: "user", id: "u", text: "Hi" },
          { kind: "agent", id: "a", text: "One " },
        ],
      },
      {
        entries: [
          { kind: "user", id: "u", text: "Hi" },
          { kind: "agent", id: "a", text: "One two" },
          { kind: "tool", id: "t", title: "T", status: "running" },
        ],
      },
      {
        entries: [
          { kind: "user", id: "u", text: "Hi" },
          { kind: "agent", id: "a", text: "One two three" },
          { kind: "tool", id: "t", title: "T", status: "completed" },
        ],
      },
    ];
    const changes = versions.map((version, i) => difference(versions[i - 1], version)),
      without = (missing: number, indexes: ListIndexes = new WeakMap()): unknown =>
        changes.reduce<unknown>(
          (at, change, i) =>
            i === missing || change === undefined ? at : patched(at, plain(change) as typeof change, indexes),
          undefined,
        );
    deepEqual(without(1), {
      entries: [
        { kind: "user", id: "u", text: "Hi" },
        { kind: "agent", id: "a", text: "two three" },
        { kind: "tool", id: "t", title: "T", status: "completed" },
      ],
    });
    deepEqual(without(2), {
      entries: [
        { kind: "user", id: "u", text: "Hi" },
        { kind: "agent", id: "a", text: "One  three" },
        { kind: "tool", id: "t", status: "completed" },
      ],
    });
  });

  test("applies to any value without an exception", () => {
    fc.assert(
      fc.property(value, value, value, (before, after, other) => {
        const change = difference(before, after);
        if (change !== undefined) patched(other, change);
      }),
    );
  });
});
