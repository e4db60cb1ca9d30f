import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { SETTINGS_PAGE, WALKTHROUGH } from "../names";
import { until } from "./until";

const ID = "symposium-dev.symposium";

const pages = () =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(SETTINGS_PAGE));
const there = (count: number) =>
  until(`${count} settings page(s)`, [vscode.window.tabGroups.onDidChangeTabs], () => pages().length === count);

suite("settings page in VS Code", () => {
  suiteTeardown(async () => {
    await vscode.window.tabGroups.close(pages());
  });

  test("opens one editor and reopens it after it was closed", async () => {
    await vscode.commands.executeCommand("symposium.openSettings");
    await there(1);
    assert.equal(pages()[0]?.label, "Symposium Settings");
    await vscode.commands.executeCommand("symposium.openSettings");
    await there(1);
    await vscode.window.tabGroups.close(pages());
    await there(0);
    await vscode.commands.executeCommand("symposium.openSettings");
    await there(1);
  });

  test("opens a view below the chat", async () => {
    await vscode.commands.executeCommand("symposium.settingsView.focus");
  });

  test("opens the walkthrough with its pictures", async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension);
    const { contributes } = extension.packageJSON as {
      contributes: { walkthroughs: { id: string; steps: { media: { svg: string } }[] }[] };
    };
    assert.deepEqual(
      contributes.walkthroughs.map(({ id }) => id),
      [WALKTHROUGH],
    );
    for (const { media } of contributes.walkthroughs.flatMap(({ steps }) => steps))
      assert.ok(existsSync(path.join(extension.extensionPath, media.svg)), media.svg);
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${ID}#${WALKTHROUGH}`);
  });
});
