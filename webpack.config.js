// Builds the programs: the host, two pages, the sidecar. Each has one entry file. The chat page and the sidecar have
// further chunks, which they load on first use. A small program loads the sidecar with stored compiled code.
//
// esbuild minifies the programs and keeps names. The page's bundle is mostly mynah-ui, which is distributed minified.
// It is neither parsed nor minified again. There the loader minifies each project module, and the bundle is left alone.
// The page's chunks are minified as a whole.
const path = require("node:path");
const { BannerPlugin, DefinePlugin } = require("webpack");
const { EsbuildPlugin } = require("esbuild-loader");
const { AsciiOutput } = require("./scripts/ascii-output.js");
const { ContentHash } = require("./scripts/content-hash.js");
const { BundledPackages } = require("./scripts/bundled-packages.js");
const { version } = require("./package.json");

const MYNAH = /node_modules[\\/]@aws[\\/]mynah-ui[\\/]dist[\\/]main\.js$/;
const MYNAH_PATCH = path.resolve(__dirname, "webview/mynah/patch.js");
const VALIBOT = /node_modules[\\/]valibot[\\/]dist[\\/]index\.mjs$/;
const USED_VALIBOT = path.resolve(__dirname, "scripts/used-valibot.js");
const MYNAH_HTML = path.resolve(__dirname, "webview/mynah/allowed-html.js");

// Modules of Node that take time and memory. The sidecar loads each at its first use, and not at the start. Packages
// import them without the prefix, and are not affected.
const lazyModules = Object.fromEntries(
  ["crypto", "fs/promises", "http", "https", "tls", "worker_threads", "zlib"].map(name => [
    `node:${name}`,
    // webpack reads `__esModule` at the start.
    `var new Proxy({}, { get: (_, member) => member === "__esModule" ? undefined : require("node:${name}")[member] })`,
  ]),
);

