import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { compareVersions, isCrateName, requirementOf, sameName, wantedIn } from "./crate-version";

suite("what is asked for of a crate", () => {
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
    test(`${JSON.stringify(asked).slice(0, 40)} is ${requirement ?? "refused"}`, () => {
      const wanted = wantedIn(asked);
      equal(wanted && (wanted.kind === "unsaid" ? "" : requirementOf(wanted)), requirement);
    });

  test("nothing is nothing", () =>
    deepEqual([wantedIn(undefined), wantedIn(" ")], [{ kind: "unsaid" }, { kind: "unsaid" }]));

  test("names are the registry's", () => {
    for (const name of ["serde", "a", "serde_json", "x-1", "A".repeat(64)]) equal(isCrateName(name), true, name);
    for (const name of ["", "-a", "1a", "a/b", "../a", "a b", 'a"', "ä", "A".repeat(65), "a.b", "a\n"])
      equal(isCrateName(name), false, name);
    deepEqual(
      [sameName("serde-json", "serde_json"), sameName("Serde", "serde"), sameName("serde", "serd")],
      [true, true, false],
    );
  });
});

suite("the order of versions", () => {
  // semver.org, items 9 to 11
  const ORDERED = [
    "0.1.0",
    "0.9.9",
    "0.10.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "2.0.0",
    "10.0.0",
    "99999999999999999999.0.0",
    "100000000000000000000.0.0",
  ];
  test("is semver's", () => deepEqual([...ORDERED].reverse().sort(compareVersions), ORDERED));
  test("what is behind a + does not count", () => equal(compareVersions("1.0.0+a", "1.0.0+b"), 0));

  const version = fc
    .tuple(
      fc.nat(12),
      fc.nat(12),
      fc.nat(12),
      fc.option(
        fc.array(fc.oneof(fc.nat(12).map(String), fc.constantFrom("a", "b", "rc")), { minLength: 1, maxLength: 3 }),
      ),
    )
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre ? `-${pre.join(".")}` : ""}`);
  test("is an order", () =>
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        equal(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a)), 0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) equal(compareVersions(a, c) <= 0, true);
        equal(compareVersions(a, b) === 0, a === b);
      }),
    ));
});
