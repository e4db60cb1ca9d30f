// `npm run test:agents`: published agents in Symposium's chat, in VS Code's own, and through chains of proxies, against
// a scripted model on this machine. Opt-in, because the first run installs the agents (1.3 GB, into
// SYMPOSIUM_AGENTS_CACHE or ~/.cache/symposium-agents). No other data leaves the machine. At the end it prints the
// checks that each agent passed (real-agents/matrix.mjs).
//   npm run test:agents [-- --only AGENT] [--grep PATTERN] [--throttled]
// The screenshots are in out/agents, and out/screenshots/lm-…. AGENT is a prefix of an id in real-agents/agents.mjs;
// --only may be repeated. With --throttled the agents' processes get 15 % of a core.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { options } from "./project.mjs";

const started = Date.now();
const { grep, only, throttled } = options(process.argv.slice(2), {
  one: ["grep"],
  many: ["only"],
  flags: ["throttled"],
});
if (
  spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !== 0
)
  process.exit(1);
if (only.length > 0) process.env.SYMPOSIUM_AGENTS_ONLY = only.join(",");
if (throttled) process.env.SYMPOSIUM_AGENTS_THROTTLED = "15";
const { runAll } = await import("./test-run.mjs");
process.exitCode = await runAll(["--only", "agents", ...(grep === undefined ? [] : ["--grep", grep])], started);
