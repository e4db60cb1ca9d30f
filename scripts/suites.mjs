// The suites of `npm run check` and `npm test`. Each returns what ran: how much passed, what failed and what was
// skipped. A suite that did not run to its end, or in which nothing ran although nobody asked for a part, has failed.
import { build, stop } from "esbuild";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { globSync } from "./glob.mjs";
import { node, root } from "./project.mjs";
import { matrix } from "./real-agents/matrix.mjs";
import { agentTimeLimit, THROTTLE } from "./real-agents/throttled.mjs";
import { timeLimit } from "./time-limits.mjs";

const PROGRAMS = ["src/protocol", "src", "src/test/page", "webview", "sidecar", "test", "bench", "scripts"];

const passed = name => ({ name, passed: 1, failed: [], skipped: [] });
const failed = (name, message) => ({ name, passed: 0, failed: [{ title: name, message }], skipped: [] });

/** Milliseconds after which a suite hangs: several times what it takes on a slow, idle machine. */
const LIMIT = 20 * 60_000;
/** Of the page suites, which play as many rounds of kills and reloads as are wanted. */
const PAGES_LIMIT = LIMIT + Number(process.env.SYMPOSIUM_KILLS ?? 0) * 60_000;

/** The sum of several results under one name. */
export const sum = (name, results) => ({
  name,
  passed: results.reduce((total, one) => total + one.passed, 0),
  failed: results.flatMap(one => one.failed),
  skipped: results.flatMap(one => one.skipped),
});

/**
 * Does the work for each item, two at a time: one for each core of a small machine. Resolves to the results in the
 * order of the items.
 */
export async function sideBySide(items, work) {
  const results = [],
    waiting = items.map((item, i) => [item, i]);
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[1]] = await work(next[0]);
  };
  await Promise.all([worker(), worker()]);
  return results;
}

/** Type-checks every program. */
export async function types() {
  return sum(
    "types",
    await sideBySide(
      PROGRAMS.filter(program => existsSync(path.join(root, program, "tsconfig.json"))),
      async program => {
        const incremental =
          program === "src/protocol"
            ? []
            : ["--incremental", "--tsBuildInfoFile", `out/types/${program.replaceAll("/", "-")}.tsbuildinfo`];
        const tsc = await node(
          "node_modules/typescript/bin/tsc",
          ["-p", program, "--pretty", "false", ...incremental],
          { output: "hold" },
        );
        return tsc.code === 0 ? passed(program) : failed(program, tsc.text);
      },
    ),
  );
}

/**
 * `cached`: only files that changed since the last time. What a change means for the types of others is then not seen.
 */
export async function lint({ cached = false } = {}) {
  const cache = cached ? ["--cache", "--cache-strategy", "content", "--cache-location", "out/eslint/"] : [];
  const eslint = await node("node_modules/eslint/bin/eslint.js", ["--max-warnings", "0", ...cache, "."], {
    output: "hold",
  });
  const format = await node("node_modules/@biomejs/biome/bin/biome", ["format"], { output: "hold" });
  const lint = eslint.code === 0 ? passed("lint") : failed("lint", eslint.text);
  return sum("lint", [lint, format.code === 0 ? passed("format") : failed("npm run format", format.text)]);
}

/**
 * Unit, property, layer and golden tests, on this Node: those that start programs, and mostly wait for them, beside the
 * others. `quick`: the others alone. With `output` "hold" nothing is printed.
 */
export async function units({ grep, output, quick = false } = {}) {
  const part = (title, kind) =>
    held(title, { grep, output }, (env, how) =>
      node("scripts/units.mjs", [kind, "--", "--reporter", "scripts/reporter.cjs", ...pick(grep)], { env, ...how }),
    );
  return sum(
    "units",
    await Promise.all([...(quick ? [] : [part("units: programs", "--spawning")]), part("units", "--quick")]),
  );
}

/** The suites that run inside VS Code's extension host. */
export async function host({ grep, output } = {}) {
  await compileHost();
  return mocha("host", { grep, output }, env =>
    node("node_modules/@vscode/test-cli/out/bin.mjs", pick(grep), { env, output, limit: timeLimit(LIMIT) }),
  );
}

/** What tests start as processes of their own, the scripted agent for one: out/programs/NAME.program.mjs. */
const programs = () =>
  compile(globSync(["sidecar/testing"], /\.program\.ts$/), "out/programs", {
    format: "esm",
    splitting: true,
    packages: "external",
    outbase: "sidecar/testing",
    outExtension: { ".js": ".mjs" },
  });

/** The page suites that take longest. */
const LONGEST = ["accessibility", "lm", "hostile", "installs", "lm-tools", "lm-history", "delivery"];

/**
 * The suites that look at VS Code's page from outside, as a user does. Two processes at a time, each with a VS Code
 * and a browser of its own; what they print is held until they have ended.
 */
export async function pages({ grep } = {}) {
  await programs();
  await compilePages(globSync(["src/test/page"], /\.page\.ts$/), "out/page");
  return sum(
    "pages",
    await sideBySide(
      shares(globSync(["out/page"], /\.page\.mjs$/).map(file => path.basename(file, ".page.mjs"))),
      names => page(names, grep),
    ),
  );
}

/** Functions that are handed to the page must not call the helper that keeps names. */
const compilePages = (files, outdir) =>
  compile(files, outdir, {
    format: "esm",
    splitting: true,
    packages: "external",
    outbase: "src/test/page",
    outExtension: { ".js": ".mjs" },
    keepNames: false,
  });

/**
 * What one process does: the longest alone and first of all, of the others ever fewer, so that both end at about the
 * same time.
 */
export function shares(names) {
  const shares = LONGEST.map(name => [name]),
    others = names.filter(name => !LONGEST.includes(name));
  while (others.length > 0) shares.push(others.splice(0, Math.ceil(others.length / 4)));
  return shares;
}

