import { deepEqual } from "node:assert/strict";
import { packagesIn, type LockedPackage } from "../extensions/ferris/lock-file";
import { usedCrates } from "./used-crates";

const entry = (name: string, dependencies: readonly string[], isPublished = true, version = "1.0.0"): string =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\n${isPublished ? 'source = "registry+https://example.com/index"\n' : ""}dependencies = [\n${dependencies.map(each => ` "${each}",\n`).join("")}]\n\n`;
const used = (...entries: readonly string[]) => [
  ...usedCrates(packagesIn(`version = 4\n\n${entries.join("")}`)).values(),
];

suite("crates that a project uses", () => {
  test("contains direct dependencies, and others with the direct dependency that uses them", () =>
    deepEqual(
      used(
        entry("app", ["axum", "my_macros"], false),
        entry("axum", ["hyper"]),
        entry("hyper", ["tokio"]),
        entry("my_macros", ["syn"], false),
        entry("syn", []),
        entry("tokio", ["hyper"]),
        entry("unused", []),
      ),
      [
        { kind: "crate", name: "axum" },
        { kind: "crate", name: "my_macros" },
        { kind: "crate", name: "syn" },
        { kind: "crate", name: "hyper", through: "axum" },
        { kind: "crate", name: "tokio", through: "axum" },
      ],
    ));

  test("does not contain the project itself", () => deepEqual(used(entry("tokio", [], false)), []));

  test("resolves ambiguous names by their version", () =>
    deepEqual(
      used(
        entry("app", ["rand 0.8.5"], false),
        entry("rand", ["old"], true, "0.8.5"),
        entry("rand", ["new"], true, "0.9.0"),
        entry("old", []),
        entry("new", []),
      ),
      [
        { kind: "crate", name: "rand" },
        { kind: "crate", name: "old", through: "rand" },
      ],
    ));

  // A copy or a search per package would exceed the time limit of the test by far.
  test("is found in linear time, also if many packages have the same name", () => {
    const COUNT = 60_000,
      list = Array.from({ length: COUNT }, (_, i) => `a 1.0.${i}`);
    const packages = (name: string, dependencies: readonly string[], source?: LockedPackage["source"]) =>
      list.map((_, i): LockedPackage => ({ name, version: `1.0.${i}`, source, dependencies }));
    const published = { kind: "registry", index: "https://example.com/index" } as const;
    deepEqual(
      [
        ...usedCrates([
          { name: "app", version: "1.0.0", source: undefined, dependencies: list },
          ...packages("a", ["a", "b"], published),
          ...packages("b", ["a", "b"], published),
        ]).values(),
      ],
      [
        { kind: "crate", name: "a" },
        { kind: "crate", name: "b", through: "a" },
      ],
    );
  });
});
