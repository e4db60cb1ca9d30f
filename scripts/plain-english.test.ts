/** Comments, test titles and documents use plain technical English (issue 15 item 1). */
import { deepEqual, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Linter } from "eslint";
import * as v from "valibot";
import plugin, { avoidedIn, faultsIn, longSentences, passagesOf, sentencesOf } from "./plain-english.mjs";

const MAX_WORDS = 26;
const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "sidecar/lm/fixtures/README.md",
  "sidecar/testing/README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".md"))
    .map(name => `docs/${name.replaceAll("\\", "/")}`),
];
/** Released sections of the changelog are final. */
const checkedPart = (name: string): string => {
  const text = readFileSync(name, "utf8");
  return name === "CHANGELOG.md" ? (text.split(/^## (?!\[Unreleased\])/m)[0] ?? "") : text;
};

function faultsAndLongSentences(text: string): readonly string[] {
  return [
    ...faultsIn(text).map(({ why, sentence }) => `${why}: ${sentence}`),
    ...longSentences(text, MAX_WORDS).map(sentence => `too long: ${sentence}`),
  ];
}

/** Lines with a report. */
function reported(code: string, { titles = false, messages = false, names = false } = {}): readonly number[] {
  const config: Linter.Config = {
    plugins: { "plain-english": plugin },
    rules: names ? { "plain-english/names": "error" } : { "plain-english/wording": ["error", { titles, messages }] },
  };
  return new Linter().verify(code, [config]).map(({ line }) => line);
}

suite("plain English", () => {
  test("rejects relative clauses as nouns, vague verbs and programs as persons", () => {
    const rejected = [
      "What the page shows.",
      "Who waits gets an answer.",
      "Of several the first.",
      "Where files are kept.",
      "The entry stands in the list.",
      "The turn goes on.",
      "Whether a page is there.",
      "The sum comes to zero.",
      "Every server has it.",
      "Nobody waits.",
      "A process of its own.",
      "The list is another now.",
      "The agent is told the reason.",
      "The host hears of the end.",
    ];
    deepEqual(
      rejected.filter(text => faultsIn(text).length === 0),
      [],
    );
  });

  test("accepts questions, quotations, code and relative clauses of place", () => {
    const accepted = [
      "What does it return?",
      "Where the focus must not move, the text is spoken.",
      'The label is "What is there".',
      "See `of` and `stands`.",
      "The wording of its own messages.",
      "The host tells both apart.",
    ];
    deepEqual(accepted.flatMap(faultsIn), []);
  });

  test("reports comments once, also those over several lines, and test titles if enabled", () => {
    deepEqual(
      [
        reported("// What\n// it does.\nlet a; // nobody\n/**\n * Fine.\n *\n * - Of these one.\n */\nlet b;"),
        reported("// @ts-expect-error nobody\n"),
        reported('test("what it does", () => {});'),
        reported('test("what it does", () => {});\ntest(`of ${1}`, () => {});\ntest(name, () => {});', {
          titles: true,
        }),
      ],
      [[1, 3, 4], [], [], [1, 2]],
    );
  });

  test("checks messages of at least four words, without continued sentences and module names", () => {
    const code = [
      'const a = "Nobody waits for this result.";',
      "const b = `The agent ${name} stands before the tool.`;",
      'const c = ["nobody waits", "What it does"];',
      "const d = ` of the protocol, its successor with ${version}`;",
      'import "./what stands in the way";',
    ].join("\n");
    deepEqual([reported(code), reported(code, { messages: true })], [[], [1, 2]]);
  });

  test("reports old words in names of a module and of members, not in local names and object literals", () => {
    const code = [
      "const MOST_BYTES = 1;",
      "export function tellHost() { const told = 1; return { kept: told }; }",
      "class Heard { #patienceMs = 1; left() {} [made]() {} 'said'() {} }",
      "const openWorldHint = 1, leftEdge = 2, mostly = 3;",
    ].join("\n");
    deepEqual(reported(code, { names: true }), [1, 2, 3, 3, 3]);
  });

  test("finds an old word in any spelling of a name", () => {
    deepEqual(
      ["MAX_TOLD", "ChatWorld", "#isHeard", "room", "Other", "makeRoom", "tolerate", "HTTPDoor"].map(
        name => avoidedIn(name)?.word,
      ),
      ["told", "world", "heard", "room", "other", undefined, undefined, "door"],
    );
  });

  test("splits documents into passages and sentences", () => {
    deepEqual(passagesOf("# A\n\nOne. Two\nlines.\n- [b](c)\n\n```\ncode\n```\n| d | `e` |\n").flatMap(sentencesOf), [
      "A",
      "One.",
      "Two lines.",
      "b",
      "d",
      "x",
    ]);
    deepEqual(longSentences("a b c. `d e` f", 2), ["a b c."]);
  });

  for (const name of DOCUMENTS)
    test(`finds no faults in ${name}, and no sentence of more than ${MAX_WORDS} words`, () => {
      deepEqual(passagesOf(checkedPart(name)).flatMap(faultsAndLongSentences), []);
    });

  for (const name of ["package.nls.json", "l10n/bundle.l10n.json"])
    test(`finds no faults in the user-visible texts of ${name}, and no sentence of more than ${MAX_WORDS} words`, () => {
      const texts = Object.values(v.parse(v.record(v.string(), v.string()), JSON.parse(readFileSync(name, "utf8"))));
      deepEqual(texts.flatMap(faultsAndLongSentences), []);
    });

  test("finds no faults in comments of styles and in texts of pictures", () => {
    const files = ["webview", "media"].flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(name => path.join(folder, name)),
    );
    const texts = files.flatMap(name => {
      const parts = name.endsWith(".css")
        ? readFileSync(name, "utf8").matchAll(/\/\*([^]*?)\*\//g)
        : name.endsWith(".svg")
          ? readFileSync(name, "utf8").matchAll(/<(?:text|tspan|title|desc)\b[^>]*>([^<]+)/g)
          : [];
      return [...parts].map(([, text = ""]) => text.trim());
    });
    ok(texts.length > 20);
    deepEqual(texts.flatMap(faultsAndLongSentences), []);
  });
});
