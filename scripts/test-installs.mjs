// `npm run test:installs`: installs agents from the registries of npm, Python and Rust into a store in a temporary
// folder and starts them. Then starts them again without tools and network. Also tests installed language servers, and
// proxies and conductors of every published generation, built by cargo. Opt-in, because it needs a network and minutes.
// Tests of tools missing on this machine are skipped.
//   npm run test:installs [-- --grep PATTERN]
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const started = Date.now();
if (
  spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !== 0
)
  process.exit(1);
const { build } = await import("esbuild");
const { census, leftovers } = await import("./processes-by-environment.mjs");
const { node, options, root } = await import("./project.mjs");
const { userEnvironment } = await import("./real-installs/user.mjs");
const { mocha } = await import("./suites.mjs");
const { summary } = await import("./summary.mjs");

const { grep } = options(process.argv.slice(2), { one: ["grep"] });
const temporary = mkdtempSync(path.join(tmpdir(), "installs-")),
  run = `${process.pid}-${started}`,
  mark = `SYMPOSIUM_TEST_RUN=${run}`;
const end = found => {
  for (const { pid } of found)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      /* The process has exited meanwhile. */
    }
};
process.on("exit", () => {
  end(census(mark));
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
const [home, t] = ["home", "t"].map(name => path.join(temporary, name));
for (const folder of [home, t]) mkdirSync(folder);

await build({
  entryPoints: ["real-install", "real-language-server", "symposium-acp-agent"].map(name => ({
    in: `sidecar/testing/programs/${name}.program.ts`,
    out: name,
  })),
  outdir: "out/installs",
  outExtension: { ".js": ".mjs" },
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.10",
  format: "esm",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
const began = Date.now();
const result = await mocha("installs", { grep }, env =>
  node(
    "node_modules/mocha/bin/mocha.js",
    [
      "--ui",
      "tdd",
      "--timeout",
      "1200000",
      "--slow",
      "120000",
      "--reporter",
      "scripts/reporter.cjs",
      ...(grep === undefined ? [] : ["--grep", grep]),
      ...["generations", "installs", "language-servers"].map(name => `scripts/real-installs/${name}.test.mjs`),
    ],
    {
      env: {
        ...userEnvironment(),
        ...env,
        HOME: home,
        USERPROFILE: home,
        TMPDIR: t,
        TEMP: t,
        TMP: t,
        SYMPOSIUM_TEST_RUN: run,
      },
      limit: 40 * 60_000,
    },
  ),
);
const remaining = await leftovers(mark, 10_000);
const results = [
  { ...result, seconds: Math.round((Date.now() - began) / 1000) },
  {
    name: "leftovers",
    passed: remaining.length === 0 ? 1 : 0,
    failed: remaining.map(({ pid, command }) => ({ title: "still running", message: `${pid} ${command}` })),
    skipped: [],
    seconds: 0,
  },
];
const { text, ran } = summary(results, { seconds: Math.round((Date.now() - started) / 1000), grep });
console.log(`\n── summary\n${text}`);
process.exitCode = !ran || results.some(({ failed }) => failed.length > 0) ? 1 : 0;
