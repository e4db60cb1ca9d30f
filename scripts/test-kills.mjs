// `npm run test:kills [-- ROUNDS]`: kills and reloads in a real VS Code, 40 rounds by default, chosen by
// SYMPOSIUM_SEED. The losses of each round and the sums are in out/screenshots/kills.txt.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const started = Date.now(),
  [rounds = "40"] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(rounds)) throw new Error(`The number of rounds must be a number, not “${rounds}”.`);
process.env.SYMPOSIUM_KILLS = rounds;
const setup = fileURLToPath(new URL("setup.mjs", import.meta.url));
if (spawnSync(process.execPath, [setup], { stdio: "inherit" }).status !== 0) process.exit(1);
const { runAll } = await import("./test-run.mjs");
process.exitCode = await runAll(["--only", "pages", "--grep", "kills and reloads|delivery through the page"], started);
