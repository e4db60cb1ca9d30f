import assert from "node:assert/strict";
import * as vscode from "vscode";

suite("copying diagnostics in VS Code", () => {
  let before = "";
  suiteSetup(async () => {
    before = await vscode.env.clipboard.readText();
  });
  suiteTeardown(() => vscode.env.clipboard.writeText(before));

  test("copies versions, agents, the tools of the computer and the log", async () => {
    await vscode.commands.executeCommand("symposium.copyDiagnostics");
    const text = await vscode.env.clipboard.readText();
    for (const part of [
      /^Symposium diagnostics\n\nSymposium \d+\.\d+\.\d+\n/,
      new RegExp(
        `\\nEditor: .* ${vscode.version.replaceAll(".", "\\.")}, (?:desktop|web), remote: [\\w-]+, language: `,
      ),
      /\nExtension host: Node \d+.*\nWorkspace: trusted, folders: \d\nSidecar: running\n/,
      /\n {2}(?:\* )?Eliza \(elizacp\): ready, .*part of Symposium/,
      /\nComputer:\n {2}Symposium .*\n {2}Shell: /,
      /\[info\] sidecar: Sidecar ready/,
    ])
      assert.match(text, part);
  });
});