const page = (names, grep) =>
  held(`pages: ${names.join(", ")}`, { grep }, (env, how) =>
    node(
      "node_modules/mocha/bin/mocha.js",
      [
        "--enable-source-maps",
        "--ui",
        "tdd",
        ...limits(120_000),
        "--slow",
        "20000",
        "--reporter",
        "scripts/reporter.cjs",
        ...pick(grep),
        ...names.map(name => `out/page/${name}.page.mjs`),
      ],
      { env, ...how, limit: timeLimit(PAGES_LIMIT) },
    ),
  );

/** The command line as npm packs and installs it. */
export const npm = ({ grep, output } = {}) =>
  mocha("npm", { grep, output }, env =>
    node(
      "node_modules/mocha/bin/mocha.js",
      [
        "--ui",
        "tdd",
        ...limits(120_000),
        "--slow",
        "20000",
        "--reporter",
        "scripts/reporter.cjs",
        ...pick(grep),
        "scripts/npm-package.test.mjs",
      ],
      { env, output, limit: timeLimit(LIMIT) },
    ),
  );

/**
 * Published agents against a scripted model: without us, in VS Code, in VS Code's own chat, and through chains of
 * proxies. Only when they are asked for. Prints the matrix of agents and checks, and keeps its entries in
 * out/agents/matrix.jsonl.
 */
export async function agents({ grep, output } = {}) {
  await programs();
  await compilePages(
    ["harness", "model-chat"].map(name => `src/test/page/${name}.ts`),
    "out/agents-page",
  );
  const entries = path.join(root, "out/agents/matrix.jsonl");
  mkdirSync(path.dirname(entries), { recursive: true });
  writeFileSync(entries, "");
  const result = await mocha("agents", { grep, output }, env =>
    node(
      "node_modules/mocha/bin/mocha.js",
      [
        "--ui",
        "tdd",
        "--timeout",
        String(agentTimeLimit(300_000)),
        "--slow",
        "60000",
        "--reporter",
        "scripts/reporter.cjs",
        ...pick(grep),
        ...["agents", "lm", "extensions", "chains", "workarounds", "conform", "details"].map(
          name => `scripts/real-agents/${name}.test.mjs`,
        ),
      ],
      { env: { ...env, SYMPOSIUM_AGENTS_MATRIX: entries }, output },
    ),
  );
  const rows = matrix(readFileSync(entries, "utf8").split("\n").filter(Boolean));
  console.log(`\n── matrix${THROTTLE.length > 0 ? " (throttled)" : ""}\n${rows.join("\n")}`);
  return result;
}

/** Mocha's options for tests that take at most `milliseconds` on an idle machine. */
const limits = milliseconds => ["--timeout", String(timeLimit(milliseconds)), "--require", "./scripts/test-limits.mjs"];

const pick = grep => (grep === undefined ? [] : ["--grep", grep]);

/** The tests in src/test for the extension host, and the agent that they talk to. */
async function compileHost() {
  await programs();
  const files = globSync(["src/test"], /\.test\.ts$/).filter(file => !file.startsWith("src/test/page/"));
  return compile(files, "out/test", { format: "cjs", external: ["vscode", "mocha"], outbase: "src/test" });
}

async function compile(entryPoints, outdir, options) {
  rmSync(path.join(root, outdir), { recursive: true, force: true });
  await build({
    entryPoints,
    outdir,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20",
    sourcemap: true,
    keepNames: true,
    logLevel: "warning",
    define: { "process.env.SYMPOSIUM_ROOT": JSON.stringify(root) },
    ...options,
  });
  // Its service would stay until this process ends, and be found as left over.
  await stop();
}

/** Runs mocha through `start` and reads the report that our reporter left. */
export async function mocha(name, { grep, output }, start) {
  const folder = mkdtempSync(path.join(tmpdir(), "report-"));
  const report = path.join(folder, "report.json");
  try {
    const { code, text } = await start({ SYMPOSIUM_REPORT: report });
    if (!existsSync(report))
      return failed(name, `The suite did not run to its end (exit code ${code}). ${ending(text)}`);
    const result = { name, ...JSON.parse(readFileSync(report, "utf8")) };
    // mocha has printed them itself, unless its output was held back.
    for (const failure of result.failed) failure.shown = output !== "hold";
    if (code !== 0 && result.failed.length === 0)
      result.failed.push({ title: name, message: `It ended with exit code ${code}. ${ending(text)}` });
    if (grep === undefined && result.passed + result.failed.length + result.skipped.length === 0)
      result.failed.push({ title: name, message: "Not one test ran." });
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs mocha beside another: what it prints comes in one piece when it has ended, and not at all where nothing ran or
 * `output` is "hold".
 */
async function held(title, { grep, output }, start) {
  const began = Date.now();
  let printed = "";
  const result = await mocha(title, { grep, output: "hold" }, async env => {
    const ended = await start(env, { output: "hold", limit: timeLimit(LIMIT) });
    printed = ended.text;
    return ended;
  });
  if (output === "hold" || result.passed + result.failed.length + result.skipped.length === 0) return result;
  for (const failure of result.failed) failure.shown = true;
  console.log(`\n── ${title} (${Math.round((Date.now() - began) / 1000)} s)\n${printed.trimEnd()}`);
  return result;
}

/** What is wrong is said last. */
const ending = text =>
  text.trim() === "" ? "" : `The end of what it printed:\n${text.trimEnd().split("\n").slice(-20).join("\n")}`;

// For .vscode/tasks.json, before F5 runs the tests in a window of its own.
if (process.argv[1] === import.meta.filename && process.argv[2] === "compile-host") await compileHost();
