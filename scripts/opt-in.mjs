// Opt-in suites that need a network: `npm run test:installs` and `npm run test:editors`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Bundles `programs` of sidecar/testing/programs into `out/NAME`, and runs `tests` with a temporary HOME and TMPDIR.
 * Processes that remain afterwards fail the suite. Sets the exit code. `limitMs`: maximum time of the suite. `isBuilt`:
 * the tests use `dist`.
 */
export async function runOptIn({ name, programs, tests, grep, env = {}, timeoutMs, limitMs, isBuilt = false }) {
  const started = Date.now();
  if (
    spawnSync(process.execPath, [fileURLToPath(new URL("setup.mjs", import.meta.url))], { stdio: "inherit" }).status !==
    0
  )
    process.exit(1);
  if (isBuilt) await (await import("./build.mjs")).build();
  const { build } = await import("esbuild");
  const { census, leftovers } = await import("./processes-by-environment.mjs");
  const { node, root } = await import("./project.mjs");
  const { userEnvironment } = await import("./real-installs/user.mjs");
  const { mocha } = await import("./suites.mjs");
  const { summary } = await import("./summary.mjs");

  const temporary = mkdtempSync(path.join(tmpdir(), `${name}-`)),
    run = `${process.pid}-${started}`,
    mark = `SYMPOSIUM_TEST_RUN=${run}`;
  process.on("exit", () => {
    for (const { pid } of census(mark))
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        /* The process has exited meanwhile. */
      }
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  const [home, t] = ["home", "t"].map(folder => path.join(temporary, folder));
  for (const folder of [home, t]) mkdirSync(folder);

  await build({
    entryPoints: programs.map(program => ({ in: `sidecar/testing/programs/${program}.program.ts`, out: program })),
    outdir: `out/${name}`,
    outExtension: { ".js": ".mjs" },
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20.10",
    format: "esm",
    packages: "external",
    loader: { ".toml": "text" },
    sourcemap: true,
    logLevel: "warning",
  });
  const began = Date.now();
  const result = await mocha(name, { grep }, report =>
    node(
      "node_modules/mocha/bin/mocha.js",
      [
        "--ui",
        "tdd",
        "--timeout",
        String(timeoutMs),
        "--slow",
        String(timeoutMs / 10),
        "--reporter",
        "scripts/reporter.cjs",
        ...(grep === undefined ? [] : ["--grep", grep]),
        ...tests,
      ],
      {
        env: {
          ...userEnvironment(),
          ...env,
          ...report,
          HOME: home,
          USERPROFILE: home,
          TMPDIR: t,
          TEMP: t,
          TMP: t,
          SYMPOSIUM_TEST_RUN: run,
        },
        limit: limitMs,
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
}
