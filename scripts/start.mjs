// `npm start`: installs dependencies and opens VS Code on test-workspace with the extension and Eliza, the built-in
// agent.
//   npm start -- --agent 'COMMAND'                     another ACP agent: a shell command, run in the current folder
//   npm start -- --smoke [--prompt TEXT]…              no window: sends prompts, prints the page, exits 0 when answered
//             [--permission allow|reject] [--screenshot FILE] [--timeout SECONDS]
//   npm start -- --folder DIR                          that folder in place of test-workspace
//   npm start -- --browser                             VS Code in the browser although a desktop `code` is installed
//   npm start -- --development                         a build that is not minified
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

if (
  spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !== 0
)
  process.exit(1);
const { start } = await import("./start-run.mjs");
await start(process.argv.slice(2));
