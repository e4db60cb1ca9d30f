// `npm run bench [-- NAME…] [--json]`: runs bench/NAME.bench.ts. Each prints how a thing of ours compares with a yardstick that is
// measured in the same run, because a ratio means the same on every machine.
import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { globSync } from "./glob.mjs";
import { fail, options, root } from "./project.mjs";

const { json, rest: names } = options(process.argv.slice(2), { flags: ["json"] });
process.chdir(root);
const files = globSync(["bench"], /\.bench\.ts$/).filter(file => names.length === 0 || names.some(name => path.basename(file).startsWith(name)));
if (files.length === 0) fail(`There is no bench ${names.join(" or ")}.`);

// Below node_modules' parent, so that packages are found.
const outdir = mkdtempSync(path.join(root, "out", "bench-"));
try {
  await build({ entryPoints: files, outdir, outbase: "bench", outExtension: { ".js": ".mjs" }, bundle: true, splitting: true, format: "esm", platform: "node", target: "node20", packages: "external", keepNames: true, logLevel: "warning" });
  const results = [];
  for (const file of files) {
    const name = path.basename(file, ".bench.ts");
    const { default: bench } = await import(pathToFileURL(path.join(outdir, `${name}.bench.mjs`)));
    for (const result of await bench()) {
      results.push({ bench: name, ...result });
      if (!json) console.log(`${name.padEnd(16)} ${result.what.padEnd(56)} ${result.ratio.toFixed(2).padStart(8)} × ${result.yardstick}`);
    }
  }
  if (json) console.log(JSON.stringify(results, null, 1));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
