/** The color themes of VS Code, as far as the pages use them. `themes.page.ts` compares the record with VS Code. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { CodeColors } from "../../protocol/page/code-colors";
import { ROOT } from "../page/harness";

export interface Theme {
  /** Classes of the page's body. */
  readonly classes: string;
  /** Values of the CSS variables `--vscode-NAME`. A theme may lack a variable. */
  readonly variables: Readonly<Record<string, string>>;
}

export const RECORD = path.join(ROOT, "src/test/webview/fixtures/themes.json");

export const CODE_COLORS_RECORD = path.join(ROOT, "src/test/webview/fixtures/code-colors.json");

/** By name. */
export const readThemes = (): Readonly<Record<string, Theme>> =>
  JSON.parse(readFileSync(RECORD, "utf8")) as Readonly<Record<string, Theme>>;

/**
 * Colors of code by the name of the theme; none for high contrast. `src/test/code-colors.test.ts` compares them with VS
 * Code.
 */
export const readCodeColors = (): Readonly<Record<string, CodeColors>> =>
  JSON.parse(readFileSync(CODE_COLORS_RECORD, "utf8")) as Readonly<Record<string, CodeColors>>;

export function themeNamed(name: string): Theme {
  const theme = readThemes()[name];
  if (theme === undefined) throw new Error(`${RECORD} has no theme ${name}.`);
  return theme;
}
