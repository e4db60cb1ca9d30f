#!/usr/bin/env node
// Replaces the `code` executable, so that @vscode/test-cli (`useInstallation.fromPath`) runs its suites in the
// extension host of a code-server. Opens the workbench in headless Chromium and exits with the code of
// --extensionTestsPath.
import { existsSync } from "node:fs";
import path from "node:path";
import util from "node:util";
import { timeLimit } from "../time-limits.mjs";
import { startServer } from "./server.mjs";
import { launchBrowser, openWorkbench } from "./workbench.mjs";

/** VS Code's own messages on the console of a test run. */
const NOISE =
  /^(\[(AgentHost|ChatModelSelection|Service Worker|AccountPolicyGate|reconnection-grace-time)|Resolv(ing|ed) connection token|Creating a socket|Error while fetching the extension under development|Updating additional builtin|getaddrinfo|Timed out waiting for authentication provider)/;
/** VS Code's reports, with their stack, of failures that tests cause on purpose. Any other failure is printed. */
const INTENDED = [
  /^\[LanguageModelToolsService#invokeTool\] Error from tool symposium-agent-action [^]*No agent waits for this answer\./,
  /^\[CHAT\] extension request ERRORED in STREAM Canceled: Canceled/,
  /^\[LM\] No provider registered for vendor symposium$/,
];
const TIMEOUT = timeLimit(Number(process.env.SYMPOSIUM_HOST_TIMEOUT_MS || 600_000));

const extensions = [];
let tests, workspace, folder;
// Only the switches of test runs. The others (sandbox, GPU, profile folders) concern the desktop executable.
for (const argument of process.argv.slice(2)) {
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
  if (name === "extensionDevelopmentPath") extensions.push(path.resolve(value));
  else if (name === "extensionTestsPath") tests = path.resolve(value);
  else if (name === undefined && existsSync(argument)) {
    if (argument.endsWith(".code-workspace")) workspace = path.resolve(argument);
    else folder ??= path.resolve(argument);
  }
}
if (tests === undefined) {
  console.error("code-shim: only test runs are supported (--extensionTestsPath)");
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

const server = await startServer();
const browser = await launchBrowser();
const code = await new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`the tests did not end within ${TIMEOUT / 1000} s`)), TIMEOUT).unref();
  openWorkbench(browser, server, {
    folder,
    workspace,
    extensions,
    tests,
    onPage: async page => {
      await page.exposeFunction("codeAutomationLog", (type, values) => {
        const line = util.format(...values);
        if (![NOISE, ...INTENDED].some(pattern => pattern.test(line)))
          process.stdout.write(`${type === "error" ? "[error] " : ""}${line}\n`);
      });
      await page.exposeFunction("codeAutomationExit", resolve);
      page.on("crash", () => reject(new Error("the page crashed")));
    },
  }).catch(reject);
}).catch(error => {
  console.error(`code-shim: ${error.message}`);
  return 1;
});
await browser.close();
await server.stop();
process.exit(code ?? 1);
