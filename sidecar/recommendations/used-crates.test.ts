import { deepEqual, ok } from "node:assert/strict";
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

  test("is found in linear time, also if many packages have the same name", () => {
    const steps = (count: number): number => {
      let reads = 0;
      const counted = (each: LockedPackage): LockedPackage =>
        new Proxy(each, {
          get: (target, property, receiver) => {
            reads++;
            return Reflect.get(target, property, receiver);
          },
        });
      const list = Array.from({ length: count }, (_, i) => `a 1.0.${i}`),
        source = { kind: "registry", index: "https://example.com/index" } as const;
      const packages = (name: string) =>
        list.map((_, i) => counted({ name, version: `1.0.${i}`, source, dependencies: ["a", "b"] }));
      deepEqual(
        [
          ...usedCrates([
            counted({ name: "app", version: "1.0.0", source: undefined, dependencies: list }),
            ...packages("a"),
            ...packages("b"),
          ]).values(),
        ],
        [
          { kind: "crate", name: "a" },
          { kind: "crate", name: "b", through: "a" },
        ],
      );
      return reads;
    };
    const [half, whole] = [steps(1_000), steps(2_000)];
    ok(whole <= 2 * half, `${half} steps, and ${whole} for twice the length`);
  });
});
