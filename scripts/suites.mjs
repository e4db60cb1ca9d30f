// The suites of `npm run check` and `npm test`. Each returns the number of passed tests, the failures and the skipped
// tests. A suite fails if it did not run to its end, or if no test ran although none were filtered out.
import { build, stop } from "esbuild";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { globSync } from "./glob.mjs";
import { node, root } from "./project.mjs";
import { matrix } from "./real-agents/matrix.mjs";
import { agentTimeLimit, THROTTLE } from "./real-agents/throttled.mjs";
import { timeLimit } from "./time-limits.mjs";
import { unlessUnchanged } from "./skip-unchanged.mjs";

const TEMPLATE = "docs/templates/typescript";
/** All folders with sources. */
const SOURCES = ["src", "webview", "sidecar", "test", "bench", "scripts", TEMPLATE];
/** TypeScript programs, the slowest first, with the folders of their files and imports (see scripts/layers.ts). */
const PROGRAMS = {
  test: SOURCES,
  sidecar: ["sidecar", "src/protocol"],
  src: ["src"],
  webview: ["webview", "src/protocol"],
  "src/protocol": ["src/protocol"],
  [TEMPLATE]: [TEMPLATE],
};

const passed = name => ({ name, passed: 1, failed: [], skipped: [] });
const failed = (name, message) => ({ name, passed: 0, failed: [{ title: name, message }], skipped: [] });

/** Milliseconds after which a suite counts as hanging: several times its duration on a slow, idle machine. */
const LIMIT = 20 * 60_000;
/** The limit of the page suites, whose number of kills and reloads is configurable. */
const PAGES_LIMIT = LIMIT + Number(process.env.SYMPOSIUM_KILLS ?? 0) * 60_000;

/** The sum of several results under one name. */
export const sum = (name, results) => ({
  name,
  passed: results.reduce((total, result) => total + result.passed, 0),
  failed: results.flatMap(result => result.failed),
  skipped: results.flatMap(result => result.skipped),
});

/**
 * Runs `work` for each item, `workers` at a time: one for each core of a small machine. Resolves to the results in the
 * order of the items.
 */
export async function sideBySide(items, work, workers = 2) {
  const results = [],
    waiting = items.map((item, i) => [item, i]);
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[1]] = await work(next[0]);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}

/** Type-checks every program that has changed. */
export async function types() {
  return sum(
    "types",
    await sideBySide(Object.entries(PROGRAMS), ([program, inputs]) =>
      unlessUnchanged(`types ${program}`, inputs, async () => {
        const incremental =
          program === "src/protocol"
            ? []
            : ["--incremental", "--tsBuildInfoFile", `out/types/${program.replaceAll("/", "-")}.tsbuildinfo`];
        const tsc = await node(
          "node_modules/typescript/bin/tsc",
          ["-p", program, "--noEmit", "--pretty", "false", ...incremental],
          { output: "hold" },
        );
        return tsc.code === 0 ? passed(program) : failed(program, tsc.text);
      }),
    ),
  );
}

/**
 * Lints and checks the format. `cached`: after a change, lints only changed files. Misses effects of the change on the
 * types of other files.
 */
export async function lint({ cached = false } = {}) {
  const cache = cached ? ["--cache", "--cache-strategy", "content", "--cache-location", "out/eslint/"] : [];
  const eslint = async () => {
    const { code, text } = await node("node_modules/eslint/bin/eslint.js", ["--max-warnings", "0", ...cache, "."], {
      output: "hold",
    });
    return code === 0 ? passed("lint") : failed("lint", text);
  };
  const format = await node("node_modules/@biomejs/biome/bin/biome", ["format"], { output: "hold" });
  return sum("lint", [
    await unlessUnchanged(cached ? "lint changed files" : "lint", [...SOURCES, "webpack.config.js"], eslint),
    format.code === 0 ? passed("format") : failed("npm run format", format.text),
  ]);
}

