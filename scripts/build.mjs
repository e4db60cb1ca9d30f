// Builds dist/ with webpack, unless neither the sources nor the build scripts have changed.
//   node scripts/build.mjs [--mode development]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { digest, fail, node, options, root } from "./project.mjs";
import { progress } from "./progress.mjs";

const SOURCES = [
  "src",
  "webview",
  "sidecar",
  "package.json",
  "package-lock.json",
  "webpack.config.js",
  "tsconfig.base.json",
  "scripts/bundled-packages.js",
];
const PROGRAMS = [
  "dist/extension.js",
  "dist/webview.js",
  "dist/settings.js",
  "dist/sidecar.js",
  "dist/sidecar-main.js",
];

/** Builds if necessary. `mode` is "production" or "development". Rejects with webpack's output. */
export async function build(mode = "production") {
  const stamp = path.join(root, "out/build.stamp");
  const now = `${mode} ${digest(SOURCES, file => !/\.test\.ts$|^src\/test\/|^sidecar\/testing\//.test(file))}`;
  if (
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === now &&
    PROGRAMS.every(file => existsSync(path.join(root, file)))
  )
    return;
  const webpack = await progress("webpack", () =>
    node("node_modules/webpack/bin/webpack.js", ["--mode", mode], { output: "hold" }),
  );
  if (webpack.code !== 0 || /warning/i.test(webpack.text)) process.stderr.write(webpack.text);
  if (webpack.code !== 0) throw new Error("The build failed.");
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, now);
}

if (process.argv[1] === import.meta.filename) {
  const { mode } = options(process.argv.slice(2), { one: ["mode"] });
  await build(mode).catch(error => fail(error.message));
}
