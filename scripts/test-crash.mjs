// `npm run test:crash [-- ROUNDS [WINDOWS]]`: kills and reloads, chosen by SYMPOSIUM_SEED: ROUNDS with the built
// sidecar and the protocol of the host (default: 90), and WINDOWS in a real VS Code (default: 10), whose losses and
// sums are in out/screenshots/kills.txt. `npm test` runs a few of both.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const started = Date.now(),
  [rounds = "90", windows = "10"] = process.argv.slice(2);
for (const given of [rounds, windows])
  if (!/^\d+$/.test(given)) throw new Error(`The number of rounds must be a number, not “${given}”.`);
const script = name => fileURLToPath(new URL(name, import.meta.url)),
  run = (name, args, env = {}) =>
    spawnSync(process.execPath, [script(name), ...args], { stdio: "inherit", env: { ...process.env, ...env } }).status;
if (run("setup.mjs", []) !== 0) process.exit(1);
const failed =
  rounds !== "0" &&
  run("units.mjs", ["--spawning", "sidecar/testing/crash", "--", "--timeout", "60000", "--exit"], {
    SYMPOSIUM_KILLS: rounds,
  }) !== 0;
if (windows !== "0") {
  process.env.SYMPOSIUM_KILLS = windows;
  const { runAll } = await import("./test-run.mjs");
  process.exitCode = await runAll(
    ["--only", "pages", "--grep", "kills and reloads|delivery through the page"],
    started,
  );
}
if (failed) process.exitCode = 1;
