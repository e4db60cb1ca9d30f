/** The layers of the project: the imports that each folder may have. `layers.test.ts` checks all files against them. */
import { readdirSync } from "node:fs";

const ACP = "@agentclientprotocol/sdk",
  MCP = "@modelcontextprotocol/sdk",
  RPC = "vscode-jsonrpc",
  MYNAH = "@aws/mynah-ui",
  TEST = ["node:", "fast-check", "typescript"];
const ERRORS = "sidecar/errors.ts",
  WORKAROUNDS = "sidecar/agent-workarounds.ts",
  METHODS = "sidecar/acp/methods.ts";
/** The modules that every part of the extension host may import. */
const HOST_BASE = ["src/clock.ts", "src/errors.ts", "src/log.ts", "src/notifications.ts", "src/translation.ts"];
/** Every folder contains texts for the user. */
export const TEXTS = "@vscode/l10n";

/**
 * The permitted imports, one row per folder, lowest layer first. A file belongs to the row of the longest matching
 * folder. A folder may import itself, and project folders only from rows above its own, so cycles are impossible. A
 * file without a row is an error.
 */
export const LAYERS: readonly [folder: string, mayImport: readonly string[]][] = [
  ["src/protocol/wire", ["valibot"]],
  ["src/protocol/text", []],
  ["src/protocol/redaction", []],
  ["src/protocol/agents", ["src/protocol/wire", "valibot"]],
  ["src/protocol/review", ["src/protocol/wire", "diff"]],
  ["src/protocol/chat", ["src/protocol/wire", "src/protocol/agents", "src/protocol/review", "valibot"]],
  ["src/protocol/ide", ["src/protocol/wire", "valibot"]],
  ["src/protocol/lm", ["src/protocol/wire", "src/protocol/agents", "valibot"]],
  ["src/protocol/page", ["src/protocol/wire", "src/protocol/agents", "src/protocol/chat", "valibot"]],
  ["src/protocol/sessions", ["src/protocol/wire", "src/protocol/agents", "src/protocol/chat"]],
  ["src/protocol/settings", ["src/protocol/wire", "src/protocol/agents", "valibot"]],
  ["src/protocol/testing", ["src/protocol/agents", "fast-check"]],
  ["src/protocol", ["valibot"]],

  ["src/clock.ts", []],
  ["src/names.ts", []],
  ["src/translation.ts", ["vscode"]],
  ["src/errors.ts", ["src/protocol"]],
  ["src/log.ts", ["src/protocol", "vscode"]],
  ["src/notifications.ts", ["src/protocol", "vscode"]],
  ["src/output-channel.ts", ["src/protocol", "src/log.ts", "vscode"]],
  ["src/sidecar", ["src/protocol", ...HOST_BASE, "vscode", "node:", RPC]],
  [
    "src/settings/store",
    ["src/protocol", "src/names.ts", "src/errors.ts", "src/log.ts", "src/notifications.ts", "vscode", "node:"],
  ],
  ["src/editor", ["src/protocol", ...HOST_BASE, "vscode", "node:", "ignore", "jsonc-parser"]],
  [
    "src/review",
    [
      "src/protocol",
      ...HOST_BASE,
      "src/names.ts",
      "src/sidecar",
      "src/settings/store",
      "src/editor",
      "vscode",
      "node:",
    ],
  ],
  [
    "src/chat",
    [
      "src/protocol",
      ...HOST_BASE,
      "src/names.ts",
      "src/sidecar",
      "src/settings/store",
      "src/editor",
      "src/review",
      "vscode",
      "node:",
    ],
  ],
  ["src/lm", ["src/protocol", ...HOST_BASE, "src/settings/store", "vscode"]],
  [
    "src/settings/view",
    ["src/protocol", ...HOST_BASE, "src/names.ts", "src/sidecar", "src/settings/store", "src/chat", "vscode"],
  ],
  [
    "src/sessions",
    ["src/protocol", ...HOST_BASE, "src/names.ts", "src/sidecar", "src/settings/store", "src/chat", "vscode", "node:"],
  ],
  [
    "src/diagnostics",
    [
      "src/protocol",
      ...HOST_BASE,
      "src/names.ts",
      "src/sidecar",
      "src/settings/store",
      "src/settings/view",
      "vscode",
      "node:",
    ],
  ],
  ["src/testing", ["src", "node:"]],
  [
    "src/commands.ts",
    [
      "src/protocol",
      "src/log.ts",
      "src/names.ts",
      "src/notifications.ts",
      "src/settings/store",
      "src/editor",
      "src/review",
      "src/chat",
      "src/sessions",
      "vscode",
      "node:",
    ],
  ],
  ["src/links.ts", ["src/protocol", "src/errors.ts", "src/chat"]],
  ["src/extension.ts", ["src", "vscode", "node:"]],
  ["src/manifest.test.ts", ["src"]],
  [
    "src/test",
    ["src", "scripts/vscode-box", "scripts/seed.mjs", "scripts/time-limits.mjs", "vscode", "playwright-core", ...TEST],
  ],

  ["webview/page-clock.ts", []],
  ["webview/state", ["src/protocol", "webview/page-clock.ts", "uuid"]],
  ["webview/view-model", ["src/protocol", "webview/page-clock.ts", "webview/state", "diff"]],
  ["webview/diagrams", ["src/protocol", "@dagrejs/dagre"]],
  ["webview/components", ["src/protocol", "webview/state", "webview/view-model", "webview/diagrams", "uuid", "temml"]],
  [
    "webview/mynah",
    ["src/protocol", "webview/page-clock.ts", "webview/state", "webview/view-model", "webview/components", MYNAH],
  ],
  [
    "webview/a11y",
    [
      "src/protocol",
      "webview/page-clock.ts",
      "webview/state",
      "webview/view-model",
      "webview/components",
      "webview/mynah",
    ],
  ],
  [
    "webview/runtime",
    [
      "src/protocol",
      "webview/page-clock.ts",
      "webview/state",
      "webview/view-model",
      "webview/components",
      "webview/a11y",
      "webview/mynah",
    ],
  ],
  ["webview/css.d.ts", []],
  ["webview/translation.ts", []],
  ["webview/main.ts", ["src/protocol", "webview", "uuid"]],
  [
    "webview/settings",
    [
      "src/protocol",
      "webview/page-clock.ts",
      "webview/translation.ts",
      "webview/state/save-schedule.ts",
      "webview/view-model/text/markdown-safe.ts",
      "webview/components/dom.ts",
      "webview/components/find-keys.ts",
      "webview/components/picture.ts",
    ],
  ],
  ["webview/testing", ["src/protocol", "webview", "fast-check"]],

  ["sidecar/translation.ts", ["node:"]],
  [ERRORS, ["src/protocol"]],
  [WORKAROUNDS, ["semver"]],
  [METHODS, [ACP]],
  ["sidecar/acp/schema.ts", [ACP]],
  ["sidecar/rpc", ["src/protocol", ERRORS, METHODS, "node:", RPC]],
  ["sidecar/permissions", ["src/protocol", ERRORS, METHODS, "sidecar/rpc", "node:"]],
  ["sidecar/process", ["src/protocol", ERRORS, "sidecar/rpc", "node:"]],
  ["sidecar/review/snapshots", ["src/protocol", "sidecar/rpc", "sidecar/process", "node:"]],
  ["sidecar/review/snapshots/ignore-rules.test.ts", ["sidecar/review/snapshots", "ignore"]],
  ["sidecar/http", ["src/protocol", "sidecar/rpc", "sidecar/process", "node:"]],
  ["sidecar/http/load-proxied.ts", ["sidecar/http", "https-proxy-agent"]],
  ["sidecar/mcp", ["src/protocol", ERRORS, METHODS, "sidecar/rpc", "node:", MCP]],
  ["sidecar/proxies", ["src/protocol", ERRORS, WORKAROUNDS, METHODS, "sidecar/rpc", "sidecar/mcp", "node:", MCP]],
  [
    "sidecar/conductor",
    ["src/protocol", ERRORS, METHODS, "sidecar/rpc", "sidecar/permissions", "sidecar/mcp", "sidecar/proxies", "node:"],
  ],
  ["sidecar/acp", ["src/protocol", ERRORS, WORKAROUNDS, "sidecar/rpc", "node:"]],
  ["sidecar/eliza", [METHODS, "sidecar/rpc", "sidecar/mcp", "sidecar/process", "node:"]],
  [
    "sidecar/agents",
    [
      "src/protocol",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/process",
      "sidecar/http",
      "sidecar/mcp",
      "sidecar/proxies",
      "sidecar/conductor",
      "sidecar/acp",
      "sidecar/eliza",
      "node:",
    ],
  ],
  ["sidecar/agents/registry/versions.ts", ["semver"]],
  ["sidecar/agents/own-configuration", ["src/protocol", "sidecar/rpc", "sidecar/mcp", "node:", "jsonc-parser"]],
  [
    "sidecar/agents/install",
    [
      "src/protocol",
      ERRORS,
      "sidecar/rpc",
      "sidecar/process",
      "sidecar/http",
      "sidecar/agents",
      "node:",
      "yauzl",
      "tar-stream",
      "unbzip2-stream",
      "proper-lockfile",
    ],
  ],
  [
    "sidecar/extensions",
    [
      "src/protocol",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/process",
      "sidecar/mcp",
      "sidecar/proxies",
      "sidecar/conductor",
      "sidecar/acp",
      "sidecar/agents",
      "node:",
      MCP,
      "ignore",
    ],
  ],
  [
    "sidecar/recommendations",
    [
      "src/protocol",
      ERRORS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/http",
      "sidecar/agents",
      "sidecar/extensions",
      "node:",
      "smol-toml",
    ],
  ],
  ["sidecar/toml.d.ts", []],
  ["sidecar/agent-session", ["src/protocol", ERRORS, METHODS, "sidecar/rpc", "sidecar/acp", "sidecar/agents", "node:"]],
  ["sidecar/journal", ["src/protocol", ERRORS, "node:", "valibot"]],
  ["sidecar/review", ["src/protocol", ERRORS, "sidecar/rpc", "sidecar/process", "node:", "valibot"]],
  [
    "sidecar/chat",
    [
      "src/protocol",
      "sidecar/journal",
      "sidecar/review",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/process",
      "sidecar/acp",
      "sidecar/agents",
      "sidecar/agent-session",
      "node:",
    ],
  ],
  [
    "sidecar/sessions",
    [
      "src/protocol",
      "sidecar/journal",
      ERRORS,
      "sidecar/rpc",
      "sidecar/acp",
      "sidecar/agents",
      "sidecar/chat",
      METHODS,
      "node:",
      "valibot",
    ],
  ],
  [
    "sidecar/lm",
    [
      "src/protocol",
      "sidecar/review",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/mcp",
      "sidecar/proxies",
      "sidecar/conductor",
      "sidecar/acp",
      "sidecar/agents",
      "sidecar/agent-session",
      "node:",
      "valibot",
      MCP,
    ],
  ],
  ["sidecar/conform", ["src/protocol", ERRORS, METHODS, "sidecar/rpc", "sidecar/mcp", "node:"]],
  ["sidecar/conform/schema.ts", ["sidecar/rpc", ACP, "ajv"]],
  ["sidecar/testing", ["src/protocol", "sidecar", "scripts/time-limits.mjs", "node:", ACP, MCP, RPC]],
  ["sidecar/cli", ["src/protocol", "sidecar", "recommendations.toml", "node:", "jsonc-parser", MCP]],
  ["sidecar/main.ts", ["src/protocol", "sidecar", "node:"]],
  ["sidecar/start.ts", ["sidecar", "node:"]],

  // Tests of several programs together, and test doubles of VS Code and of processes.
  ["test", ["src", "webview", "sidecar", ...TEST]],
  ["bench", ["src", "webview", "sidecar", "scripts/vscode-box", "playwright-core", "node:", ACP]],
];
const ROOTS = ["src", "webview", "sidecar", "test", "bench"];
/** All TypeScript files of the project, except those of `scripts`. */
export const sourceFiles = (): readonly string[] =>
  ROOTS.flatMap(root =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => `${root}/${name.replaceAll("\\", "/")}`),
  ).filter(file => /\.tsx?$/.test(file));

