// An ESLint rule: each text for the user is a call of `l10n.t`, so that the catalogue contains the text (issue 15 item
// 1). A text is a sentence, or the value of a property that names a label. Log lines are in English, as in VS Code.

/** A text starts with a capital, a placeholder, a number, a setting, or a mark of Markdown or of a list. */
const OPENING = /^(?:[*_✓✗·→] ?)*[“(]?(?:\{\d+\}|\p{Lu}|\d+ |symposium\.\p{L}+ )/u;
const WORDS = /[\p{Ll}”}’…)]+[,:]? [\p{L}{“]/u;
const CODE = /https?:|[<=]|\$\(|^\{\d+\}[^ ]*$/;
/** A sentence of this many words is a text, even if it contains code. */
const MIN_SENTENCE_WORDS = 5;
const LABELS = new Set([
  "title",
  "label",
  "description",
  "detail",
  "placeHolder",
  "placeholder",
  "tooltip",
  "question",
  "hint",
  "note",
]);
/** Functions whose texts are for the log or for developers. */
const UNTRANSLATED =
  /(?:^|\.)(?:log|debug|info|warn|error|trace|onWarning|assertNever|l10n\.t)$|^RpcError$|^TypeError$/;

/** The message with `{0}` for each placeholder; `undefined` if the node is no text. */
function messageOf(node) {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral")
    return node.quasis.map(({ value }, i) => (i === 0 ? "" : `{${i - 1}}`) + (value.cooked ?? "")).join("");
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = messageOf(node.left),
    right = messageOf(node.right);
  if (left === undefined || right === undefined) return undefined;
  const shift = placeholders(node.left).length;
  return left + right.replaceAll(/\{(\d+)\}/g, (_, i) => `{${Number(i) + shift}}`);
}

function placeholders(node) {
  if (node.type === "TemplateLiteral") return node.expressions;
  return node.type === "BinaryExpression" ? [...placeholders(node.left), ...placeholders(node.right)] : [];
}

const isPlus = node => node.type === "BinaryExpression" && node.operator === "+";

/** Whether the node's position excludes a text for the user. */
function isNoText(node) {
  const { parent } = node;
  switch (parent.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSLiteralType":
    case "TSEnumMember":
    case "TaggedTemplateExpression":
    case "SwitchCase":
    case "ExpressionStatement":
      return true;
    case "MemberExpression":
      return parent.property === node;
    case "Property":
      return parent.key === node;
    case "BinaryExpression":
      return parent.operator !== "+";
    default:
      return false;
  }
}

function isUntranslated(node) {
  for (let at = node; at; at = at.parent) {
    const { parent } = at;
    if (!parent) return false;
    if (
      (parent.type === "CallExpression" || parent.type === "NewExpression") &&
      parent.arguments.includes(at) &&
      UNTRANSLATED.test(nameOf(parent.callee))
    )
      return true;
    // Placeholders of a text, and functions as arguments, are checked separately.
    if (/Function/.test(parent.type)) return false;
  }
  return false;
}

function nameOf(callee) {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression" && callee.property.type === "Identifier")
    return `${nameOf(callee.object)}.${callee.property.name}`;
  return "";
}

/** Accepts a phrase anywhere, and a single word in a property or a file (`isCatalogue`) that contains only labels. */
function isText(node, message, isCatalogue) {
  const text = message.trim();
  if (!OPENING.test(text) || !/\p{Ll}{2}/u.test(text.replaceAll(/\{\d+\}/g, ""))) return false;
  const words = text.match(/(?<=^|[ “(])\p{L}{2,}(?=[ ,.:;)”]|$)/gu) ?? [];
  if (CODE.test(text) && words.length < MIN_SENTENCE_WORDS) return false;
  if (WORDS.test(text)) return true;
  const { parent } = node;
  return isCatalogue || (parent.type === "Property" && parent.key.type === "Identifier" && LABELS.has(parent.key.name));
}

/** `l10n.t` of the text: a tagged template where one template is the whole text, else a call with arguments. */
function* wrapped(fixer, node, source) {
  if (node.type === "TemplateLiteral") return yield fixer.insertTextBefore(node, "l10n.t");
  let i = 0;
  const text = part =>
    isPlus(part)
      ? `${text(part.left)} + ${text(part.right)}`
      : part.type === "TemplateLiteral"
        ? JSON.stringify(part.quasis.map(({ value }, n) => (n === 0 ? "" : `{${i++}}`) + value.cooked).join(""))
        : source.getText(part);
  const args = [text(node), ...placeholders(node).map(each => source.getText(each))];
  yield fixer.replaceText(node, `l10n.t(${args.join(", ")})`);
}

const rule = {
  meta: {
    type: "problem",
    fixable: "code",
    messages: { wrap: "a text for the user is not in the catalogue: write l10n.t({{message}})" },
    schema: [
      {
        type: "object",
        properties: { isCatalogue: { type: "boolean" } },
        additionalProperties: false,
      },
    ],
  },
  create(context) {
    const isCatalogue = context.options[0]?.isCatalogue === true;
    const check = node => {
      if (isPlus(node.parent) || isNoText(node) || isUntranslated(node)) return;
      const message = messageOf(node);
      if (message === undefined || !isText(node, message, isCatalogue)) return;
      context.report({
        node,
        messageId: "wrap",
        data: { message: JSON.stringify(message) },
        fix: fixer => wrapped(fixer, node, context.sourceCode),
      });
    };
    return { Literal: check, TemplateLiteral: check, BinaryExpression: node => void (isPlus(node) && check(node)) };
  },
};

export default { meta: { name: "l10n" }, rules: { localized: rule } };
