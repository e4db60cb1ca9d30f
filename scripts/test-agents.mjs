// `npm run test:agents`: published agents in Symposium's chat, in VS Code's own, and through chains of proxies, against a scripted model on this
// machine. Opt-in, because the first run installs the agents (0.5 GB, into SYMPOSIUM_AGENTS_CACHE or ~/.cache/symposium-agents). Nothing
// leaves the machine besides.
//   npm run test:agents [-- --grep PATTERN]      The screenshots are in out/agents, and out/screenshots/lm-….
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const started = Date.now();
if (spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !== 0) process.exit(1);
const { runAll } = await import("./test-run.mjs");
process.exitCode = await runAll(["--only", "agents", ...process.argv.slice(2)], started);
