// `npm test`: everything, from a fresh clone to the packaged extension in a real VS Code.
//   npm test [-- --grep PATTERN] [--only SUITE]…       suites: types lint units npm host webview pages
// Later runs reuse installed and built files, and need no network.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const started = Date.now();
if (
  spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !== 0
)
  process.exit(1);
const { runAll } = await import("./test-run.mjs");
process.exitCode = await runAll(process.argv.slice(2), started);
