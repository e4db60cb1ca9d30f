// A webpack plugin that lists the npm packages bundled into a program, for the third-party notices.
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");

class BundledPackages {
  #program;

  constructor(program) {
    this.#program = program;
  }

  apply(compiler) {
    compiler.hooks.done.tap("BundledPackages", ({ compilation }) => {
      const folders = new Set();
      for (const module of compilation.modules) {
        for (const part of module.modules ?? [module]) if (part.resource) folders.add(packageFolder(part.resource));
      }
      const found = [...folders]
        .filter(Boolean)
        .map(folder => path.relative(compiler.context, folder).replaceAll("\\", "/"))
        .sort();
      const out = path.resolve(compiler.context, "out/bundled");
      mkdirSync(out, { recursive: true });
      writeFileSync(path.join(out, `${this.#program}.json`), `${JSON.stringify(found, null, 1)}\n`);
    });
  }
}

/**
 * The folder of the package that contains a file in node_modules: the nearest folder with name and version in
 * package.json.
 */
function packageFolder(file) {
  if (!file.includes(`node_modules${path.sep}`)) return undefined;
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
    if (name && version) return folder;
  }
  return undefined;
}

module.exports = { BundledPackages };
