// `npm run check`: types, lint, import layers, unit, property and golden tests. Prints one line on success. Faster than
// `npm test`, because it lints only changed files, runs fewer random cases and starts no programs.
import { fail, options } from "./project.mjs";
import { lint, sum, types, units } from "./suites.mjs";

const { grep } = options(process.argv.slice(2), { one: ["grep"] });
const started = Date.now();
// Fewer random interleavings than `npm test`, because they would take longer than the other tests.
process.env.SYMPOSIUM_RUNS ??= "100";
const results = (
  await Promise.all([
    types().then(async checked => [checked, await lint({ cached: true })]),
    units({ grep, output: "hold", quick: true }),
  ])
).flat();
const { passed, failed, skipped } = sum("check", results);
for (const { title, message } of failed) console.error(`\n✗ ${title}\n${message.trimEnd()}`);
for (const { title, reason } of skipped) console.log(`- ${title}: ${reason}`);
const summary =
  `check: ${passed} passed, ${failed.length} failed, ${skipped.length} skipped ` +
  `(${Math.round((Date.now() - started) / 1000)} s)`;
if (failed.length > 0) fail(`\n${summary}`);
console.log(summary);
