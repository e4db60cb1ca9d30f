/** The token colors of a color theme's files. Pure, except for the injected reading. */
import path from "node:path";
import { parse } from "jsonc-parser";
import { isObject } from "../../protocol/wire/json";
import { rulesOf, type TokenRule } from "./token-rules";

/** Maximum number of files that include each other. */
const MAX_FILES = 10;

/**
 * Rules of the theme and of the themes that it includes, which precede its own. `undefined`: the theme has a format
 * other than JSON. Rejects if a file cannot be read.
 */
export async function themeRules(
  file: string,
  read: (file: string) => Promise<string>,
  remaining = MAX_FILES,
): Promise<readonly TokenRule[] | undefined> {
  if (!/\.jsonc?$/i.test(file) || remaining === 0) return undefined;
  const theme: unknown = parse(await read(file), [], { allowTrailingComma: true });
  if (!isObject(theme)) return undefined;
  const { include, tokenColors, settings } = theme,
    beside = (name: string): string => path.join(path.dirname(file), name);
  const included = typeof include === "string" ? await themeRules(beside(include), read, remaining - 1) : [];
  const own =
    typeof tokenColors === "string"
      ? await themeRules(beside(tokenColors), read, remaining - 1)
      : rulesOf(tokenColors ?? settings);
  return included && own && [...included, ...own];
}

export type ThemeKind = "light" | "dark" | "highContrast" | "highContrastLight";

export interface ThemeSettings {
  readonly colorTheme: string;
  readonly preferredDark: string;
  readonly preferredLight: string;
  /** `window.autoDetectColorScheme`. */
  readonly followsSystem: boolean;
}

/** Settings ids of the themes that may be active, likeliest first. */
export function themeCandidates(settings: ThemeSettings, kind: ThemeKind): readonly string[] {
  const { colorTheme, preferredDark, preferredLight, followsSystem } = settings,
    preferred = kind === "dark" ? preferredDark : preferredLight;
  return followsSystem ? [preferred, colorTheme] : [colorTheme, preferred];
}
