import assert from "node:assert/strict";
import * as vscode from "vscode";

const ID = "symposium-dev.symposium";

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(ID);
  assert.ok(found, `${ID} is not there`);
  return found;
}

suite("activation", () => {
  test("happens when the view is shown", async () => {
    await vscode.commands.executeCommand("symposium.chatView.focus");
    await extension().activate();
    assert.equal(extension().isActive, true);
  });

  test("registers every command of the manifest", async () => {
    const { contributes } = extension().packageJSON as { contributes: { commands: { command: string }[] } };
    await extension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter(command => !registered.has(command)),
      [],
    );
  });
});
