// `npm run package:npm`: creates the npm package `symposium-acp-agent`, which contains the command line only. It has
// the name of its command, because `npx symposium-acp-agent` looks for a package of that name.
//   node scripts/npm-package.mjs [--out FOLDER]
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "./build.mjs";
import { bundledPrograms, notices } from "./package.mjs";
import { fail, manifest, options, root } from "./project.mjs";

/** Programs that only the extension contains. */
const EXTENSION_PROGRAMS = ["extension", "webview", "settings"];
/** The folder of the package. It contains the files that are packed, and no others. */
const LAYOUT = path.join(root, "out/npm");

const { version, license, repository, engines } = manifest;
const homepage = repository.url.replace(/\.git$/, "");

export const PACKAGE_JSON = {
  name: "symposium-acp-agent",
  version,
  description: "Runs ACP (Agent Client Protocol) agents behind a chain of proxies, for any editor.",
  license,
  repository,
  homepage: `${homepage}#other-editors`,
  bugs: { url: `${homepage}/issues` },
  keywords: ["acp", "agent client protocol", "agent", "proxy", "conductor", "mcp"],
  engines: { node: engines.node },
  bin: { "symposium-acp-agent": "dist/sidecar.js" },
};

/** Builds the package and packs it into `folder`. Resolves with the path of the tarball. */
export async function packCommandLine(folder) {
  await build("production");
  writeLayout();
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--pack-destination", path.resolve(folder)], {
    cwd: LAYOUT,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not create the package:\n${stdout}${stderr}`);
  return path.join(folder, `${PACKAGE_JSON.name}-${version}.tgz`);
}

function writeLayout() {
  rmSync(LAYOUT, { recursive: true, force: true });
  mkdirSync(path.join(LAYOUT, "dist"), { recursive: true });
  // A chunk has the name of its program at the start.
  const isOfExtension = file =>
    EXTENSION_PROGRAMS.some(program => file === `${program}.js` || file.startsWith(`${program}-`));
  for (const file of readdirSync(path.join(root, "dist")))
    if (file.endsWith(".js") && !isOfExtension(file))
      cpSync(path.join(root, "dist", file), path.join(LAYOUT, "dist", file));
  cpSync(path.join(root, "LICENSE"), path.join(LAYOUT, "LICENSE"));
  cpSync(path.join(root, "docs/npm.md"), path.join(LAYOUT, "README.md"));
  writeFileSync(
    path.join(LAYOUT, "ThirdPartyNotices.txt"),
    notices(bundledPrograms().filter(program => !EXTENSION_PROGRAMS.includes(program))),
  );
  writeFileSync(path.join(LAYOUT, "package.json"), `${JSON.stringify(PACKAGE_JSON, null, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const { out = root } = options(process.argv.slice(2), { one: ["out"] });
  const file = await packCommandLine(out).catch(error => fail(error.message));
  console.log(`${path.relative(process.cwd(), file)}  ${(statSync(file).size / 1_048_576).toFixed(2)} MiB`);
}
