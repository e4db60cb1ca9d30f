/**
 * Styles that a color theme gives to TextMate scopes, by the rules of VS Code's tokenizer. Pure.
 *
 * A selector matches a scope and its parents. If several match, the one with more segments wins, then the one with
 * longer parents, then the later one. Color and font style are decided separately, so that a rule without a color keeps
 * the color of a less specific one.
 */
import type { TokenStyle } from "../../protocol/page/code-colors";
import { isObject } from "../../protocol/wire/json";

export interface TokenRule {
  /** Scopes from the outermost one to the one that is styled; `>` before a scope: its parent is the scope before it. */
  readonly scopes: readonly string[];
  /** The rule does not apply within these scopes. */
  readonly except: readonly string[];
  readonly color?: string;
  /** Words such as `italic`; empty: none of them. */
  readonly fontStyle?: string;
}

const COLOR = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;

/** Rules of `tokenColors`, `settings` or `textMateRules`. Invalid ones are skipped. */
export function rulesOf(tokenColors: unknown): readonly TokenRule[] {
  return (Array.isArray(tokenColors) ? tokenColors : []).flatMap((each: unknown): readonly TokenRule[] => {
    const { scope, settings } = isObject(each) ? each : {};
    return rulesFor(scope, settings);
  });
}

/** `scope`: selectors in a list, or separated by commas. */
export function rulesFor(scope: unknown, settings: unknown): readonly TokenRule[] {
  if (!isObject(settings)) return [];
  const { foreground, fontStyle } = settings;
  const style = {
    ...(typeof foreground === "string" && COLOR.test(foreground) ? { color: foreground } : {}),
    ...(typeof fontStyle === "string" ? { fontStyle } : {}),
  };
  const selectors = (Array.isArray(scope) ? scope : [scope]).flatMap((each: unknown) =>
    typeof each === "string" ? each.split(",") : [],
  );
  return selectors.flatMap((selector): readonly TokenRule[] => {
    const [included = "", ...except] = selector.split(/\s-\s?/).map(part => part.trim()),
      scopes = included.split(/\s+/).filter(part => part !== "");
    return scopes.length === 0 ? [] : [{ scopes, except, ...style }];
  });
}

/** The style of the innermost one of these scopes, outermost first. */
export function styleOf(rules: readonly TokenRule[], scopes: readonly string[]): TokenStyle {
  const color = innermost(scopes, path => best(rules, path, rule => rule.color)),
    words = innermost(scopes, path => best(rules, path, rule => rule.fontStyle))?.split(/\s+/) ?? [];
  return {
    ...(color === undefined ? {} : { color }),
    ...(words.includes("italic") ? { isItalic: true } : {}),
    ...(words.includes("bold") ? { isBold: true } : {}),
    ...(words.includes("underline") ? { isUnderlined: true } : {}),
  };
}

function innermost<T>(scopes: readonly string[], find: (path: readonly string[]) => T | undefined): T | undefined {
  for (let length = scopes.length; length > 0; length--) {
    const found = find(scopes.slice(0, length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Value of the most specific rule for the last scope of the path. */
function best<T>(
  rules: readonly TokenRule[],
  path: readonly string[],
  valueOf: (rule: TokenRule) => T | undefined,
): T | undefined {
  let winner: TokenRule | undefined;
  for (const rule of rules)
    if (valueOf(rule) !== undefined && matches(rule, path) && (winner === undefined || compare(rule, winner) >= 0))
      winner = rule;
  return winner && valueOf(winner);
}

function matches({ scopes, except }: TokenRule, path: readonly string[]): boolean {
  const own = scopes.at(-1) ?? "",
    last = path.at(-1) ?? "";
  return (
    isWithin(last, own) &&
    hasParents(scopes.slice(0, -1), path.slice(0, -1)) &&
    !except.some(each => path.some(scope => isWithin(scope, each)))
  );
}

/** `string.quoted.double` is within `string.quoted` and `string`. */
const isWithin = (scope: string, selector: string): boolean => scope === selector || scope.startsWith(`${selector}.`);

function hasParents(wanted: readonly string[], path: readonly string[]): boolean {
  let at = path.length - 1;
  for (let i = wanted.length - 1; i >= 0; i--) {
    const isDirect = wanted[i] === ">",
      parent = isDirect ? wanted[--i] : wanted[i];
    if (parent === undefined) return false;
    while (!isDirect && at >= 0 && !isWithin(path[at] ?? "", parent)) at--;
    if (at < 0 || !isWithin(path[at] ?? "", parent)) return false;
    at--;
  }
  return true;
}

/** Positive: `a` is more specific. */
function compare(a: TokenRule, b: TokenRule): number {
  const depth = depthOf(a) - depthOf(b);
  if (depth !== 0) return depth;
  const [as, bs] = [parentsOf(a), parentsOf(b)];
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const length = (as[i]?.length ?? 0) - (bs[i]?.length ?? 0);
    if (length !== 0) return length;
  }
  return as.length - bs.length;
}

const depthOf = ({ scopes }: TokenRule): number => scopes.at(-1)?.split(".").length ?? 0;
/** Innermost first. */
const parentsOf = ({ scopes }: TokenRule): readonly string[] =>
  scopes
    .slice(0, -1)
    .filter(scope => scope !== ">")
    .toReversed();