module.exports = (_env, { mode = "production" }) => {
  const production = mode === "production";

  /** Configuration common to all programs. `options` are passed to esbuild for every TypeScript module. */
  const program = (name, entry, target, options) => ({
    name,
    mode,
    entry: { [name]: entry },
    output: { path: path.resolve(__dirname, "dist"), filename: "[name].js" },
    resolve: { extensions: [".ts", ".mjs", ".js"] },
    module: {
      rules: [
        { test: /\.ts$/, loader: "esbuild-loader", options: { target, tsconfig: "./tsconfig.base.json", ...options } },
        { test: VALIBOT, loader: USED_VALIBOT },
        // Its package.json does not declare this. Most programs use its parser only.
        { test: /node_modules[\\/]jsonc-parser[\\/]/, sideEffects: false },
        { test: /\.toml$/, type: "asset/source" },
        {
          test: /\.css$/,
          type: "asset/source",
          loader: "esbuild-loader",
          options: { loader: "css", target, minifyWhitespace: true, legalComments: "none" },
        },
      ],
    },
    plugins: [
      // Both ends of the sidecar's connection compare it in their handshake.
      new DefinePlugin({ "process.env.SYMPOSIUM_BUILD": JSON.stringify(version) }),
      new BundledPackages(name),
    ],
    // Production source maps are created without a reference. Tests and bug reports use them; the package omits them.
    devtool: production ? "hidden-source-map" : "source-map",
    performance: { hints: false },
    stats: "errors-warnings",
    // The name contains the dependencies of cache entries other than their content.
    cache: {
      type: "filesystem",
      cacheDirectory: path.resolve(__dirname, "out/webpack"),
      name: `${name}-${mode}`,
      buildDependencies: { config: [__filename, MYNAH_PATCH, MYNAH_HTML, USED_VALIBOT] },
    },
  });

  /** The schemas of ACP without their descriptions, which are most of their size. */
  const withoutTexts = (key, value) => (key === "description" && typeof value === "string" ? undefined : value);
  const schemas = {
    test: /sdk[\\/]schema[\\/].*\.json$/,
    type: "json",
    parser: { parse: text => JSON.parse(text, withoutTexts) },
  };
  // Names are not minified. `keepNames` costs a call for each created function, which is a third of the CPU time of a
  // hop.
  const minimizer = target => [
    new EsbuildPlugin({
      target,
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: false,
      legalComments: "none",
    }),
  ];

  const host = program("extension", "./src/extension.ts", "node20");
  const settings = program("settings", "./webview/settings/main.ts", "chrome120");
  const page = program(
    "webview",
    "./webview/main.ts",
    "chrome120",
    production ? { minify: true, keepNames: true } : {},
  );
  const start = program("sidecar", "./sidecar/start.ts", "node20"),
    sidecar = program("sidecar-main", "./sidecar/main.ts", "node20");
  return [
    {
      ...host,
      target: "node20",
      output: { ...host.output, libraryTarget: "commonjs2" },
      externals: { vscode: "commonjs vscode" },
      plugins: [...host.plugins, new AsciiOutput()],
      optimization: { minimizer: minimizer("node20") },
    },
    {
      ...page,
      target: ["web", "es2022"],
      module: { noParse: MYNAH, rules: [...page.module.rules, { test: MYNAH, loader: MYNAH_PATCH }] },
      output: {
        ...page.output,
        // Set by the page.
        publicPath: "",
        chunkFilename: ({ chunk }) =>
          `webview-${String(chunk.id)
            .replace(/^webview_(components_)?|_ts$/g, "")
            .replaceAll("_", "-")}.js`,
        clean: { keep: file => !file.startsWith("webview-") },
      },
      optimization: {
        chunkIds: "named",
        splitChunks: false,
        minimizer: [new EsbuildPlugin({ target: "chrome120", legalComments: "none", exclude: /^webview\.js$/ })],
      },
    },
    {
      ...settings,
      target: ["web", "es2022"],
      optimization: { minimizer: [new EsbuildPlugin({ target: "chrome120", legalComments: "none" })] },
    },
    {
      ...start,
      target: "node20",
      node: { __dirname: false, __filename: false },
      // It loads the modules of Node for the other program.
      module: { ...start.module, parser: { javascript: { createRequire: false } } },
      optimization: { minimizer: minimizer("node20") },
      plugins: [...start.plugins, new BannerPlugin({ banner: "#!/usr/bin/env node", raw: true })],
    },
    {
      ...sidecar,
      target: "node20",
      externals: lazyModules,
      module: { rules: [...sidecar.module.rules, schemas] },
      output: {
        ...sidecar.output,
        libraryTarget: "commonjs2",
        chunkFilename: ({ chunk }) =>
          `sidecar-${String(chunk.name ?? chunk.id)
            .replace(/^sidecar_|_ts$/g, "")
            .replaceAll("_", "-")}.js`,
        clean: { keep: file => !file.startsWith("sidecar-") },
      },
      optimization: {
        minimizer: minimizer("node20"),
        chunkIds: "named",
        splitChunks: {
          chunks: "async",
          minSize: 0,
          cacheGroups: {
            default: false,
            defaultVendors: false,
            wire: { name: "wire", test: /node_modules[\\/]vscode-jsonrpc/, priority: 3 },
            // Rarely used programs; they must not affect the others' start time.
            proxy: {
              name: "proxy",
              test: /node_modules[\\/](https-proxy-agent|agent-base|debug|ms|supports-color|has-flag)[\\/]/,
              priority: 3,
            },
            archives: {
              name: "archives",
              test: /node_modules[\\/](b4a|events-universal|fast-fifo|graceful-fs|pend|proper-lockfile|retry|streamx|tar-stream|text-decoder|through|unbzip2-stream|yauzl)[\\/]/,
              priority: 3,
            },
            // Used by `conform` only.
            conform: { name: "conform", test: /sidecar[\\/]conform[\\/]/, priority: 2 },
            schema: { name: "acp-schema", test: /node_modules[\\/]@agentclientprotocol[\\/]/, priority: 3 },
            mcp: {
              name: "mcp",
              test: /node_modules[\\/](?!(jsonc-parser|semver|smol-toml|valibot|@vscode)[\\/])/,
              priority: 2,
            },
            // Other editors start this command for each window. It loads nothing that it does not use.
            common: {
              name: "common",
              minChunks: 2,
              priority: 1,
              chunks: ({ name }) => !/^run(?:-|$)/.test(String(name)),
            },
          },
        },
      },
      plugins: [...sidecar.plugins, new AsciiOutput(), new ContentHash()],
    },
  ];
};
