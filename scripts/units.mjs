// Compiles the unit tests (esbuild, ES modules) and runs them with mocha on this Node.
//   node scripts/units.mjs [--quick | --spawning] [--compile | --share=I/N] [PATH-PREFIX]… [-- MOCHA-OPTION…]
//       e.g. node scripts/units.mjs sidecar/rpc -- --grep order
// Runs the tests whose path starts with a prefix, or all without a prefix. Tests that start programs are in
// NAME.spawn.test.ts: --spawning runs only those, and --quick the others, which cannot start programs. --compile only
// compiles. --share=1/2 then runs every second file without another compilation, --share=2/2 the others.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync } from "./glob.mjs";
import { rmSync } from "node:fs";
import path from "node:path";
import { timeLimit } from "./time-limits.mjs";

const root = path.resolve(import.meta.dirname, "..");
process.chdir(root);
const argv = process.argv.slice(2);
const cut = argv.indexOf("--");
const unitOptions = cut === -1 ? argv : argv.slice(0, cut);
const kind = unitOptions.find(word => word === "--quick" || word === "--spawning"),
  step = unitOptions.find(word => word === "--compile" || word.startsWith("--share=")),
  [part = 1, parts = 1] = step?.startsWith("--share=") ? step.slice("--share=".length).split("/").map(Number) : [],
  selection = unitOptions.filter(word => word !== step),
  prefixes = selection.filter(word => word !== kind);
const mochaOptions = cut === -1 ? [] : argv.slice(cut + 1);

const tests = globSync(["src", "webview", "sidecar", "test", "bench", "scripts"], /\.test\.ts$/)
  .filter(file => !file.startsWith("src/test/"))
  .filter(file => prefixes.length === 0 || prefixes.some(prefix => file.startsWith(prefix)))
  .filter(file => kind === undefined || file.endsWith(".spawn.test.ts") === (kind === "--spawning"));
if (tests.length === 0) {
  console.error(`no unit tests below ${prefixes.join(", ") || "the sources"}`);
  process.exit(1);
}

const named = selection.join("+").replaceAll(/[^\w.+-]/g, "_") || "all";
const outdir = path.join(
  "out",
  "units",
  named.length <= 100 ? named : createHash("sha256").update(named).digest("hex").slice(0, 16),
);
if (!step?.startsWith("--share=")) {
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: [...tests, ...globSync(["sidecar/testing/programs"], /\.program\.ts$/)],
    outdir,
    outbase: ".",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.10",
    packages: "external",
    loader: { ".toml": "text" },
    sourcemap: true,
    keepNames: true,
    logLevel: "warning",
    chunkNames: "chunks/[name]-[hash]",
  });
}
if (step === "--compile") process.exit();
const mocha = spawnSync(
  process.execPath,
  [
    "--enable-source-maps",
    "--unhandled-rejections=strict",
    "--import",
    "./scripts/seed-property-tests.mjs",
    "node_modules/mocha/bin/mocha.js",
    ...(kind === "--quick" ? ["--require", "./scripts/no-programs.cjs"] : []),
    "--require",
    "./scripts/test-limits.mjs",
    "--ui",
    "tdd",
    "--timeout",
    String(timeLimit(kind === "--quick" ? 20_000 : 120_000)),
    ...mochaOptions,
    ...tests.filter((_, i) => i % parts === part - 1).map(file => path.join(outdir, file.replace(/\.ts$/, ".mjs"))),
  ],
  {
    stdio: "inherit",
    env: { ...process.env, SYMPOSIUM_TEST_PROGRAMS: path.resolve(outdir, "sidecar/testing/programs") },
  },
);
process.exit(mocha.status ?? 1);
