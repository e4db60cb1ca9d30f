// `npm run bench [-- NAME…] [--quick] [--json] [--native]`: runs bench/NAME.bench.ts. Each bench prints ratios to a
// yardstick that is measured in the same run, because a ratio is comparable across machines. `--quick`: fewer rounds,
// less precise ratios. `--native`: also measures the native conductor, which cargo installs into out/native.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build as buildPrograms } from "./build.mjs";
import { globSync } from "./glob.mjs";
import { fail, options, root } from "./project.mjs";

const { json, native, quick, rest: names } = options(process.argv.slice(2), { flags: ["json", "native", "quick"] });
process.chdir(root);
const NATIVE_VERSION = "5.0.0";
const files = globSync(["bench"], /\.bench\.ts$/).filter(
  file => names.length === 0 || names.some(name => path.basename(file).startsWith(name)),
);
if (files.length === 0) fail(`Unknown bench: ${names.join(", ")}.`);

const nativeConductor = native ? installNative() : undefined;

// Build first, so that the current sources are measured.
await buildPrograms();

// The folder is below the project, so that packages are resolved. Minified like the package.
mkdirSync(path.join(root, "out"), { recursive: true });
const outdir = mkdtempSync(path.join(root, "out", "bench-"));
try {
  const entryPoints = [...files, ...globSync(["bench"], /\.program\.ts$/)];
  await build({
    entryPoints,
    outdir,
    outbase: "bench",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    loader: { ".toml": "text" },
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "warning",
  });
  // Without `keepNames`, because functions are sent to a page as text.
  await build({
    entryPoints: globSync(["bench"], /\.browser\.ts$/),
    outdir,
    outbase: "bench",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "chrome120",
    minify: true,
    logLevel: "warning",
  });
  process.env.SYMPOSIUM_BENCH_PROGRAMS = outdir;
  const results = [];
  for (const file of files) {
    const name = path.basename(file, ".bench.ts"),
      tables = [];
    const { default: bench } = await import(pathToFileURL(path.join(outdir, `${name}.bench.mjs`)));
    const measured = await bench({
      quick: quick === true,
      ...(nativeConductor === undefined ? {} : { native: nativeConductor }),
      table: table => {
        tables.push(table);
        if (!json) print(table);
      },
    });
    for (const result of measured) {
      results.push({ bench: name, ...result });
      if (!json)
        console.log(
          `${name.padEnd(12)} ${result.what.padEnd(60)} ${result.ratio.toFixed(2).padStart(8)} × ` +
            `${result.yardstick}${verdict(result)}`,
        );
    }
    if (json && tables.length > 0) results.push({ bench: name, tables });
  }
  if (json) console.log(JSON.stringify(results, null, 1));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}

/** Returns the path of the native conductor. */
function installNative() {
  const folder = path.join(root, "out/native"),
    program = path.join(folder, "bin/agent-client-protocol-conductor");
  if (existsSync(program)) return program;
  const { status } = spawnSync(
    "cargo",
    ["install", "agent-client-protocol-conductor", "--version", NATIVE_VERSION, "--locked", "--root", folder],
    { stdio: "inherit" },
  );
  if (status !== 0) fail("The native conductor could not be installed. It requires cargo.");
  return program;
}

function verdict({ ratio, goal }) {
  if (goal === undefined) return "";
  return `, goal at most ${goal}: ${ratio <= goal ? "reached" : "NOT REACHED"}`;
}

function print({ title, rows }) {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const width = column => Math.max(column.length, ...rows.map(row => String(row[column] ?? "").length));
  const line = row =>
    columns
      .map((column, i) =>
        i === 0 ? String(row[column] ?? "").padEnd(width(column)) : String(row[column] ?? "").padStart(width(column)),
      )
      .join("  ");
  console.log(
    [`\n${title}`, line(Object.fromEntries(columns.map(column => [column, column]))), ...rows.map(line), ""].join("\n"),
  );
}
