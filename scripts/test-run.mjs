// The part of `npm test` that runs after the dependencies are installed. VS Code, agents and tests get a separate HOME
// and temporary folder, which are removed at the end. A process that still runs then is reported, ended and counted as
// a failure.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "./build.mjs";
import { census, censusWorks, leftovers } from "./processes-by-environment.mjs";
import { packageExtension } from "./package.mjs";
import { fail, options, root } from "./project.mjs";
import { progress } from "./progress.mjs";
import { AGENTS } from "./real-agents/agents.mjs";
import { cacheFolder as agentsCache, installAgents } from "./real-agents/install.mjs";
import { userEnvironment } from "./real-installs/user.mjs";
import { agents, host, lint, npm, pages, types, units, webview } from "./suites.mjs";
import { summary } from "./summary.mjs";
import { cacheFolder, installBox } from "./vscode-box/install.mjs";

const SUITES = ["types", "lint", "units", "npm", "host", "webview", "pages"];
/** Random cases of the slow property tests, of 10,000; `npm run hunt` runs all. */
const RUNS = 2_000;
/** Not part of the default run: see test-agents.mjs. */
const OPTIONAL = ["agents"];

/** Runs the suites and prints the summary. Resolves to the exit code. */
export async function runAll(argv, started) {
  const { grep, only, rest } = options(argv, { one: ["grep"], many: ["only"] });
  for (const name of [...only, ...rest])
    if (![...SUITES, ...OPTIONAL].includes(name))
      fail(`Unknown suite "${name}". Suites: ${[...SUITES, ...OPTIONAL].join(", ")}.`);
  const wanted = only.length > 0 ? only : SUITES;
  const needsBox = ["webview", "pages"].some(name => wanted.includes(name)) || (wanted.includes("host") && usesShim());
  if (needsBox) await installBox().catch(error => fail(error.message));
  if (wanted.includes("agents")) await installAgents(AGENTS).catch(error => fail(error.message));

  const run = `${process.pid}-${started}`,
    mark = `SYMPOSIUM_TEST_RUN=${run}`;
  const temporary = mkdtempSync(path.join(tmpdir(), "symposium-"));
  process.on("exit", () => {
    // After an interruption, a server in a separate group may have lost the process that would end it.
    end(census(mark));
    try {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    } catch (error) {
      console.error(`A temporary folder could not be deleted: ${error.message}`);
    }
  });
  const home = path.join(temporary, "home"),
    t = path.join(temporary, "t"),
    { RUSTUP_HOME, npm_config_userconfig } = userEnvironment();
  for (const folder of [home, t]) mkdirSync(folder);
  Object.assign(process.env, {
    HOME: home,
    USERPROFILE: home,
    TMPDIR: t,
    TEMP: t,
    TMP: t,
    SYMPOSIUM_VSCODE_CACHE: cacheFolder,
    SYMPOSIUM_AGENTS_CACHE: agentsCache,
    SYMPOSIUM_TEST_RUN: run,
    ...(RUSTUP_HOME === undefined ? {} : { RUSTUP_HOME }), // Rust's toolchains are the user's
    // Only opt-in tests use npm's registry.
    ...(process.env.SYMPOSIUM_REAL_AGENTS === undefined ? {} : { npm_config_userconfig }),
    ...(usesShim() && !process.env.VSCODE_EXECUTABLE
      ? { VSCODE_EXECUTABLE: path.join(root, "scripts/vscode-box/code-shim.mjs") }
      : {}),
  });

  if (spawnSync("cargo", ["--version"]).status !== 0) process.env.SYMPOSIUM_WITHOUT_CARGO = "1";

  process.env.SYMPOSIUM_RUNS ??= String(RUNS);
  const results = [];
  const suite = async (name, work) => {
    if (!wanted.includes(name)) return;
    const began = Date.now();
    console.log(`\n── ${name}`);
    const result = await progress(name, work).catch(error => ({
      name,
      passed: 0,
      failed: [{ title: name, message: String(error?.stack ?? error) }],
      skipped: [],
    }));
    results.push({ ...result, name, seconds: Math.round((Date.now() - began) / 1000) });
    show(result.failed);
  };
  await Promise.all([suite("types", types).then(() => suite("lint", lint)), suite("units", () => units({ grep }))]);
  if (["npm", "host", "webview", "pages", "agents"].some(name => wanted.includes(name))) {
    const built = await build().then(
      () => true,
      error => {
        results.push(problem("build", error));
        return false;
      },
    );
    const inPackages = async () => {
      await suite("npm", () => npm({ grep }));
      await suite("host", () => host({ grep }));
      if (!wanted.includes("pages")) return;
      await progress("package", packageExtension).then(
        ({ file }) => {
          process.env.SYMPOSIUM_VSIX = file;
        },
        error => results.push(problem("package", error)),
      );
    };
    if (built) {
      await Promise.all([inPackages(), suite("webview", () => webview({ grep }))]);
      await suite("agents", () => agents({ grep }));
      await suite("pages", () => pages({ grep }));
    }
  }
  results.push(await nothingLeft(mark));
  results.sort((a, b) => place(a) - place(b));
  const { text, ran } = summary(results, { seconds: Math.round((Date.now() - started) / 1000), grep, only });
  console.log(`\n── summary\n${text}`);
  return !ran || results.some(({ failed }) => failed.length > 0) ? 1 : 0;
}

/**
 * On Linux, which may have no desktop, VS Code runs in a browser. On other systems @vscode/test-cli downloads the
 * desktop version.
 */
const usesShim = () => process.platform === "linux";

/** Concurrent suites are printed in their canonical order, and other results last. */
const place = ({ name }) => (SUITES.includes(name) ? SUITES.indexOf(name) : SUITES.length);

const show = failures => {
  for (const { title, message, shown } of failures) if (!shown) console.log(`✗ ${title}\n${message.trimEnd()}`);
};

/** Reports a failed step before a suite. */
function problem(name, error) {
  const failed = [{ title: name, message: error.message }];
  show(failed);
  return { name, passed: 0, failed, skipped: [], seconds: 0 };
}

function end(found) {
  for (const { pid } of found)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      /* The process has exited meanwhile. */
    }
}

async function nothingLeft(entry) {
  const name = "leftovers",
    title = "no process of the tests is still running";
  if (!censusWorks)
    return {
      name,
      passed: 0,
      failed: [],
      skipped: [{ title, reason: "only Linux exposes the environment of processes" }],
      seconds: 0,
    };
  const found = await leftovers(entry, 10_000);
  end(found);
  const failed =
    found.length === 0
      ? []
      : [{ title, message: found.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`).join("\n") }];
  show(failed);
  return { name, passed: 1 - failed.length, failed, skipped: [], seconds: 0 };
}
