// Translations: `l10n/bundle.l10n.LANGUAGE.json` contains the texts of the programs, and `package.nls.LANGUAGE.json`
// those of the manifest. See docs/translations.md.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const BUNDLE = /^bundle\.l10n\.(.+)\.json$/;

/** The languages of all bundles, as VS Code names them. */
export function languages() {
  return readdirSync("l10n")
    .flatMap(name => BUNDLE.exec(name)?.[1] ?? [])
    .sort();
}

/** The two parts of a language with the paths of their files; without a language, of English. */
export function partsOf(language) {
  const ending = language === undefined ? "json" : `${language}.json`;
  return { texts: `l10n/bundle.l10n.${ending}`, manifest: `package.nls.${ending}` };
}

export function read(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function write(file, texts) {
  writeFileSync(file, `${JSON.stringify(texts, null, 2)}\n`);
}

/** The English texts without a translation. */
export function untranslated(english, translated) {
  return Object.fromEntries(Object.entries(english).filter(([key]) => !Object.hasOwn(translated, key)));
}

/** In the order of the English texts, without obsolete texts. */
export function updated(english, translated) {
  return Object.fromEntries(
    Object.keys(english).flatMap(key => (Object.hasOwn(translated, key) ? [[key, translated[key]]] : [])),
  );
}

/** Parts of a text that are the same in all languages. The order may differ. */
const INVARIANT_PARTS = [
  /\{\d+\}/g,
  /\]\(command:[^)]*\)/g,
  /`[^`]+`/g,
  /\bsymposium\.\w+/g,
  /\b\w+\.(?:json|toml|lock)\b/g,
  /https?:\/\/[\w./-]*\w/g,
  /\*\*/g,
  /\n/g,
  /^\s|\s$/g,
  /\b(?:Symposium|VS Code|Eliza|Sparkle|Ferris|Claude|Codex|Gemini|GitHub|MCP|ACP|PATH|Node\.js)\b/g,
];
const invariantPartsOf = text => INVARIANT_PARTS.flatMap(pattern => [...new Set(text.match(pattern))].sort());

/** Errors of a translated text, each as a clause. `same`: texts that may equal the English one. */
export function faultsOf(english, translated, same) {
  if (translated.trim() === "") return ["is empty"];
  const [before, after] = [invariantPartsOf(english), invariantPartsOf(translated)];
  return [
    ...before.filter(part => !after.includes(part)).map(part => `lacks ${JSON.stringify(part)}`),
    ...after.filter(part => !before.includes(part)).map(part => `has an additional ${JSON.stringify(part)}`),
    ...(translated === english && !same.has(english) ? ["is not translated"] : []),
  ];
}

/** Whether the plural with 1 for its number is the singular, as in languages with one form. */
export function isOneForm(singular, plural) {
  const numbered = text => text.replaceAll(/\{\d+\}/g, "{}");
  return [...plural.matchAll(/\{\d+\}/g)].some(
    ([placeholder]) => numbered(plural.replaceAll(placeholder, "1")) === numbered(singular),
  );
}
