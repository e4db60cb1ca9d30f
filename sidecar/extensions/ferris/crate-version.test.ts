import { deepEqual, equal } from "node:assert/strict";
import { isCrateName, requirementOf, sameName, wantedIn } from "./crate-version";

suite("crate version request", () => {
  const table: readonly [asked: string | undefined, requirement: string | undefined][] = [
    ["1.2.3", "=1.2.3"],
    [" v1.2.3 ", "=1.2.3"],
    ["=1.2.3", "=1.2.3"],
    ["1.2.3-rc.1", "=1.2.3-rc.1"],
    ["300.5.0+3.5.0", "=300.5.0"],
    ["latest", "*"],
    ["Latest", "*"],
    ["1", "1"],
    ["^1.2", "^1.2"],
    [">= 1.2,  < 1.5", ">= 1.2, < 1.5"],
    ["~1.2.3", "~1.2.3"],
    ["1.*", "1.*"],
    ['1.0" }\n[patch]', undefined],
    ["../x", undefined],
    ["${HOME}", undefined],
    ["1".repeat(101), undefined],
  ];
  for (const [asked, requirement] of table)
    test(`converts ${JSON.stringify(asked).slice(0, 40)} to ${requirement ?? "a rejection"}`, () => {
      const wanted = wantedIn(asked);
      equal(wanted && (wanted.kind === "unsaid" ? "" : requirementOf(wanted)), requirement);
    });

  test("is unspecified if absent or blank", () =>
    deepEqual([wantedIn(undefined), wantedIn(" ")], [{ kind: "unsaid" }, { kind: "unsaid" }]));

  test("accepts the registry's crate names", () => {
    for (const name of ["serde", "a", "serde_json", "x-1", "A".repeat(64)]) equal(isCrateName(name), true, name);
    for (const name of ["", "-a", "1a", "a/b", "../a", "a b", 'a"', "ä", "A".repeat(65), "a.b", "a\n"])
      equal(isCrateName(name), false, name);
    deepEqual(
      [sameName("serde-json", "serde_json"), sameName("Serde", "serde"), sameName("serde", "serd")],
      [true, true, false],
    );
  });
});
