import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { globMatcher } from "./glob";

const PATHS = [
  "README.md",
  "src/a.ts",
  "src/b.test.ts",
  "src/deep/er/c.ts",
  "src/deep/d.js",
  "lib/a.ts",
  ".github/x.yml",
  "a[1].txt",
];
const matched = (pattern: string): readonly string[] => PATHS.filter(globMatcher(pattern));

/** Reference implementation: the simplest one, without a time limit. */
function naive(
  pattern: readonly string[],
  path: readonly string[],
  item: (p: string, c: string) => boolean,
  any: string,
): boolean {
  const [p, ...rest] = pattern,
    [c, ...more] = path;
  if (p === undefined) return c === undefined;
  if (p === any) return naive(rest, path, item, any) || (c !== undefined && naive(pattern, more, item, any));
  return c !== undefined && item(p, c) && naive(rest, more, item, any);
}

suite("glob patterns", () => {
  const table: readonly (readonly [pattern: string, paths: readonly string[]])[] = [
    ["*.ts", ["src/a.ts", "src/b.test.ts", "src/deep/er/c.ts", "lib/a.ts"]],
    ["src/*.ts", ["src/a.ts", "src/b.test.ts"]],
    ["./src/*.ts", ["src/a.ts", "src/b.test.ts"]],
    ["/*.md", ["README.md"]],
    ["src/**/*.ts", ["src/a.ts", "src/b.test.ts", "src/deep/er/c.ts"]],
    ["**/d.js", ["src/deep/d.js"]],
    ["src/**", ["src/a.ts", "src/b.test.ts", "src/deep/er/c.ts", "src/deep/d.js"]],
    ["src/deep/", ["src/deep/er/c.ts", "src/deep/d.js"]],
    ["src/deep/*/", ["src/deep/er/c.ts"]],
    ["**/deep/**/", ["src/deep/er/c.ts", "src/deep/d.js"]],
    ["?.ts", ["src/a.ts", "src/deep/er/c.ts", "lib/a.ts"]],
    ["[a-c].ts", ["src/a.ts", "src/deep/er/c.ts", "lib/a.ts"]],
    ["[!a].ts", ["src/deep/er/c.ts"]],
    ["{src,lib}/a.{ts,js}", ["src/a.ts", "lib/a.ts"]],
    ["*.{md,y{a,}ml}", ["README.md", ".github/x.yml"]],
    ["a\\[1\\].*", ["a[1].txt"]],
    ["readme", ["README.md"]],
    ["deep/er", ["src/deep/er/c.ts"]],
    ["*", PATHS],
    ["*.{ts", []],
  ];
  for (const [pattern, paths] of table)
    test(`matches ${paths.length === PATHS.length ? "every path" : paths.join(", ") || "no path"} for ${pattern}`, () =>
      deepEqual(matched(pattern), paths));

  test("equals a naive implementation (property)", () => {
    const name = fc
        .array(fc.constantFrom("a", "b", "*", "?"), { minLength: 1, maxLength: 6 })
        .map(parts => parts.join("")),
      part = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(name, fc.constant("**")), { minLength: 1, maxLength: 4 }),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        (segments, path) => {
          const pattern = ["*x", ...segments].slice(1).join("/");
          if (!/[*?]/.test(pattern)) return;
          const plain = segments.map(each => (each !== "**" && /^\*+$/.test(each) ? "*" : each));
          const fits = (segment: string, item: string): boolean =>
            naive([...segment], [...item], (p, c) => p === "?" || p === c, "*");
          equal(
            globMatcher(plain.join("/"))(path.join("/")),
            naive(plain.length === 1 ? ["**", ...plain] : plain, path, fits, "**"),
            `${plain.join("/")} on ${path.join("/")}`,
          );
        },
      ),
    );
  });

  test("matches in bounded time", () => {
    const began = performance.now();
    for (const pattern of ["*a".repeat(400) + "*b", "**/a/".repeat(200) + "b", "{a,b}".repeat(150), "{".repeat(1000)])
      globMatcher(pattern)("a/".repeat(300) + "a".repeat(500));
    ok(performance.now() - began < 5_000);
  });
});
