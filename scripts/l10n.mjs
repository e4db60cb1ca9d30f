// The catalogue of texts for the user: `l10n/bundle.l10n.json`. VS Code loads the file of its display language from the
// same folder, such as `bundle.l10n.de.json`. The extension passes its content to the page and the sidecar.
//   node scripts/l10n.mjs                        in the project; a unit test compares the catalogue with the sources
//   node scripts/l10n.mjs --missing LANGUAGE     prints the texts without a translation
//   node scripts/l10n.mjs --add LANGUAGE FILE    adds translations in the same format
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { globSync } from "./glob.mjs";
import { languages, partsOf, read, untranslated, updated, write } from "./translations.mjs";

export const CATALOGUE = partsOf().texts;
const PROGRAMS = ["src", "webview", "sidecar"];

const sources = () => globSync(PROGRAMS, /(?<!\.test)\.ts$/).map(file => [file, readFileSync(file, "utf8")]);

/** The messages of all calls of `l10n.t`, sorted, in VS Code's format: each text is its own key. */
export function catalogue() {
  const messages = sources().flatMap(([file, source]) => messagesIn(file, source));
  return Object.fromEntries([...new Set(messages)].sort().map(message => [message, message]));
}

/** All pairs of a singular and its plural. */
export function plurals() {
  return sources().flatMap(([file, source]) => pluralsIn(file, source));
}

/** Throws for a computed message. */
export function messagesIn(file, source) {
  const found = [];
  visitAll(file, source, node => {
    const message = messageOf(file, node);
    if (message !== undefined) found.push(message);
  });
  return found;
}

/** The texts of `n === 1 ? l10n.t("1 line") : l10n.t("{0} lines", n)`. */
export function pluralsIn(file, source) {
  const found = [];
  visitAll(file, source, node => {
    if (!ts.isConditionalExpression(node) || !/=== 1$/.test(node.condition.getText())) return;
    const pair = [node.whenTrue, node.whenFalse].map(branch => messageOf(file, branch));
    if (!pair.includes(undefined)) found.push(pair);
  });
  return found;
}

function visitAll(file, source, visitor) {
  if (!source.includes("l10n.t")) return;
  const visit = node => {
    visitor(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
}

/** `undefined` if the node is no call of `l10n.t`. */
function messageOf(file, node) {
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "l10n.t") return textOf(file, node.template);
  if (ts.isCallExpression(node) && node.expression.getText() === "l10n.t") return textOf(file, node.arguments[0]);
  return undefined;
}

function textOf(file, node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isBinaryExpression(node)) return textOf(file, node.left) + textOf(file, node.right);
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }, i) => `{${i}}${literal.text}`).join("");
  throw new Error(`${file}: the message of l10n.t is computed: ${node.getText()}`);
}

/** Writes the catalogue and removes obsolete texts from all translations. Returns the number of missing ones. */
function update() {
  write(CATALOGUE, catalogue());
  return languages().map(language => {
    for (const [part, file] of Object.entries(partsOf(language)))
      write(file, updated(read(partsOf()[part]), read(file)));
    const missing = Object.values(missingOf(language)).reduce((sum, texts) => sum + Object.keys(texts).length, 0);
    return [language, missing];
  });
}

function missingOf(language) {
  const files = partsOf(language);
  return Object.fromEntries(
    Object.entries(partsOf()).map(([part, file]) => [part, untranslated(read(file), read(files[part]))]),
  );
}

/** `file`: JSON in the format of `--missing`, with translated values. */
function add(language, file) {
  const added = read(file);
  for (const [part, path] of Object.entries(partsOf(language)))
    write(path, updated(read(partsOf()[part]), { ...read(path), ...added[part] }));
}

function run([action, language, file]) {
  if (action === "--missing") return process.stdout.write(`${JSON.stringify(missingOf(language), null, 2)}\n`);
  if (action === "--add") return add(language, file);
  for (const [name, missing] of update())
    if (missing > 0)
      process.stdout.write(`${name}: ${missing} texts are not translated. node scripts/l10n.mjs --missing ${name}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) run(process.argv.slice(2));
