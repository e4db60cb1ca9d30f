import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { ActiveTheme } from "../editor/theme/active-theme";
import { Log } from "../log";
import { until } from "./until";

/** `src/test/webview/themes.ts` reads this record. */
const RECORD = path.join(process.env["SYMPOSIUM_ROOT"] ?? "", "src/test/webview/fixtures/code-colors.json");

suite("colors of code in the active theme", () => {
  const theme = new ActiveTheme(new Log());
  suiteTeardown(async () => {
    await vscode.workspace.getConfiguration("workbench").update("colorTheme", undefined, true);
    theme.dispose();
  });

  for (const [name, kind] of [
    ["Dark Modern", vscode.ColorThemeKind.Dark],
    ["Light Modern", vscode.ColorThemeKind.Light],
    ["Default High Contrast", vscode.ColorThemeKind.HighContrast],
  ] as const)
    test(`are those of ${name}`, async () => {
      await vscode.workspace.getConfiguration("workbench").update("colorTheme", name, true);
      await until(
        `the theme ${name}`,
        [vscode.window.onDidChangeActiveColorTheme],
        () => vscode.window.activeColorTheme.kind === kind,
      );
      const recorded = (JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, unknown>)[name];
      assert.deepEqual(await theme.codeColors(), recorded);
    });
});
