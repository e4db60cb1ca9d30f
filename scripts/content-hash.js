// Adds a first line to each emitted program: the hash of its content. The sidecar stores compiled code under it.
const { createHash } = require("node:crypto");
const { Compilation, sources } = require("webpack");

class ContentHash {
  apply(compiler) {
    compiler.hooks.compilation.tap("ContentHash", compilation =>
      compilation.hooks.processAssets.tap(
        // After the characters are escaped, and before source maps are made.
        { name: "ContentHash", stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 2 },
        assets => {
          for (const name of Object.keys(assets))
            if (name.endsWith(".js"))
              compilation.updateAsset(name, source => new sources.ConcatSource(`//${hashOf(source)}\n`, source));
        },
      ),
    );
  }
}

const hashOf = source => createHash("sha256").update(source.buffer()).digest("hex").slice(0, 32);

module.exports = { ContentHash };
