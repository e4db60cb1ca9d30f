// The catalogue of texts for the user: `l10n/bundle.l10n.json`. VS Code loads the file of its display language from the
// same folder, such as `bundle.l10n.de.json`. The extension passes its content to the page and the sidecar.
//   node scripts/l10n.mjs            in the project; a unit test compares the catalogue with the sources
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { globSync } from "./glob.mjs";

export const CATALOGUE = "l10n/bundle.l10n.json";
const PROGRAMS = ["src", "webview", "sidecar"];

/** The messages of all calls of `l10n.t`, sorted, in VS Code's format: each text is its own key. */
export function catalogue() {
  const messages = globSync(PROGRAMS, /(?<!\.test)\.ts$/).flatMap(file => messagesIn(file, readFileSync(file, "utf8")));
  return Object.fromEntries([...new Set(messages)].sort().map(message => [message, message]));
}

/** Throws for a computed message. */
export function messagesIn(file, source) {
  const found = [];
  if (!source.includes("l10n.t")) return found;
  const visit = node => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "l10n.t") found.push(messageOf(node.template));
    if (ts.isCallExpression(node) && node.expression.getText() === "l10n.t") found.push(messageOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  const messageOf = node => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (ts.isBinaryExpression(node)) return messageOf(node.left) + messageOf(node.right);
    if (ts.isTemplateExpression(node))
      return node.head.text + node.templateSpans.map(({ literal }, i) => `{${i}}${literal.text}`).join("");
    throw new Error(`${file}: the message of l10n.t is computed: ${node.getText()}`);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(CATALOGUE, `${JSON.stringify(catalogue(), null, 2)}\n`);
