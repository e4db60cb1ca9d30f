/** Colors of code in the page: those that the editor's theme gives to tokens. */

/** Kinds of tokens that the page's highlighter distinguishes. */
export const CODE_TOKENS = [
  "comment",
  "string",
  "escape",
  "regexp",
  "number",
  "constant",
  "keyword",
  "storage",
  "operator",
  "punctuation",
  "function",
  "class",
  "type",
  "builtIn",
  "variable",
  "parameter",
  "languageVariable",
  "property",
  "jsonProperty",
  "cssProperty",
  "tag",
  "attribute",
  "cssClass",
  "meta",
  "symbol",
  "heading",
  "bold",
  "italic",
  "link",
  "inserted",
  "deleted",
] as const;
export type CodeToken = (typeof CODE_TOKENS)[number];

export interface TokenStyle {
  /** `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`. */
  readonly color?: string;
  readonly isItalic?: true;
  readonly isBold?: true;
  readonly isUnderlined?: true;
}

/** A token without a style has the color of the text around it. */
export type CodeColors = Readonly<Partial<Record<CodeToken, TokenStyle>>>;
