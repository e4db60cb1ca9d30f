import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import type { Recommender } from "../../src/protocol/agents/recommendations";
import { arrayOr, objectOr } from "../rpc/json";
import { parseList, rulesOfCrate } from "./list";

const BY: Recommender = { kind: "user", list: "my.toml" };
const parsed = (text: string) => parseList(text, "my.toml", BY);
const rulesIn = (text: string) => parsed(text).rules.map(({ source, when }) => ({ source, when }));
/** `package.metadata` of a manifest, as cargo reports it. */
const metadataIn = (manifest: string): unknown => objectOr(objectOr(parse(manifest))["package"])["metadata"];
const sourcesOf = (manifest: string) => rulesOfCrate(metadataIn(manifest), "tokio").rules.map(({ source }) => source);

suite("list of recommendations", () => {
  const crate = (name: string) => ({ kind: "crate", name }) as const;

  test("limits the length of the normalized URL", () => {
    const url = (path: string) => rulesIn(`[[recommendation]]\nsource.url = "https://example.com/${path}"\n`).length;
    deepEqual([url("a".repeat(400)), url("é".repeat(400)), url("a".repeat(500))], [1, 0, 0]);
  });

  test("reports the first problems, and the number of the others", () => {
    const { problems } = parsed("[[recommendation]]\nsource.crate = 3\n".repeat(30));
    deepEqual([problems.length, problems.at(-1)], [21, "Only the first 20 of 30 problems in my.toml are shown."]);
  });

  test("reads the examples of the documents", () => {
    deepEqual(
      rulesIn(`
[[recommendation]]
source.crate = "my-extension"
when-using-crate = "my-library"

# Or for multiple trigger crates:
[[recommendation]]
source.crate = "my-extension"
when-using-crates = ["my-library", "my-library-derive"]
`),
      [
        { source: { crate: "my-extension" }, when: crate("my-library") },
        {
          source: { crate: "my-extension" },
          when: { kind: "any", of: [crate("my-library"), crate("my-library-derive")] },
        },
      ],
    );
    deepEqual(
      rulesIn(`
[[recommendation]]
source.crate = "tokio-helper"
when-using-crate = "tokio"

[[recommendation]]
source.crate = "sqlx-helper"
when-using-crates = ["sqlx", "sea-orm"]
`).map(({ source }) => source),
      [{ crate: "tokio-helper" }, { crate: "sqlx-helper" }],
    );
    deepEqual(
      rulesIn(
        ['source.crate = "foo"', 'source.acp = "bar"', 'source.url = "https://example.com/extension.jsonc"']
          .map(line => `[[recommendation]]\n${line}           # comment\n`)
          .join(""),
      ).map(({ source }) => source),
      [{ crate: "foo" }, { acp: "bar" }, { url: "https://example.com/extension.jsonc" }],
    );
  });

  test("reads conditions of later versions, and the kind of a crate", () =>
    deepEqual(
      parsed(`
[[recommendation]]
source.crate = "house-rules"
kind = "mcp"
when.any = [{ file-exists = "rust-toolchain.toml" }, { all = [{ using-crate = "tokio" }, { file-exists = "Cargo.toml" }] }]
`).rules,
      [
        {
          source: { crate: "house-rules" },
          kind: "mcp",
          when: {
            kind: "any",
            of: [
              { kind: "file", path: "rust-toolchain.toml" },
              { kind: "all", of: [crate("tokio"), { kind: "file", path: "Cargo.toml" }] },
            ],
          },
          by: BY,
        },
      ],
    ));

  test("names the list and the line of an unusable entry, and keeps the others", () => {
    const { rules, problems } = parsed(`[[recommendation]]
source.crate = "good"

[[recommendation]]
source.crate = "good-too"
wen-using-crate = "tokio"

[[recommendation]]
source.crate = "a"
source.acp = "b"

[[recommendation]]
source.npx = "a"

[[recommendation]]
source.url = "http://example.com/extension.json"

[[recommendation]]
source.crate = "last"
`);
    deepEqual(
      rules.map(({ source }) => source),
      [{ crate: "good" }, { crate: "last" }],
    );
    deepEqual(problems, [
      "my.toml, line 4: “wen-using-crate” is unknown. Known members: source, kind, when, when-using-crate, when-using-crates. The recommendation is ignored.",
      "my.toml, line 8: It needs one source: source.crate, source.acp or source.url. The recommendation is ignored.",
      "my.toml, line 12: “source.npx” is unknown. Use source.crate, source.acp or source.url. The recommendation is ignored.",
      "my.toml, line 15: “source.url” is not an https URL without user name and password. The recommendation is ignored.",
    ]);
  });

  test("names the entry if the lines are unknown", () => {
    deepEqual(parsed(`recommendation = [{ source.crate = "a" }, { source.acp = "B" }]`).problems, [
      "my.toml, entry 2: “source.acp” is not an id of the registry: lowercase letters, digits and hyphens. The recommendation is ignored.",
    ]);
  });

  test("names the line of a syntax error without quoting the document", () => {
    const { rules, problems } = parsed(`[[recommendation]]\nsource.crate = "a"\nsecret = hunter2\n`);
    deepEqual(rules, []);
    equal(problems.length, 1);
    match(String(problems[0]), /^my\.toml, line 3: This is not valid TOML: .+\. The file is ignored\.$/);
    ok(!problems.join("").includes("hunter2"));
  });

  test("reports unknown tables", () => {
    deepEqual(parsed("").problems, []);
    deepEqual(parsed(`[[recommendations]]\nsource.crate = "a"\n`).problems, [
      "my.toml contains “recommendations”, which is not part of a list. Use [[recommendation]].",
    ]);
    deepEqual(parsed(`recommendation = "a"`).problems, ["my.toml has no list of [[recommendation]]. It is ignored."]);
  });

  test("limits the number of entries and their depth", () => {
    const { rules, problems } = parsed(`[[recommendation]]\nsource.crate = "a"\n`.repeat(1_001));
    deepEqual([rules.length, problems], [1_000, ["Only the first 1000 of 1001 recommendations in my.toml are used."]]);
    equal(parsed(`a = ${"[".repeat(1_000)}${"]".repeat(1_000)}`).problems.length, 1);
  });

  test("never throws for any text or entries (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."[]{}=\"'.,#ab\n -1", "recommendation", "source") }), text => {
        parsed(text);
      }),
    );
    const entry = fc.dictionary(
      fc.constantFrom("source", "when", "kind", "when-using-crate", "__proto__", "constructor"),
      fc.jsonValue().filter(value => value !== null),
    );
    fc.assert(
      fc.property(fc.array(entry), entries => {
        let text: string;
        try {
          text = stringify({ recommendation: entries });
        } catch {
          return; // TOML has no null
        }
        const { rules, problems } = parsed(text);
        ok(rules.length + problems.length === entries.length || entries.length === 0);
      }),
    );
  });
});

