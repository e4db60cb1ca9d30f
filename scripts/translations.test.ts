/** Translations of the texts of the programs and of the manifest. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DRAFT_TRANSLATIONS } from "../src/protocol/text/draft-translations";
import { plurals } from "./l10n.mjs";
import { faultsOf, isOneForm, languages, partsOf, read, untranslated, updated, type Parts } from "./translations.mjs";

const PARTS = ["texts", "manifest"] satisfies (keyof Parts<string>)[];
const ENGLISH = partsOf();

/** Names, units and values that equal the English text. */
const SAME_IN_ALL = ["Symposium", "Sparkler", "Authorization: Bearer …", "{0} MB"];
/** Words that the language shares with English. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    ...["Agent", "Agent: {0}", "Audio ({0}, {1})", "Chat", "Chats", "Code", "Code in {0}, {1}."],
    ...["Code, {0}.", "Code: {0}", "Crate {0}", "Details", "Name in Symposium", "Plan", "Prompt", "Prompts: {0}."],
    ...["Setup: {0}.", "Subagent", "Subagent **{0}**", "Terminal", "Tool", "Tools", "Updates", "Version {0}", "in {0}"],
    ...["{0} Details: {1}.", "{0} d", "{0} h", "{0} min", "{0} ms"],
  ],
  "zh-cn": ["crate {0}"],
};
const sameIn = (language: string): ReadonlySet<string> => new Set([...SAME_IN_ALL, ...(SAME[language] ?? [])]);

suite("translations", () => {
  test("are marked as drafts in the settings page and in the documentation", () => {
    deepEqual(languages(), DRAFT_TRANSLATIONS);
    const text = readFileSync("docs/translations.md", "utf8");
    for (const language of languages()) ok(text.includes(`| \`${language}\` | draft |`), language);
  });

  test("are in the package", () => {
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: readonly string[] };
    deepEqual(
      ["l10n/bundle.l10n.*.json", "package.nls*.json"].filter(pattern => !files.includes(pattern)),
      [],
    );
  });

  for (const language of languages())
    suite(language, () => {
      const files = partsOf(language);

      for (const part of PARTS)
        test(`translates the ${part} completely`, () => {
          const [english, translated] = [read(ENGLISH[part]), read(files[part])],
            missing = Object.keys(untranslated(english, translated));
          equal(
            missing.length,
            0,
            `${files[part]} lacks these texts. Print them with: node scripts/l10n.mjs --missing ${language}\n` +
              missing.map(key => `- ${key}`).join("\n"),
          );
          deepEqual(Object.keys(translated), Object.keys(english), "run `node scripts/l10n.mjs`");
          deepEqual(
            Object.entries(english).flatMap(([key, text]) =>
              faultsOf(text, translated[key] ?? "", sameIn(language)).map(fault => `${key}: ${fault}`),
            ),
            [],
          );
        });

      // The programs choose between two texts: `n === 1` and all other numbers.
      test("has a singular for 1 and a plural for all other numbers, or one form", () => {
        const rules = new Intl.PluralRules(language),
          hasOneForm = rules.resolvedOptions().pluralCategories.length === 1;
        for (const n of [0, 1, 2, 3, 5, 11, 21, 100, 1_000])
          equal(rules.select(n), n === 1 && !hasOneForm ? "one" : "other", `${language}: ${n}`);
        if (!hasOneForm) return;
        const texts = read(files.texts);
        deepEqual(
          plurals()
            .filter(([singular]) => /\b1\b/.test(singular.replaceAll(/\{\d\}|version 1/g, "")))
            .map(pair => pair.map(text => texts[text] ?? text))
            .filter(([singular = "", plural = ""]) => !isOneForm(singular, plural)),
          [],
        );
      });
    });
});

suite("check of translations", () => {
  const faults = (english: string, translated: string): readonly string[] => faultsOf(english, translated, new Set());

  test("finds other placeholders, links, code and names", () => {
    deepEqual(faults("{0} of {1}", "{1} von {0}"), []);
    deepEqual(faults("{0} of {1}", "{0} von {2}"), ['lacks "{1}"', 'has an additional "{2}"']);
    deepEqual(faults("[Open](command:a.b)", "[Öffnen](command:a.c)"), [
      'lacks "](command:a.b)"',
      'has an additional "](command:a.c)"',
    ]);
    deepEqual(faults("Set `id`.", "Legen Sie `ID` fest."), ['lacks "`id`"', 'has an additional "`ID`"']);
    deepEqual(faults("VS Code and symposium.agents", "VS Code und Agenten"), ['lacks "symposium.agents"']);
  });

  test("finds an empty text and an English one", () => {
    deepEqual(faults("Open", " "), ["is empty"]);
    deepEqual(faults("Open", "Open"), ["is not translated"]);
    deepEqual(faultsOf("Chat", "Chat", new Set(["Chat"])), []);
  });

  test("lists missing texts, and removes obsolete ones", () => {
    deepEqual(untranslated({ a: "A", b: "B" }, { b: "b" }), { a: "A" });
    deepEqual(Object.entries(updated({ a: "A", b: "B" }, { c: "c", b: "b", a: "a" })), [
      ["a", "a"],
      ["b", "b"],
    ]);
  });

  test("recognizes a language with one form of nouns", () => {
    ok(isOneForm("1 行", "{0} 行"));
    ok(isOneForm("{0} は 1 秒後", "{0} は {1} 秒後"));
    ok(!isOneForm("1 Zeile", "{0} Zeilen"));
  });
});
