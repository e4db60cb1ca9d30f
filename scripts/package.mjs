// `npm run package`: creates one .vsix for all platforms, with the licences of bundled packages.
//   node scripts/package.mjs [--out FILE]
import { listFiles } from "@vscode/vsce";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "./build.mjs";
import { fail, manifest, node, options, root } from "./project.mjs";
import { isPrerelease } from "./release-notes.mjs";

/** Permitted files of a package. Other output of webpack is for tests and bug reports. */
const ALLOWED =
  /^(dist\/[\w.-]+\.js|media\/symposium\.(svg|png)|media\/walkthrough\/[\w-]+\.svg|package(\.nls(\.[a-z-]+)?)?\.json|l10n\/bundle\.l10n\.[a-z-]+\.json|README\.md|CHANGELOG\.md|LICENSE|ThirdPartyNotices\.txt)$/;

/** Lists of the bundled packages, one file for each program (`bundled-packages.js`). */
const BUNDLED = "out/bundled";

/** Packages that are distributed as bundles with their dependencies. */
const BUNDLES = ["@aws/mynah-ui", "@dagrejs/dagre"];

/** Builds, and collects the licences of bundled packages. */
async function prepare() {
  await build("production");
  writeFileSync(path.join(root, "ThirdPartyNotices.txt"), notices(bundledPrograms()));
}

/** Names of the built programs: `extension`, `sidecar`… */
export function bundledPrograms() {
  return readdirSync(path.join(root, BUNDLED)).map(file => path.basename(file, ".json"));
}

/**
 * Builds and packages. Resolves with the file and its size in bytes. Rejects if an unexpected file would be packed, or
 * if vsce warns.
 */
export async function packageExtension(file = path.join(root, `${manifest.name}-${manifest.version}.vsix`)) {
  await prepare();
  const packed = await listFiles({ cwd: root, dependencies: false });
  const strangers = packed.filter(name => !ALLOWED.test(name));
  if (strangers.length > 0) throw new Error(`These files do not belong in the package: ${strangers.join(", ")}`);
  // A separate process, because vsce exits its process on errors.
  const channel = isPrerelease(manifest.version) ? ["--pre-release"] : [];
  const vsce = await node(
    "node_modules/@vscode/vsce/vsce",
    ["package", "--no-dependencies", ...channel, "--out", file],
    {
      output: "hold",
    },
  );
  if (vsce.code !== 0 || vsce.text.includes("WARNING"))
    throw new Error(`vsce did not create the package without warnings:\n${vsce.text}`);
  return { file, bytes: statSync(file).size };
}

/**
 * Name, version and licence of every package that is bundled into `programs`. The dependencies of `BUNDLES` are
 * included, too.
 */
export function notices(programs) {
  const folders = new Set(
    programs.flatMap(name => JSON.parse(readFileSync(path.join(root, BUNDLED, `${name}.json`), "utf8"))),
  );
  for (const folder of [...folders]) if (BUNDLES.some(name => folder.endsWith(name))) addDependencies(folder, folders);
  const parts = [...folders].sort().map(folder => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(path.join(root, folder, "package.json"), "utf8"),
    );
    return `${name} ${version} (${license})\n\n${licenceText(folder) ?? `${[author?.name ?? author].filter(Boolean).join("")}\nLicence: ${license}`}`;
  });
  return `${manifest.displayName} contains these third-party packages.\n\n${parts.map(part => `${"-".repeat(80)}\n${part.trim()}\n`).join("\n")}`;
}

function addDependencies(folder, folders) {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const found = [`${folder}/node_modules/${name}`, `node_modules/${name}`].find(place =>
      existsSync(path.join(root, place)),
    );
    if (found === undefined) throw new Error(`${name}, which ${folder} depends on, is not installed.`);
    if (folders.has(found)) continue;
    folders.add(found);
    addDependencies(found, folders);
  }
}

/** The concatenated licence and notice files of a package. */
function licenceText(folder) {
  const files = readdirSync(path.join(root, folder))
    .filter(name => /^(licen[cs]e|notice|copying)/i.test(name))
    .sort();
  const texts = files
    .filter(name => statSync(path.join(root, folder, name)).isFile())
    .map(name => readFileSync(path.join(root, folder, name), "utf8").trim());
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

if (process.argv[1] === import.meta.filename) {
  const { out } = options(process.argv.slice(2), { one: ["out"] });
  const { file, bytes } = await packageExtension(out && path.resolve(out)).catch(error => fail(error.message));
  console.log(`${path.relative(process.cwd(), file)}  ${(bytes / 1_048_576).toFixed(2)} MiB`);
}
