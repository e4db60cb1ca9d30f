/** Styles of the page's tokens in a color theme, with the user's customizations. Pure. */
import { CODE_TOKENS, type CodeColors, type CodeToken } from "../../protocol/page/code-colors";
import { isObject } from "../../protocol/wire/json";
import { rulesFor, rulesOf, styleOf, type TokenRule } from "./token-rules";

/** Scopes that VS Code's grammars give to the token, outermost first; the first alternative with a style decides. */
const SCOPES: Readonly<Record<CodeToken, readonly (readonly string[])[]>> = {
  comment: [["source", "comment.line"]],
  string: [["source", "string.quoted.double"]],
  escape: [["source", "string.quoted.double", "constant.character.escape"]],
  regexp: [["source", "string.regexp"]],
  number: [["source", "constant.numeric.decimal"]],
  constant: [["source", "constant.language"]],
  keyword: [["source", "keyword.control"]],
  storage: [["source", "storage.type"]],
  operator: [["source", "keyword.operator"]],
  punctuation: [["source", "punctuation"]],
  function: [["source", "meta.function", "entity.name.function"]],
  class: [
    ["source", "meta.class", "entity.name.type.class"],
    ["source", "entity.name.class"],
  ],
  type: [
    ["source", "entity.name.type"],
    ["source", "support.type"],
  ],
  builtIn: [
    ["source", "support.function"],
    ["source", "support.class"],
  ],
  variable: [["source", "variable.other.readwrite"]],
  parameter: [["source", "meta.parameters", "variable.parameter"]],
  languageVariable: [["source", "variable.language"]],
  property: [["source", "variable.other.property"]],
  jsonProperty: [["source.json", "support.type.property-name.json"]],
  cssProperty: [["source.css", "support.type.property-name.css"]],
  tag: [["text.html", "meta.tag", "entity.name.tag"]],
  attribute: [["text.html", "meta.tag", "entity.other.attribute-name"]],
  cssClass: [["source.css", "meta.selector.css", "entity.other.attribute-name.class.css"]],
  meta: [
    ["source", "meta.preprocessor"],
    ["source", "meta.decorator", "entity.name.function"],
  ],
  symbol: [
    ["source", "constant.other.symbol"],
    ["source", "constant.other"],
  ],
  heading: [["text.html.markdown", "markup.heading.markdown", "entity.name.section.markdown"]],
  bold: [["text.html.markdown", "markup.bold.markdown"]],
  italic: [["text.html.markdown", "markup.italic.markdown"]],
  link: [["text.html.markdown", "markup.underline.link.markdown"]],
  inserted: [["source.diff", "markup.inserted.diff"]],
  deleted: [["source.diff", "markup.deleted.diff"]],
};

export function codeColorsOf(rules: readonly TokenRule[]): CodeColors {
  return Object.fromEntries(
    CODE_TOKENS.flatMap(token => {
      const styles = SCOPES[token].map(scopes => styleOf(rules, scopes)),
        style = styles.find(each => Object.keys(each).length > 0);
      return style === undefined ? [] : [[token, style]];
    }),
  );
}

/** The groups of `editor.tokenColorCustomizations`, and their selectors in VS Code. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  comments: ["comment", "punctuation.definition.comment"],
  strings: ["string", "meta.embedded.assembly"],
  keywords: ["keyword - keyword.operator", "keyword.control", "storage", "storage.type"],
  numbers: ["constant.numeric"],
  types: ["entity.name.type", "entity.name.class", "support.type", "support.class"],
  functions: ["entity.name.function", "support.function"],
  variables: ["variable", "entity.name.variable"],
};

/** Rules of `editor.tokenColorCustomizations` for the theme, which follow the theme's own. `theme`: its settings id. */
export function customRules(customizations: unknown, theme: string): readonly TokenRule[] {
  if (!isObject(customizations)) return [];
  const ofTheme = Object.entries(customizations).filter(([name]) => isForTheme(name, theme));
  return [customizations, ...ofTheme.map(([, value]) => value)].flatMap(rulesOfGroups);
}

function rulesOfGroups(customizations: unknown): readonly TokenRule[] {
  if (!isObject(customizations)) return [];
  return [
    ...Object.entries(GROUPS).flatMap(([group, selectors]) => {
      const value = customizations[group];
      return rulesFor(selectors, typeof value === "string" ? { foreground: value } : value);
    }),
    ...rulesOf(customizations["textMateRules"]),
  ];
}

/** `[Theme]`, `[One][Two]`, and `*` for any text. */
function isForTheme(name: string, theme: string): boolean {
  return [...name.matchAll(/\[([^\]]*)\]/g)].some(([, pattern = ""]) => {
    const parts = pattern.split("*").map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "s").test(theme);
  });
}