/**
 * Unit, property, layer and golden tests on this Node. Tests that start programs mostly wait, so they run in parallel
 * to the others, which share two cores. `quick`: only the others. With `output` "hold" nothing is printed.
 */
export async function units({ grep, output, quick = false } = {}) {
  const part = (title, ...which) =>
    buffered(title, { grep, output }, (env, runOptions) =>
      node("scripts/units.mjs", [...which, "--", "--reporter", "scripts/reporter.cjs", ...pick(grep)], {
        env,
        ...runOptions,
      }),
    );
  const shares = async () => {
    const compiled = await node("scripts/units.mjs", ["--quick", "--compile"], { output: "hold" });
    if (compiled.code !== 0) return [failed("units: compilation", compiled.text)];
    return Promise.all(["1/2", "2/2"].map(share => part(`units: ${share}`, "--quick", `--share=${share}`)));
  };
  return sum(
    "units",
    (
      await Promise.all([...(quick ? [] : [part("units: programs", "--spawning").then(one => [one])]), shares()])
    ).flat(),
  );
}

/** The suites that run inside VS Code's extension host. */
export async function host({ grep, output } = {}) {
  await compileHost();
  return buffered("host", { grep, output }, (env, runOptions) =>
    node("node_modules/@vscode/test-cli/out/bin.mjs", pick(grep), { env, ...runOptions }),
  );
}

let compiledPrograms;
/**
 * Compiles once the programs that tests start as separate processes, such as the scripted agent:
 * out/programs/NAME.program.mjs.
 */
const programs = () =>
  (compiledPrograms ??= compile(globSync(["sidecar/testing/programs"], /\.program\.ts$/), "out/programs", {
    format: "esm",
    splitting: true,
    packages: "external",
    outbase: "sidecar/testing/programs",
    outExtension: { ".js": ".mjs" },
  }));

/** The slowest page suites. */
const SLOWEST = [
  "accessibility",
  "delivery",
  "lm-history",
  "settings",
  "kills",
  "installs",
  "lm",
  "life",
  "chat",
  "lm-tools",
  "orphans",
  "settings-keys",
];
/** One process more than the number of cores, because page tests often wait for VS Code. Each needs about 1.5 GB. */
const BROWSERS = Math.min(4, availableParallelism() + 1);

/** The chat view in plain Chromium, with the extension host, the sidecar and a scripted agent, but without VS Code. */
export const webview = ({ grep } = {}) => inBrowsers("webview", { folder: "src/test/webview", kind: "webview", grep });

/** VS Code's window from outside, as a user sees it. */
export const pages = ({ grep } = {}) => inBrowsers("pages", { folder: "src/test/page", kind: "page", grep });

/**
 * Runs the files `*.KIND.ts` of a folder in several processes, each with a browser. Their output is buffered until they
 * exit.
 */
async function inBrowsers(name, { folder, kind, grep }) {
  await programs();
  const files = globSync([folder], new RegExp(`\\.${kind}\\.ts$`)),
    outdir = `out/${kind}`;
  await compilePages(files, outdir, folder);
  return sum(
    name,
    await sideBySide(
      shares(files.map(file => path.basename(file, `.${kind}.ts`))),
      names =>
        inBrowser(
          `${name}: ${names.join(", ")}`,
          names.map(each => `${outdir}/${each}.${kind}.mjs`),
          grep,
        ),
      BROWSERS,
    ),
  );
}

/** Functions that are sent to the page must not call esbuild's helper that keeps names. */
const compilePages = (files, outdir, outbase) =>
  compile(files, outdir, {
    format: "esm",
    splitting: true,
    packages: "external",
    outbase,
    outExtension: { ".js": ".mjs" },
    keepNames: false,
  });

/**
 * Distributes page suites to processes: the longest first, each alone, then shrinking groups of the others. So the last
 * processes end at about the same time.
 */
export function shares(names) {
  const shares = SLOWEST.filter(name => names.includes(name)).map(name => [name]),
    others = names.filter(name => !SLOWEST.includes(name));
  while (others.length > 0) shares.push(others.splice(0, Math.ceil(others.length / 6)));
  return shares;
}