suite("documentation of recommendations", () => {
  test("has valid examples only", () => {
    const page = readFileSync("docs/extensions/recommending.md", "utf8"),
      examples = [...page.matchAll(/^```toml\n([^]*?)^```/gm)].map(([, example = ""]) => example);
    ok(examples.length >= 7);
    for (const example of examples) {
      const { rules, problems } = example.includes("[package")
        ? rulesOfCrate(metadataIn(example), "tokio")
        : parsed(example);
      deepEqual(problems, [], example);
      ok(rules.length > 0, example);
    }
  });
});

suite("recommendations of a crate", () => {
  test("reads the examples of the documents", () => {
    deepEqual(sourcesOf(`[package.metadata.symposium]\nrecommended = ["some-extension", "another-extension"]\n`), [
      { crate: "some-extension" },
      { crate: "another-extension" },
    ]);
    deepEqual(
      sourcesOf(`
# Recommend an extension of the registry of crates
[[package.metadata.symposium.recommended]]
source.crate = "some-extension"

# Recommend an extension from the ACP registry
[[package.metadata.symposium.recommended]]
source.acp = "some-acp-extension"

# Recommend an extension from a direct URL
[[package.metadata.symposium.recommended]]
source.url = "https://example.com/extension.json"
`),
      [{ crate: "some-extension" }, { acp: "some-acp-extension" }, { url: "https://example.com/extension.json" }],
    );
    deepEqual(
      rulesOfCrate(
        metadataIn(`
[package]
name = "tokio"
version = "1.0.0"

[package.metadata.symposium]
recommended = ["symposium-tokio"]
`),
        "tokio",
      ).rules,
      [
        {
          source: { crate: "symposium-tokio" },
          when: {
            kind: "all",
            of: [
              { kind: "crate", name: "tokio" },
              { kind: "all", of: [] },
            ],
          },
          by: { kind: "crate", name: "tokio" },
        },
      ],
    );
  });

  test("also reads the table below “extension”, and an extra condition", () => {
    deepEqual(sourcesOf(`[package.metadata.symposium.extension]\nrecommended = ["a", { source.acp = "b" }]\n`), [
      { crate: "a" },
      { acp: "b" },
    ]);
    const [rule] = rulesOfCrate(
      { symposium: { recommended: [{ source: { crate: "a" }, when: { "file-exists": "b" } }] } },
      "c",
    ).rules;
    deepEqual(rule?.when, {
      kind: "all",
      of: [
        { kind: "crate", name: "c" },
        { kind: "file", path: "b" },
      ],
    });
  });

  test("ignores other metadata and reports unusable entries", () => {
    for (const metadata of [undefined, null, {}, { symposium: { skills: [], binary: "a" } }, { symposium: "x" }])
      deepEqual(rulesOfCrate(metadata, "c"), { rules: [], problems: [] });
    deepEqual(rulesOfCrate({ symposium: { recommended: ["a", "../b", 3] } }, "c").problems, [
      "c, entry 2 of package.metadata.symposium.recommended: “source.crate” is not the name of a crate. The recommendation is ignored.",
      "c, entry 3 of package.metadata.symposium.recommended: The entry is not a table. The recommendation is ignored.",
    ]);
  });

  test("limits the number of entries", () => {
    const { rules, problems } = rulesOfCrate(
      { symposium: { recommended: Array.from({ length: 103 }, () => "a") } },
      "c",
    );
    deepEqual([rules.length, problems], [100, ["Only the first 100 of 103 recommendations in c are used."]]);
  });

  test("never throws for any metadata (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (recommended, extension) => {
        const { rules, problems } = rulesOfCrate(
          { symposium: { recommended, extension: { recommended: extension } } },
          "c",
        );
        equal(rules.length + problems.length, arrayOr(recommended).length + arrayOr(extension).length);
      }),
    );
  });
});
