/**
 * Colors of code in VS Code's active color theme. Pages receive only the colors of the workbench.
 *
 * High-contrast themes have no colors here: the page's own are made for their borders and backgrounds.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { Log } from "../../log";
import type { CodeColors } from "../../protocol/page/code-colors";
import { isObject } from "../../protocol/wire/json";
import { codeColorsOf, customRules } from "./code-tokens";
import { themeCandidates, themeRules, type ThemeKind } from "./theme-document";

const KINDS: Readonly<Record<vscode.ColorThemeKind, ThemeKind>> = {
  [vscode.ColorThemeKind.Light]: "light",
  [vscode.ColorThemeKind.Dark]: "dark",
  [vscode.ColorThemeKind.HighContrast]: "highContrast",
  [vscode.ColorThemeKind.HighContrastLight]: "highContrastLight",
};
/** `uiTheme` of a contributed theme. */
const UI_THEME = { light: "vs", dark: "vs-dark" } as const;
const SETTINGS = [
  "workbench.colorTheme",
  "workbench.preferredDarkColorTheme",
  "workbench.preferredLightColorTheme",
  "window.autoDetectColorScheme",
  "editor.tokenColorCustomizations",
];

export class ActiveTheme implements vscode.Disposable {
  #reading: Promise<CodeColors | undefined> | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;
  readonly #owned: vscode.Disposable;

  constructor(private readonly log: Log) {
    const outdated = (): void => {
      this.#reading = undefined;
      this.#changed.fire();
    };
    this.#owned = vscode.Disposable.from(
      this.#changed,
      vscode.window.onDidChangeActiveColorTheme(outdated),
      vscode.workspace.onDidChangeConfiguration(change => {
        if (SETTINGS.some(name => change.affectsConfiguration(name))) outdated();
      }),
    );
  }

  /** `undefined`: the colors of the theme are unknown. Never rejects. */
  codeColors(): Promise<CodeColors | undefined> {
    return (this.#reading ??= this.#read().catch((error: unknown) => {
      this.log.debug("webview", "Could not read the color theme", { error });
      return undefined;
    }));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(): Promise<CodeColors | undefined> {
    const kind = KINDS[vscode.window.activeColorTheme.kind];
    if (kind !== "light" && kind !== "dark") return undefined;
    const settings = vscode.workspace.getConfiguration(),
      text = (name: string): string => settings.get<string>(name) ?? "";
    const candidates = themeCandidates(
      {
        colorTheme: text("workbench.colorTheme"),
        preferredDark: text("workbench.preferredDarkColorTheme"),
        preferredLight: text("workbench.preferredLightColorTheme"),
        followsSystem: settings.get<boolean>("window.autoDetectColorScheme") === true,
      },
      kind,
    );
    const themes = contributedThemes().filter(({ uiTheme }) => uiTheme === UI_THEME[kind]),
      active = candidates.flatMap(name => themes.find(theme => theme.id === name || theme.label === name) ?? [])[0],
      rules = active && (await themeRules(active.file, file => readFile(file, "utf8")));
    if (active === undefined || rules === undefined) return undefined;
    const custom = customRules(settings.get("editor.tokenColorCustomizations"), active.id ?? active.label);
    return codeColorsOf([...rules, ...custom]);
  }
}

interface ContributedTheme {
  readonly id: string | undefined;
  readonly label: string;
  readonly uiTheme: string;
  readonly file: string;
}

function contributedThemes(): readonly ContributedTheme[] {
  return vscode.extensions.all.flatMap(({ extensionPath, packageJSON }) => {
    const manifest: unknown = packageJSON,
      contributes = isObject(manifest) && isObject(manifest["contributes"]) ? manifest["contributes"] : {},
      themes: unknown = contributes["themes"];
    return (Array.isArray(themes) ? themes : []).flatMap((theme: unknown): readonly ContributedTheme[] => {
      if (!isObject(theme)) return [];
      const { id, label, uiTheme, path: file } = theme;
      return typeof label === "string" && typeof uiTheme === "string" && typeof file === "string"
        ? [{ id: typeof id === "string" ? id : undefined, label, uiTheme, file: path.join(extensionPath, file) }]
        : [];
    });
  });
}
