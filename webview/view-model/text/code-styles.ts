/** The style sheet of code in the colors of the editor's theme. Pure. */
import { CODE_TOKENS, type CodeColors, type CodeToken, type TokenStyle } from "../../../src/protocol/page/code-colors";

/** The highlighter's classes. A later token wins where an element has the classes of two. */
const SELECTORS: Readonly<Record<CodeToken, string>> = {
  comment: ".hljs-comment, .hljs-quote",
  string: ".hljs-string, .hljs-code",
  escape: ".hljs-char.escape_",
  regexp: ".hljs-regexp",
  number: ".hljs-number",
  constant: ".hljs-literal, .hljs-variable.constant_",
  keyword: ".hljs-keyword, .hljs-doctag",
  storage: ".hljs-keyword.storage_",
  operator: ".hljs-operator",
  punctuation: ".hljs-punctuation, .hljs-bullet",
  function: ".hljs-title, .hljs-title.function_",
  class: ".hljs-title.class_",
  type: ".hljs-type",
  builtIn: ".hljs-built_in",
  variable: ".hljs-variable, .hljs-template-variable",
  parameter: ".hljs-params",
  languageVariable: ".hljs-variable.language_",
  property: ".hljs-property",
  jsonProperty: ".language-json .hljs-attr, .language-yaml .hljs-attr, .language-toml .hljs-attr",
  cssProperty: ".hljs-attribute",
  tag: ".hljs-name, .hljs-selector-tag",
  attribute: ".hljs-attr",
  cssClass: ".hljs-selector-class, .hljs-selector-id, .hljs-selector-attr, .hljs-selector-pseudo",
  meta: ".hljs-meta, .hljs-template-tag",
  symbol: ".hljs-symbol",
  heading: ".hljs-section",
  bold: ".hljs-strong",
  italic: ".hljs-emphasis",
  link: ".hljs-link",
  inserted: ".hljs-addition",
  deleted: ".hljs-deletion",
};

/** `scope`: selector of the elements that contain code. */
export function codeStyles(colors: CodeColors, scope: string): string {
  return CODE_TOKENS.map(token => {
    const selector = `${scope} :is(${SELECTORS[token]})`;
    return [selector, "{", declarations(colors[token]), "}"].join(" ");
  }).join("\n");
}

function declarations({ color = "inherit", isItalic, isBold, isUnderlined }: TokenStyle = {}): string {
  return [
    `color: ${color};`,
    `font-style: ${isItalic ? "italic" : "normal"};`,
    `font-weight: ${isBold ? "bold" : "inherit"};`,
    `text-decoration: ${isUnderlined ? "underline" : "inherit"};`,
  ].join(" ");
}
