// Escapes characters outside ASCII in the emitted programs. With one such character, V8 stores the whole source text
// with two bytes for each character. esbuild cannot escape them in tagged templates, because it keeps their raw text.
const { Compilation, sources } = require("webpack");

const NOT_ASCII = /[^\0-\x7f]/g;

class AsciiOutput {
  apply(compiler) {
    compiler.hooks.compilation.tap("AsciiOutput", compilation =>
      compilation.hooks.processAssets.tap(
        { name: "AsciiOutput", stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 1 },
        assets => {
          for (const name of Object.keys(assets))
            if (name.endsWith(".js")) compilation.updateAsset(name, source => escaped(name, source));
        },
      ),
    );
  }
}

function escaped(name, source) {
  const text = String(source.source()),
    ascii = new sources.ReplaceSource(source, name);
  for (const { 0: character, index } of text.matchAll(NOT_ASCII))
    ascii.replace(index, index, `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return ascii;
}

module.exports = { AsciiOutput };
