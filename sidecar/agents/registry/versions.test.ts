import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { compareVersions, isNewer } from "./versions";

suite("order of versions", () => {
  // The order of semver.org, section 11, extended by other forms that registries use.
  const ORDERED = [
    "0.1.0",
    "0.9.0",
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
    "1.2.0",
    "1.10.0",
    "1.10.0.1",
    "1.10.0.1.5",
    "1.10.0.10",
    "2.0",
    "10.0.0",
    "2026.1.2",
    "20260102",
  ];

  test("sorts by semver precedence", () => {
    deepEqual([...ORDERED].reverse().sort(compareVersions), ORDERED);
    for (const [i, a] of ORDERED.entries())
      for (const [k, b] of ORDERED.entries()) equal(isNewer(a, b), i > k, `${a} > ${b}`);
  });

  test("ignores build metadata, a leading v, leading zeros and omitted numbers", () => {
    for (const [a, b] of [
      ["1.0.0+b", "1.0.0+a"],
      ["1.10.0.1+b", "1.10.0.1"],
      ["1.0", "1.0.0"],
      ["v1.0.0", "1.0.0"],
      ["01.0.0", "1.0.0"],
    ] as const)
      equal(compareVersions(a, b), 0, `${a} ${b}`);
  });

  test("treats an invalid version as neither newer nor older", () => {
    for (const item of ["", "latest", "x.1", "1..2", "1.0.0-", "one", " 1.0.0"]) {
      ok(!isNewer(item, "1.0.0") && !isNewer("1.0.0", item), item);
      ok(compareVersions(item, "1.0.0") < 0 && compareVersions("1.0.0", item) > 0, item);
      equal(compareVersions(item, "latest"), 0);
    }
  });

  test("is a total order", () => {
    const version = fc
      .tuple(
        fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
        fc.array(fc.oneof(fc.nat(12).map(String), fc.constantFrom("a", "b", "rc", "1a")), { maxLength: 3 }),
      )
      .map(([release, labels]) => [release.join("."), ...(labels.length > 0 ? [labels.join(".")] : [])].join("-"));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        equal(compareVersions(a, a), 0);
        equal(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a)), 0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) ok(compareVersions(a, c) <= 0);
      }),
      { numRuns: 300 },
    );
  });
});
