import assert from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import * as vscode from "vscode";
import type { TestApi } from "../extension";
import type { LogEvent } from "../protocol/wire/log";
import { until, type Subscribe } from "./until";

const run = <T>(name: string, ...args: unknown[]) =>
  vscode.commands.executeCommand<T>(`symposium.test.${name}`, ...args);

/** Polls, because VS Code has no event for an agent's answer. */
async function answered(holds: () => Promise<boolean>): Promise<void> {
  for (
    const deadline = Date.now() + timeLimit(60_000);
    !(await holds());
    await new Promise(resolve => setTimeout(resolve, 50))
  )
    assert.ok(Date.now() < deadline, "not answered within 60 s");
}

suite("test API", () => {
  const lines: LogEvent[] = [];
  let listening: vscode.Disposable;
  let log: Subscribe;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<TestApi>("symposium-dev.symposium");
    const api = await extension?.activate();
    assert.ok(api, "the API is there outside production");
    log = api.onLog;
    listening = api.onLog(event => lines.push(event));
  });
  suiteTeardown(() => listening.dispose());

  const logged = (message: string) =>
    lines.filter(line => line.category === "agent" && line.message === message).length;

  test("opens two sessions for two tabs and answers each prompt in its own", async () => {
    const created = logged("Session created");
    const prompts = { "test-tab-1": "I am happy", "test-tab-2": "I am sad" };
    for (const tabId of Object.keys(prompts)) await run("simulateNewTab", tabId);
    assert.deepEqual(
      (await run<string[]>("getTabs")).filter(tabId => tabId in prompts),
      Object.keys(prompts),
    );
    for (const [tabId, text] of Object.entries(prompts)) {
      await run("startCapturingResponses", tabId);
      await run("sendPrompt", tabId, text);
    }
    await answered(
      async () =>
        /happy/i.test(await run("getResponse", "test-tab-1")) && /sad/i.test(await run("getResponse", "test-tab-2")),
    );
    assert.deepEqual(
      [logged("Session created") - created, logged("Received prompt"), logged("Sending prompt")],
      [2, 2, 2],
    );
    for (const tabId of Object.keys(prompts)) {
      await run("stopCapturingResponses", tabId);
      assert.equal(await run("getResponse", tabId), "");
    }
  });

  test("rejects a prompt to an unknown tab", async () => {
    await assert.rejects(async () => run("sendPrompt", "never", "hi"), /closed/);
  });

  test("logs when the view is shown and hidden", async () => {
    const view = (message: string) =>
      lines.filter(line => line.category === "webview" && line.message === message).length;
    await vscode.commands.executeCommand("symposium.openChat");
    // the command returns before VS Code has resolved the view
    await until("there", [log], () => view("Webview resolved") > 0);
    await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
    await until("hidden", [log], () => view("Webview hidden") > 0);
    await vscode.commands.executeCommand("symposium.openChat");
    await until("visible", [log], () => view("Webview visible") > 0);
  });
});
