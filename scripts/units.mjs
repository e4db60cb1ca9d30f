// Compiles the unit tests (esbuild, ES modules) and runs them with mocha on this Node.
//   node scripts/units.mjs [PATH-PREFIX | !PATH-PREFIX]… [-- MOCHA-OPTION…]      e.g. node scripts/units.mjs sidecar/rpc -- --grep order
// Those that begin with a prefix, or, where there is none, all; without those that begin with a prefix after an exclamation mark.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { globSync } from "./glob.mjs";
import { rmSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
process.chdir(root);
const argv = process.argv.slice(2);
const cut = argv.indexOf("--");
const prefixes = cut === -1 ? argv : argv.slice(0, cut);
const wanted = prefixes.filter(prefix => !prefix.startsWith("!")), unwanted = prefixes.filter(prefix => prefix.startsWith("!")).map(prefix => prefix.slice(1));
const mochaOptions = cut === -1 ? [] : argv.slice(cut + 1);

const tests = globSync(["src", "webview", "sidecar", "test", "bench", "scripts"], /\.test\.ts$/)
  .filter(file => !file.startsWith("src/test/"))
  .filter(file => wanted.length === 0 || wanted.some(prefix => file.startsWith(prefix)))
  .filter(file => !unwanted.some(prefix => file.startsWith(prefix)));
if (tests.length === 0) { console.error(`no unit tests below ${prefixes.join(", ") || "the sources"}`); process.exit(1); }

const outdir = path.join("out", "units", prefixes.join("+").replaceAll("!", "not-").replaceAll(/[^\w.+-]/g, "_") || "all");
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [...tests, ...globSync(["sidecar/testing"], /\.program\.ts$/)], outdir, outbase: ".", outExtension: { ".js": ".mjs" },
  bundle: true, splitting: true, format: "esm", platform: "node", target: "node20", packages: "external",
  sourcemap: true, keepNames: true, logLevel: "warning", chunkNames: "chunks/[name]-[hash]",
});
const mocha = spawnSync(process.execPath, ["--enable-source-maps", "--unhandled-rejections=strict", "node_modules/mocha/bin/mocha.js", "--ui", "tdd", "--timeout", "20000",
  ...mochaOptions, ...tests.map(file => path.join(outdir, file.replace(/\.ts$/, ".mjs")))],
  { stdio: "inherit", env: { ...process.env, SYMPOSIUM_TEST_PROGRAMS: path.resolve(outdir, "sidecar/testing") } });
process.exit(mocha.status ?? 1);