const inBrowser = (title, files, grep) =>
  buffered(title, { grep }, (env, runOptions) =>
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
        ...files,
      ],
      { env, ...runOptions, limit: timeLimit(PAGES_LIMIT) },
    ),
  );

/** The command line as npm packs and installs it. */
export const npm = ({ grep, output } = {}) =>
  buffered("npm", { grep, output }, (env, runOptions) =>
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
      { env, ...runOptions },
    ),
  );

/**
 * Published agents against a scripted model: directly, in VS Code, in VS Code's own chat, and through chains of
 * proxies. Runs only on request. Prints the matrix of agents and checks, and writes its entries to
 * out/agents/matrix.jsonl.
 */
export async function agents({ grep, output } = {}) {
  await programs();
  await compilePages(
    ["harness", "model-chat"].map(name => `src/test/page/${name}.ts`),
    "out/agents-page",
    "src/test/page",
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
        ...[
          "agents",
          "lm",
          "extensions",
          "own-configuration",
          "chains",
          "workarounds",
          "conform",
          "details",
          "restart",
          "list",
          "review",
        ].map(name => `scripts/real-agents/${name}.test.mjs`),
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

/** Compiles the tests in src/test for the extension host, and the agent that they use. */
async function compileHost() {
  await programs();
  const files = globSync(["src/test"], /\.test\.ts$/).filter(file => !/^src\/test\/(page|webview)\//.test(file));
  return compile(files, "out/test", {
    format: "cjs",
    external: ["vscode", "mocha"],
    outbase: "src/test",
    // The other build of jsonc-parser loads its parts at run time, which the compiled file does not contain.
    mainFields: ["module", "main"],
  });
}

let compiling = Promise.resolve();
/** One compilation at a time, because each stops esbuild's service, which would be reported as a leftover process. */
function compile(entryPoints, outdir, options) {
  const work = async () => {
    rmSync(path.join(root, outdir), { recursive: true, force: true });
    try {
      await build({
        entryPoints,
        outdir,
        absWorkingDir: root,
        bundle: true,
        loader: { ".toml": "text" },
        platform: "node",
        target: "node20",
        sourcemap: true,
        keepNames: true,
        logLevel: "warning",
        define: { "process.env.SYMPOSIUM_ROOT": JSON.stringify(root) },
        ...options,
      });
    } finally {
      await stop();
    }
  };
  const compiled = compiling.then(work);
  compiling = compiled.catch(() => undefined);
  return compiled;
}

/** Runs mocha through `start` and reads the report of the custom reporter. */
export async function mocha(name, { grep, output }, start) {
  const folder = mkdtempSync(path.join(tmpdir(), "report-"));
  const report = path.join(folder, "report.json");
  try {
    const { code, text } = await start({ SYMPOSIUM_REPORT: report });
    if (!existsSync(report)) return failed(name, `The suite did not complete (exit code ${code}). ${ending(text)}`);
    const result = { name, ...JSON.parse(readFileSync(report, "utf8")) };
    // mocha has already printed the failures, unless its output was buffered.
    for (const failure of result.failed) failure.shown = output !== "hold";
    if (code !== 0 && result.failed.length === 0)
      result.failed.push({ title: name, message: `It exited with code ${code}. ${ending(text)}` });
    if (grep === undefined && result.passed + result.failed.length + result.skipped.length === 0)
      result.failed.push({ title: name, message: "No test ran." });
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs mocha concurrently with another. Prints the output at the end, unless no test ran or `output` is "hold". */
async function buffered(title, { grep, output }, start) {
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

/** The end of the output, which contains the error. */
const ending = text =>
  text.trim() === "" ? "" : `The last lines of its output:\n${text.trimEnd().split("\n").slice(-20).join("\n")}`;

// For .vscode/tasks.json, before F5 runs the tests in a separate window.
if (process.argv[1] === import.meta.filename && process.argv[2] === "compile-host") await compileHost();
