// `npm run hunt [-- MINUTES [PATH-PREFIX…]]`: repeats the property tests with new seeds until a failure or the time
// limit (default: ten minutes; the last round is completed). Prints failures with their seed and exits with code 1.
import { readFileSync } from "node:fs";
import path from "node:path";
import { globSync } from "./glob.mjs";
import { fail, node, root } from "./project.mjs";

const argv = process.argv.slice(2),
  [given = ""] = argv,
  hasMinutes = /^\d+(\.\d+)?$/.test(given);
const minutes = hasMinutes ? Number(given) : 10,
  prefixes = argv.slice(hasMinutes ? 1 : 0);
const tests = globSync(["src", "webview", "sidecar", "test", "bench"], /(?<!\.spawn)\.test\.ts$/)
  .filter(file => prefixes.length === 0 || prefixes.some(prefix => file.startsWith(prefix)))
  .filter(file => readFileSync(path.join(root, file), "utf8").includes('from "fast-check"'));
if (tests.length === 0) fail(`No tests with random values exist below ${prefixes.join(", ")}.`);

const end = Date.now() + minutes * 60_000;
let rounds = 0;
do {
  const { code, text } = await node(
    "scripts/units.mjs",
    ["--quick", ...tests, "--", "--reporter", "dot", "--timeout", "0"],
    { env: { SYMPOSIUM_SEED: "random" }, output: "hold" },
  );
  rounds++;
  if (code !== 0) fail(`${text.trimEnd()}\n\nRound ${rounds} failed.`);
  console.log(
    `${new Date().toISOString().slice(11, 19)} round ${rounds}: ${/\d+ passing.*/.exec(text)?.[0] ?? "nothing"}`,
  );
} while (Date.now() < end);