/**
 * Modules that only these files may import, regardless of their row. Tests and the programs that they run may start
 * processes.
 */
export const ONLY: Readonly<Record<string, RegExp>> = {
  "node:child_process":
    /^src\/sidecar\/process\.ts$|^sidecar\/process\/child\.ts$|^sidecar\/testing\/(scripted-agent\/children|golden\/built-sidecar|command-run|serve-window)\.ts$|^bench\/|\.(spawn\.test|page|webview|program)\.ts$/,
  [MYNAH]: /^webview\/mynah\/(chat-ui|patch\.test)\.ts$/,
  "@dagrejs/dagre": /^webview\/diagrams\/graph-scene\.ts$/,
  temml: /^webview\/components\/tex\.ts$/,
  "webview/mynah/selectors": /^webview\/(mynah|a11y)\/|^src\/test\/page\/chat-parts\.ts$/,
  "src/protocol/testing": /\/testing\/|\.test\.ts$|^test\/|^bench\/|^src\/test\//,
  [RPC]:
    /^src\/sidecar\/(client|process)\.ts$|^sidecar\/rpc\/host-wire\.ts$|^sidecar\/testing\/(golden\/built-sidecar|serve-window)\.ts$|\.test\.ts$/,
};

/**
 * Additional imports of tests: the test doubles of their program, independent implementations, and the renderer inside
 * mynah-ui.
 */
export const forTests = (file: string) =>
  file.endsWith(".test.ts")
    ? [
        ...TEST,
        "scripts/bypass-notice.mjs",
        "scripts/time-limits.mjs",
        `${file.split("/")[0]}/testing`,
        "src/protocol/testing",
        ...(file.startsWith("sidecar/") ? [ACP, MCP, "sidecar/eliza"] : []),
        ...(file.startsWith("webview/") ? ["marked", "webview/view-model"] : []),
      ]
    : [];
