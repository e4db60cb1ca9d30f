// The suites inside VS Code's extension host. `npm test` names an executable (a VS Code without a desktop) and a
// reporter. Without them, as with `npx vscode-test` on a desktop, VS Code is downloaded and mocha's own reporter is
// used.
import { defineConfig } from "@vscode/test-cli";
import path from "node:path";
import { timeLimit } from "./scripts/time-limits.mjs";

const { VSCODE_EXECUTABLE, SYMPOSIUM_REPORT } = process.env;

export default defineConfig({
  files: "out/test/**/*.test.js",
  workspaceFolder: "./test-workspace",
  mocha: {
    ui: "tdd",
    timeout: timeLimit(120_000),
    ...(SYMPOSIUM_REPORT ? { reporter: path.resolve(import.meta.dirname, "scripts/reporter.cjs") } : {}),
  },
  ...(VSCODE_EXECUTABLE ? { useInstallation: { fromPath: VSCODE_EXECUTABLE } } : {}),
});
