import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { ALWAYS, conditionOf, evaluate, InvalidRecommendation, type Condition, type Project } from "./condition";

const projectWith = (crates: readonly string[], files: readonly string[]): Project => ({
  crate: name => (crates.includes(name) ? { kind: "crate", name } : undefined),
  areCratesKnown: true,
  hasFile: path => files.includes(path),
});
const NAMES = ["tokio", "sqlx", "axum"],
  PATHS = ["Cargo.toml", "src/lib.rs"];

const conditions = fc.letrec<{ readonly node: Condition }>(tie => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(...NAMES).map((name): Condition => ({ kind: "crate", name })),
    fc.constantFrom(...PATHS).map((path): Condition => ({ kind: "file", path })),
    fc
      .tuple(fc.constantFrom("any" as const, "all" as const), fc.array(tie("node"), { maxLength: 4 }))
      .map(([kind, of]): Condition => ({ kind, of })),
  ),
})).node;
const projects = fc.record({ crates: fc.subarray(NAMES), files: fc.subarray(PATHS) });

/** Independent definition of the truth of a condition. */
function isTrue(condition: Condition, crates: readonly string[], files: readonly string[]): boolean {
  if (condition.kind === "crate") return crates.includes(condition.name);
  if (condition.kind === "file") return files.includes(condition.path);
  const parts = condition.of.map(part => isTrue(part, crates, files));
  return condition.kind === "any" ? parts.includes(true) : !parts.includes(false);
}

suite("condition of a recommendation", () => {
  test("evaluates any and all, with facts that hold and missing facts that do not (property)", () => {
    fc.assert(
      fc.property(conditions, projects, (condition, { crates, files }) => {
        const evaluation = evaluate(condition, projectWith(crates, files));
        equal(evaluation.holds, isTrue(condition, crates, files));
        const facts = evaluation.holds ? evaluation.facts : evaluation.missing;
        for (const fact of facts)
          equal(fact.kind === "crate" ? crates.includes(fact.name) : files.includes(fact.path), evaluation.holds);
        equal(new Set(facts.map(fact => JSON.stringify(fact))).size, facts.length);
      }),
    );
  });

  test("does not depend on the order of its parts (property)", () => {
    fc.assert(
      fc.property(fc.array(conditions, { maxLength: 5 }), projects, (of, { crates, files }) => {
        const project = projectWith(crates, files);
        for (const kind of ["any", "all"] as const)
          equal(evaluate({ kind, of }, project).holds, evaluate({ kind, of: of.toReversed() }, project).holds);
      }),
    );
  });

  test("names every missing fact of alternatives", () =>
    deepEqual(evaluate(conditionOf({ "when-using-crates": ["sqlx", "sea-orm"] }), projectWith([], [])), {
      holds: false,
      missing: [
        { kind: "crate", name: "sqlx" },
        { kind: "crate", name: "sea-orm" },
      ],
    }));

  const crate = (name: string): Condition => ({ kind: "crate", name }),
    file = (path: string): Condition => ({ kind: "file", path });
  const table: readonly (readonly [title: string, entry: Readonly<Record<string, unknown>>, read: Condition])[] = [
    ["no condition", {}, ALWAYS],
    ["when-using-crate", { "when-using-crate": "tokio" }, crate("tokio")],
    [
      "when-using-crates as alternatives",
      { "when-using-crates": ["sqlx", "sea-orm"] },
      { kind: "any", of: [crate("sqlx"), crate("sea-orm")] },
    ],
    ["when.using-crate", { when: { "using-crate": "tokio" } }, crate("tokio")],
    [
      "when.using-crates, which must all be used",
      { when: { "using-crates": ["a", "b"] } },
      { kind: "all", of: [crate("a"), crate("b")] },
    ],
    ["when.file-exists", { when: { "file-exists": "Cargo.toml" } }, file("Cargo.toml")],
    [
      "several members, which must all hold",
      { when: { "file-exists": ".github/workflows", "using-crate": "tokio" } },
      { kind: "all", of: [crate("tokio"), file(".github/workflows")] },
    ],
    [
      "nested any and all",
      { when: { any: [{ "using-crate": "a" }, { all: [{ "files-exist": ["b", "c"] }, { "using-crate": "d" }] }] } },
      {
        kind: "any",
        of: [crate("a"), { kind: "all", of: [{ kind: "all", of: [file("b"), file("c")] }, crate("d")] }],
      },
    ],
  ];
  for (const [title, entry, read] of table) test(`reads ${title}`, () => deepEqual(conditionOf(entry), read));

  const nested = (depth: number): unknown => (depth === 0 ? { "using-crate": "a" } : { any: [nested(depth - 1)] });
  const invalid: readonly (readonly [entry: Readonly<Record<string, unknown>>, message: RegExp])[] = [
    [{ "when-using-crate": ["tokio"] }, /“when-using-crate” is not the name of a crate/],
    [{ "when-using-crate": "../x" }, /not the name of a crate/],
    [{ "when-using-crates": "tokio" }, /“when-using-crates” is not a list/],
    [{ "when-using-crates": [] }, /with at least one item/],
    [{ when: "tokio" }, /“when” is not a table/],
    [{ when: {} }, /“when” has no condition/],
    [{ when: { grep: "tokio" } }, /unknown condition “grep”\. Known conditions: using-crate, /],
    [{ when: { "file-exists": "/etc/passwd" } }, /“when.file-exists” is not a relative path/],
    [{ when: { "file-exists": "a/../../b" } }, /not a relative path/],
    [{ when: { "file-exists": "C:\\a" } }, /not a relative path/],
    [{ when: { "file-exists": "" } }, /not a relative path/],
    [{ when: { any: [{}] } }, /“when.any” has no condition/],
    [{ when: nested(20) }, /nested too deep/],
    [{ when: { "using-crates": Array.from({ length: 101 }, () => "a") } }, /more than 100 items/],
  ];
  for (const [entry, message] of invalid)
    test(`rejects ${JSON.stringify(entry).slice(0, 60)}`, () =>
      throws(
        () => conditionOf(entry),
        (error: unknown) => error instanceof InvalidRecommendation && message.test(error.message),
      ));

  test("throws nothing else for any JSON (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (when, crates) => {
        try {
          conditionOf({ when, "when-using-crates": crates });
        } catch (error) {
          ok(error instanceof InvalidRecommendation);
        }
      }),
    );
  });
});
