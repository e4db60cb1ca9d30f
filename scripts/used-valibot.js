// webpack loader: reduces valibot to the functions that src/protocol uses. valibot is a single module, whose unused
// functions no minifier removes. The page's bundle is not minified as a whole.
const { build } = require("esbuild");
const { readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");

const PROTOCOL = path.resolve(__dirname, "../src/protocol");

module.exports = async function usedValibot(source) {
  const finish = this.async();
  this.addContextDependency(PROTOCOL);
  const [, list = ""] = /export \{([^}]*)\};?\s*$/.exec(source) ?? [],
    exported = new Set(list.split(",").map(name => name.trim()));
  const files = readdirSync(PROTOCOL, { recursive: true }).filter(file => /(?<!\.test)\.ts$/.test(file)),
    names = files.flatMap(file => [...readFileSync(path.join(PROTOCOL, file), "utf8").matchAll(/\bv\.(\w+)/g)]),
    used = [...new Set(names.map(([, name]) => name))].filter(name => exported.has(name)).sort();
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { ${used.join(", ")} } from ${JSON.stringify(this.resourcePath)}`,
        resolveDir: __dirname,
      },
      bundle: true,
      format: "esm",
      target: "es2022",
      write: false,
    });
    finish(null, outputFiles[0].text);
  } catch (error) {
    finish(error);
  }
};
