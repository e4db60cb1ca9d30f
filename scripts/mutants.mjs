// `npm run mutants [-- --count N] [--seed N] [--quick] [PATH-PREFIX…]`: measures the unit tests. Makes one random
// mutation in each of N random modules, and runs the tests that import the module. The nearest tests run first, then
// the others, then those that start programs, unless `--quick`. Prints the mutants with the test that detected each.
// Exits with code 1 if a mutant survived. Works in a temporary copy of the checkout.
import { build, stop } from "esbuild";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { globSync } from "./glob.mjs";
import { mutated, mutationsIn } from "./mutations.mjs";
import { fail, options, root, run } from "./project.mjs";
import { timeLimit } from "./time-limits.mjs";

/** Production modules that contain more than types and texts. */
const isModule = file =>
  !/\.(?:test|program|d|page|webview)\.ts$/.test(file) &&
  !/\/(?:test|testing|fixtures)\/|\/(?:texts|styles[\w-]*)\.ts$/.test(file) &&
  (prefixes.length === 0 || prefixes.some(prefix => file.startsWith(prefix)));
/** Milliseconds after which a mutant counts as an endless loop. */
const LIMIT = 40_000;

const {
  count = "50",
  seed = "1",
  quick: isQuick = false,
  rest: prefixes,
} = options(process.argv.slice(2), { flags: ["quick"], one: ["count", "seed"] });
const copy = mkdtempSync(path.join(tmpdir(), "mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
copyCheckout();

const importers = await importersOfAll(),
  random = randomFrom(Number(seed)),
  rows = [];
const modules = shuffled(globSync(["src", "webview", "sidecar"], /\.ts$/).filter(isModule));
let unreached = 0;
for (const file of modules) {
  if (rows.length === Number(count)) break;
  const source = readFileSync(path.join(root, file), "utf8"),
    mutations = mutationsIn(source),
    mutation = mutations[Math.floor(random() * mutations.length)];
  if (mutation === undefined) continue;
  const tests = testsOf(file);
  if (tests.length === 0) {
    unreached++;
    continue;
  }
  writeFileSync(path.join(copy, file), mutated(source, mutation));
  const began = Date.now(),
    killer = await killerOf(tests);
  writeFileSync(path.join(copy, file), source);
  rows.push({ file, mutation, killer });
  const change = `${mutation.was.slice(0, 60)} → ${mutation.replacement.slice(0, 60)}`;
  console.log(
    `| ${killer === undefined ? "SURVIVED" : "killed"} | ${file}:${mutation.line} | ${mutation.kind}: \`${change}\` | ` +
      `${killer ?? `${tests.length} test files`} | ${Math.round((Date.now() - began) / 1000)} s |`,
  );
}
const survived = rows.filter(({ killer }) => killer === undefined).length;
console.log(
  `\n${rows.length} mutants (seed ${seed}): ${rows.length - survived} killed, ${survived} survived. ` +
    `${unreached} modules were skipped because only tests in a browser or in VS Code import them.`,
);
process.exitCode = survived > 0 ? 1 : 0;

/** Without ignored files. Dependencies are linked. */
function copyCheckout() {
  const { status, stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) fail("The files of the checkout could not be listed with git.");
  for (const file of stdout.split("\0").filter(name => name !== "" && existsSync(path.join(root, name))))
    cpSync(path.join(root, file), path.join(copy, file));
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), "junction");
}

/** The files that import each file at run time, as esbuild finds them from the unit tests. */
async function importersOfAll() {
  const tests = globSync(["src", "webview", "sidecar", "test"], /\.test\.ts$/).filter(
    file => !file.startsWith("src/test/"),
  );
  const { metafile } = await build({
    entryPoints: tests,
    absWorkingDir: root,
    outdir: "out",
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    loader: { ".toml": "text" },
    splitting: true,
    logLevel: "error",
  });
  await stop();
  const found = new Map();
  for (const [file, { imports }] of Object.entries(metafile.inputs))
    for (const { path: imported } of imports) found.set(imported, [...(found.get(imported) ?? []), file]);
  return found;
}

/** The tests that import a module, directly or through others, the nearest first. */
function testsOf(file) {
  const seen = new Set([file]);
  for (const each of seen) for (const importer of importers.get(each) ?? []) seen.add(importer);
  return [...seen].filter(each => each.endsWith(".test.ts"));
}

/** The first test that fails; `undefined` if none does. */
async function killerOf(tests) {
  const quick = tests.filter(file => !file.endsWith(".spawn.test.ts")),
    spawning = tests.filter(file => file.endsWith(".spawn.test.ts"));
  for (const [kind, files] of [
    ["--quick", quick.slice(0, 3)],
    ["--quick", quick.slice(3)],
    ["--spawning", isQuick && quick.length > 0 ? [] : spawning],
  ]) {
    if (files.length === 0) continue;
    const { code, text } = await run(
      process.execPath,
      ["scripts/units.mjs", kind, ...files, "--", "--bail", "--reporter", "json"],
      { cwd: copy, output: "hold", limit: timeLimit(LIMIT), env: { SYMPOSIUM_RUNS: "300" } },
    );
    if (code !== 0) return failureIn(text);
  }
  return undefined;
}

function failureIn(text) {
  try {
    const { failures } = JSON.parse(text.slice(text.indexOf('{\n  "stats"'), text.lastIndexOf("\n}") + 2));
    return failures[0]?.fullTitle ?? "the process failed";
  } catch {
    return text.trimEnd().split("\n").at(-1)?.slice(0, 100) ?? "the process failed";
  }
}

/** Random numbers from 0 to 1 (mulberry32), the same for each seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled(items) {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
