import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { best, fit, target, typed } from "./mention-match";

const candidates = (paths: readonly string[]) => paths.map(path => ({ target: target(path) }));
const found = (
  query: string,
  paths: readonly string[],
  most = paths.length,
  weight: (path: string) => number = () => 0,
): readonly string[] =>
  best(query, candidates(paths), ({ target: { path } }) => weight(path), most).map(({ target: { path } }) => path);
const isScattered = (query: string, text: string): boolean => {
  let at = -1;
  return [...query].every(character => (at = text.indexOf(character, at + 1)) !== -1);
};

const part = fc.string({ unit: fc.constantFrom("a", "b", "C", "D", "é", "-", "1"), minLength: 1, maxLength: 5 });
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join("/"));
const paths = fc.uniqueArray(path, { maxLength: 30 });
const query = fc.string({ unit: fc.constantFrom("a", "b", "c", "D", "É", "-", "1", "/"), maxLength: 4 });

suite("mention match", () => {
  const tier = (query: string, path: string): number | undefined => fit(typed(query), target(path))?.tier;

  test("ranks closer matches higher", () => {
    deepEqual(
      [
        tier("main.ts", "src/main.ts"),
        tier("src/main.ts", "src/main.ts"),
        tier("mai", "src/main.ts"),
        tier("src/m", "src/main.ts"),
        tier("match", "src/mention-match.ts"),
        tier("match", "src/mentionMatch.ts"),
        tier("ention", "src/mention.ts"),
        tier("mm", "src/mention-match.ts"),
        tier("mmt", "src/MentionMatch.ts"),
        tier("editor/m", "src/editor/main.ts"),
        tier("itor/m", "src/editor/main.ts"),
        tier("mn", "src/main.ts"),
        tier("scmn", "src/main.ts"),
        tier("xyz", "src/main.ts"),
        tier("sm", "ms"),
      ],
      [0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 8, undefined, undefined],
    );
  });

  test("finds word starts after non-letters, at capitals and numbers", () => {
    for (const [query, name] of [
      ["bar", "foo bar"],
      ["bar", "foo_bar"],
      ["bar", "fooBar"],
      ["2", "v2"],
      ["http", "myHTTPServer"],
    ] as const)
      equal(tier(query, name), 2, `${query} in ${name}`);
    // The lower case of this letter has two characters.
    deepEqual([tier("bar", "İ-bar"), tier("ibc", "İ-b-c")], [2, 4]);
    for (const [query, name] of [
      ["ar", "fooBar"],
      ["ttp", "myHTTPServer"],
      ["2", "v12"],
    ] as const)
      equal(tier(query, name), 3, `${query} in ${name}`);
  });

  test("accepts either slash and normalizes Unicode", () =>
    deepEqual([tier("src\\m", "src/main.ts"), tier("cafe\u0301", "CAFÉ")], [1, 0]));

  test("orders all by weight, length and alphabet for an empty query", () =>
    deepEqual(
      found("", ["b.ts", "a.ts", "src/a.ts", "z/open.ts"], 4, path => (path === "z/open.ts" ? 0 : 1)),
      ["z/open.ts", "a.ts", "b.ts", "src/a.ts"],
    ));

  test("uses the weight only between equal matches", () => {
    const weight = (path: string): number => (path.startsWith("open/") ? 0 : 1);
    deepEqual(found("main", ["a/main.ts", "open/main.ts", "open/domain.ts"], 3, weight), [
      "open/main.ts",
      "a/main.ts",
      "open/domain.ts",
    ]);
  });

  test("prefers contiguous matches, then shorter ones", () => {
    deepEqual(found("abc", ["a1b1c", "ab1c-with-more", "a11b11c"]), ["ab1c-with-more", "a1b1c", "a11b11c"]);
    deepEqual(found("bc", ["b11c", "aab1c"]), ["aab1c", "b11c"]);
    deepEqual(found("", ["aaa.ts", "b.ts"]), ["b.ts", "aaa.ts"]);
  });

  test("finds exactly the paths with the characters in order (property)", () =>
    fc.assert(
      fc.property(query, paths, (query, paths) => {
        const expected = paths.filter(path => isScattered(typed(query), path.toLowerCase()));
        deepEqual([...found(query, paths)].sort(), expected.sort());
      }),
    ));

  test("returns the best ones in stable order, ignoring case (property)", () =>
    fc.assert(
      fc.property(
        query,
        paths.chain(paths => fc.tuple(fc.constant(paths), fc.shuffledSubarray(paths, { minLength: paths.length }))),
        fc.nat(10),
        fc.integer({ min: 1, max: 3 }),
        (query, [paths, shuffled], most, weights) => {
          const weight = (path: string): number => path.length % weights;
          const all = found(query, paths, paths.length, weight);
          deepEqual(found(query, shuffled, most, weight), all.slice(0, most));
          deepEqual(found(query.toUpperCase(), paths, paths.length, weight), all);
        },
      ),
    ));

  test("keeps the order when a candidate is added (property)", () =>
    fc.assert(
      fc.property(query, paths, path, (query, paths, more) => {
        fc.pre(!paths.includes(more));
        deepEqual(
          found(query, [...paths, more]).filter(path => path !== more),
          found(query, paths),
        );
      }),
    ));

  test("prefers a complete file name to any other path (property)", () =>
    fc.assert(
      fc.property(part, paths, (name, paths) => {
        fc.pre(
          paths.every(
            path => path.toLowerCase() !== name.toLowerCase() && !path.toLowerCase().endsWith(`/${name.toLowerCase()}`),
          ),
        );
        equal(
          found(name, [...paths, `deep/down/${name}`], 1, path => (path.startsWith("deep/down/") ? 9 : 0))[0],
          `deep/down/${name}`,
        );
      }),
    ));

  test("ranks the expected file first among 16,000", () => {
    const many = Array.from({ length: 16_000 }, (_, i) => `packages/p${i % 40}/src/module-${i}/index-${i}.ts`);
    const search = candidates([...many, "packages/p7/src/needle/haystack.ts"]);
    for (const query of ["haystack", "needle/h", "hst", "haystack.ts"])
      equal(best(query, search, () => 0, 50)[0]?.target.path, "packages/p7/src/needle/haystack.ts", query);
    equal(best("index-15999.ts", search, () => 0, 50)[0]?.target.path, "packages/p39/src/module-15999/index-15999.ts");
    const some = best("i", search, () => 0, 50);
    ok(some.length === 50 && some.every(({ target: { lower, nameAt } }) => lower.startsWith("index-", nameAt)));
  });
});
