import { deepEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import ts from "typescript";
import * as acp from "../sidecar/acp/methods";
import { LSP_METHODS } from "../sidecar/extensions/ide/lsp-methods";
import { MCP_METHODS, STATELESS_METHODS } from "../sidecar/mcp/methods";

const ACP = "@agentclientprotocol/sdk",
  MCP = "@modelcontextprotocol/sdk",
  RPC = "vscode-jsonrpc",
  MYNAH = "@aws/mynah-ui",
  TEST = ["node:", "fast-check", "typescript"];
const ERRORS = "sidecar/errors.ts",
  WORKAROUNDS = "sidecar/agent-workarounds.ts",
  METHODS = "sidecar/acp/methods.ts";
/** The modules that every part of the extension host may import. */
const HOST_BASE = [
  "src/clock.ts",
  "src/deferred.ts",
  "src/errors.ts",
  "src/log.ts",
  "src/notifications.ts",
  "src/translation.ts",
];
/** Every folder contains texts for the user. */
const TEXTS = "@vscode/l10n";

/**
 * The permitted imports, one row per folder, lowest layer first. A file belongs to the row of the longest matching
 * folder. A folder may import itself, and project folders only from rows above its own, so cycles are impossible. A
 * file without a row is an error.
 */
const LAYERS: readonly [folder: string, mayImport: readonly string[]][] = [
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
  ["src/deferred.ts", []],
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

/**
 * Modules that only these files may import, regardless of their row. Tests and the programs that they run may start
 * processes.
 */
const ONLY: Readonly<Record<string, RegExp>> = {
  "node:child_process":
    /^src\/sidecar\/process\.ts$|^sidecar\/process\/child\.ts$|^sidecar\/testing\/(scripted-agent\/children|golden\/built-sidecar|command-run)\.ts$|^bench\/|\.(spawn\.test|page|webview|program)\.ts$/,
  [MYNAH]: /^webview\/mynah\/(chat-ui|patch\.test)\.ts$/,
  "@dagrejs/dagre": /^webview\/diagrams\/graph-scene\.ts$/,
  temml: /^webview\/components\/tex\.ts$/,
  "webview/mynah/selectors": /^webview\/(mynah|a11y)\/|^src\/test\/page\/chat-parts\.ts$/,
  "src/protocol/testing": /\/testing\/|\.test\.ts$|^test\/|^bench\/|^src\/test\//,
  [RPC]:
    /^src\/sidecar\/(client|process)\.ts$|^sidecar\/rpc\/host-wire\.ts$|^sidecar\/testing\/golden\/built-sidecar\.ts$|\.test\.ts$/,
};

/**
 * Additional imports of tests: the test doubles of their program, independent implementations, and the renderer inside
 * mynah-ui.
 */
const forTests = (file: string) =>
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

const within = (target: string, folder: string) =>
  folder.endsWith(":") ? target.startsWith(folder) : target === folder || target.startsWith(folder + "/");
const withoutSuffix = (file: string) => file.replace(/\.ts$/, "");
/** A test belongs to the row of the module beside it. */
const tested = (file: string) => file.replace(/(\.spawn)?\.test\.ts$/, ".ts");

/**
 * Forbidden imports of this file. The compiler finds the imports: static, type, side-effect, `import()`, `require()`.
 */
function violations(file: string, source: string): string[] {
  const row = LAYERS.filter(([folder]) => within(file, folder) || within(tested(file), folder)).sort(
    ([a], [b]) => b.length - a.length,
  )[0];
  if (!row) return [`${file}: no row in LAYERS`];
  const allowed = [row[0], ...row[1], TEXTS, ...forTests(file)];
  return ts.preProcessFile(source, true, true).importedFiles.flatMap(({ fileName }) => {
    const target = fileName.startsWith(".")
      ? join(dirname(file), fileName)
      : isBuiltin(fileName)
        ? `node:${fileName.replace(/^node:/, "")}`
        : fileName;
    const named = Object.keys(ONLY).find(module => within(target, module));
    const ok = named
      ? ONLY[named]!.test(file)
      : allowed.some(folder => within(target, folder) || within(target, withoutSuffix(folder)));
    return ok ? [] : [`${file} → ${target}`];
  });
}

/** The project's files that this file imports, also by type. */
function importedFiles(file: string): readonly string[] {
  return ts.preProcessFile(readFileSync(file, "utf8"), true, true).importedFiles.flatMap(({ fileName }) => {
    if (!fileName.startsWith(".")) return [];
    const target = join(dirname(file), fileName);
    return [target, `${target}.ts`, `${target}/index.ts`].filter(name => name.endsWith(".ts") && existsSync(name));
  });
}

/** One cycle of each part of the graph that has cycles: its nodes in the order of the edges. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = [],
    done = new Set<string>(),
    path: string[] = [];
  const visit = (node: string): boolean => {
    const at = path.indexOf(node);
    if (at !== -1) {
      found.push(path.slice(at));
      return true;
    }
    if (done.has(node)) return false;
    path.push(node);
    const isPart = (graph.get(node) ?? []).some(visit);
    path.pop();
    done.add(node);
    return isPart;
  };
  for (const node of graph.keys()) visit(node);
  return found;
}

/** The modules with the method names of the protocols. */
const METHOD_TABLES: ReadonlySet<string> = new Set([
  METHODS,
  "sidecar/mcp/methods.ts",
  "sidecar/extensions/ide/lsp-methods.ts",
]);
const namesIn = (table: object): readonly string[] =>
  Object.values(table).flatMap((entry: unknown) =>
    typeof entry === "object" && entry !== null ? namesIn(entry) : [String(entry)],
  );
/** Method names that also have other meanings. */
const AMBIGUOUS: readonly string[] = [
  MCP_METHODS.ping,
  LSP_METHODS.shutdown,
  LSP_METHODS.exit,
  acp.UPDATE_KINDS.plan,
  acp.UPDATE_KINDS.notice,
  acp.UPDATE_KINDS.tool_call,
];
const METHOD_NAMES: ReadonlySet<string> = new Set(
  namesIn([acp, MCP_METHODS, STATELESS_METHODS, LSP_METHODS]).filter(name => !AMBIGUOUS.includes(name)),
);
/** A method name of ACP, also a name that is missing in the tables. */
const ACP_NAME = /^(session|fs|terminal|elicitation|auth|providers|tool_call|_?mcp|_?proxy)\/[a-z_/]+$/;
/** Files without a match are not parsed. */
const QUOTED = /["'`](initialize|authenticate|logout|\$\/|(?!\.)[\w.]+\/|[a-z]+_[a-z_]+["'`])/;
const isProduction = (file: string): boolean =>
  /^(src|webview|sidecar)\//.test(file) && !/\.test\.ts$|^src\/test\/|^(\w+|src\/protocol)\/testing\//.test(file);

/**
 * The method names of ACP, MCP and LSP, and the kinds of `session/update`, that a production file contains as literals
 * (issue 15 item 2). A type may use a name without a slash with another meaning. The `id` of a rule is not a method.
 */
function methodLiterals(file: string, source: string): string[] {
  if (!isProduction(file) || METHOD_TABLES.has(file) || !QUOTED.test(source)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isExternalModuleReference(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      const isWord = !node.text.includes("/") && ts.isLiteralTypeNode(node.parent),
        holder = ts.isTemplateHead(node) ? node.parent.parent : node.parent,
        isId = ts.isPropertyAssignment(holder) && holder.name.getText() === "id";
      if (
        !isWord &&
        !isId &&
        (METHOD_NAMES.has(node.text) || ACP_NAME.test(ts.isTemplateHead(node) ? `${node.text}x` : node.text))
      )
        found.push(`${file}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

suite("layers", () => {
  test("allows only downward imports", () => {
    const files = ROOTS.flatMap(root =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => `${root}/${name.replaceAll("\\", "/")}`),
    ).filter(file => /\.tsx?$/.test(file));
    deepEqual(
      files.flatMap(file => violations(file, readFileSync(file, "utf8"))),
      [],
    );
  });

  test("contains no import cycle", () => {
    const files = ROOTS.flatMap(root =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => join(root, name.replaceAll("\\", "/"))),
    ).filter(file => /\.tsx?$/.test(file));
    deepEqual(cycles(new Map(files.map(file => [file, importedFiles(file)]))), []);
  });

  test("detects an import cycle", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["b"]],
      ["d", ["e"]],
      ["e", []],
    ]);
    deepEqual(cycles(graph), [["b", "c"]]);
    deepEqual(cycles(new Map([...graph, ["c", []], ["e", ["a"]]])), [["a", "b", "d", "e"]]);
    deepEqual(cycles(new Map([...graph, ["c", []]])), []);
  });

  test("contains method names only in the method tables", () => {
    const files = ["src", "webview", "sidecar"].flatMap(root =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => `${root}/${name.replaceAll("\\", "/")}`),
    );
    deepEqual(
      files.filter(file => file.endsWith(".ts")).flatMap(file => methodLiterals(file, readFileSync(file, "utf8"))),
      [],
    );
  });

  test("permits only imports from earlier rows", () => {
    const upward = LAYERS.flatMap(([folder, mayImport], i) =>
      mayImport
        .filter(target => /^(src|webview|sidecar)\b/.test(target) && !["src", "webview", "sidecar"].includes(target))
        .filter(
          target =>
            !LAYERS.slice(0, i).some(([above]) => above === target) &&
            !(folder.startsWith("webview/") && target.startsWith("webview/")),
        )
        .map(target => `${folder} → ${target}`),
    );
    deepEqual(upward, []);
  });

  test("refers to existing folders", () =>
    deepEqual(
      LAYERS.filter(([folder]) => !existsSync(folder)).map(([folder]) => folder),
      [],
    ));

  const rejected: readonly [file: string, source: string][] = [
    ["src/protocol/chat/chat.ts", `import type { Uri } from "vscode"`],
    ["src/protocol/chat/chat.ts", `import { randomUUID } from "node:crypto"`],
    ["src/chat/view.ts", `import { ndJsonStream } from '@agentclientprotocol/sdk'`],
    ["src/chat/view.ts", `import "node:child_process"`],
    ["src/chat/view.ts", `import { registerCommands } from "../commands"`],
    ["src/chat/view.ts", `import { FakeClock } from "../protocol/testing/fake-clock"`],
    ["src/settings/store/configuration.ts", `const { spawn } = require('child_process')`],
    ["src/editor/terminal.ts", `const cp = await import("node:child_process")`],
    ["src/sidecar/supervisor.ts", `import { spawn } from "node:child_process"`],
    ["src/newcomer.ts", ``],
    ["sidecar/mcp/bridge.ts", `import { spawn } from "node:child_process"`],
    ["sidecar/testing/scripted.ts", `import { spawn } from "node:child_process"`],
    ["sidecar/rpc/peer.ts", `import * as acp from "@agentclientprotocol/sdk"`],
    ["sidecar/rpc/peer.ts", `import { createMessageConnection } from "vscode-jsonrpc/node"`],
    ["src/chat/view.ts", `export * from "../../sidecar/chat/session"`],
    ["src/chat/view.ts", `import rpc = require("vscode-jsonrpc/node")`],
    ["sidecar/agents/pool.ts", `type S = import("../chat/session").Session`],
    ["sidecar/permissions/bypass-policy.ts", `import * as vscode from "vscode"`],
    ["sidecar/agents/launch.ts", `import { fake } from "../testing/fake-agent"`],
    ["sidecar/agents/pool.test.ts", `import { Session } from "../chat/session"`],
    ["webview/view-model/cards/render.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["webview/main.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["webview/main.ts", `import { readFileSync } from "fs"`],
    ["sidecar/newcomer/index.ts", ``],
    ["webview/components/newcomer.ts", `import left from "left-pad"`],
    ["webview/components/newcomer.ts", `import { box } from "../mynah/chat-ui"`],
    ["webview/runtime/runtime.ts", `import { selectors } from "../mynah/selectors"`],
    ["src/test/page/chat.page.ts", `import { selectors } from "../../../webview/mynah/selectors"`],
  ];
  for (const [file, source] of rejected)
    test(`rejects ${file}: ${source}`, () => deepEqual(violations(file, source).length, 1));

  const accepted: readonly [file: string, source: string][] = [
    [
      "src/sidecar/process.ts",
      `import { spawn } from "node:child_process"; import { createMessageConnection } from "vscode-jsonrpc/node"`,
    ],
    ["sidecar/process/child.ts", `import { spawn } from "child_process"`],
    [
      "sidecar/process/stdio-process.spawn.test.ts",
      `import { spawn } from "child_process"; import { FakeClock } from "../../src/protocol/testing/fake-clock"`,
    ],
    ["sidecar/testing/programs/hanging.program.ts", `import { spawn } from "child_process"`],
    ["sidecar/eliza/tool-commands.ts", `import { connect } from "../mcp/client"`],
    [
      "src/chat/view.ts",
      `import { log } from "../log"; import type { Event } from "../protocol/chat/chat"; // import "node:child_process"`,
    ],
    ["webview/mynah/chat-ui.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["src/test/page/chat-parts.ts", `import { selectors } from "../../../webview/mynah/selectors"`],
    ["sidecar/chat/outbox.test.ts", `import fc from "fast-check"; import { Outbox } from "./outbox"`],
  ];
  for (const [file, source] of accepted)
    test(`accepts ${file}: ${source}`, () => deepEqual(violations(file, source), []));

  const literals: readonly [file: string, source: string, count: number][] = [
    ["sidecar/chat/session.ts", `peer.request("session/prompt", {})`, 1],
    ["sidecar/chat/session.ts", "peer.notify(`session/cancel`)", 1],
    ["sidecar/chat/session.ts", "peer.request(`session/${how}`)", 1],
    ["sidecar/chat/session.ts", `switch (method) { case "initialize": case "$/cancel_request": }`, 2],
    ["sidecar/chat/session.ts", `const handlers = { "fs/read_text_file": read, "session/not_in_a_table": no }`, 2],
    ["sidecar/conductor/trace.ts", `type Envelope = "proxy/successor"`, 1],
    ["sidecar/mcp/mcp-peer.ts", `notify("notifications/cancelled")`, 1],
    ["webview/main.ts", `const method = "_symposium.dev/ide_operation"`, 1],
    ["sidecar/chat/session.ts", `peer.request(AGENT_METHODS.session_prompt) // "session/prompt"`, 0],
    ["sidecar/chat/session.ts", `import { x } from "mcp/x"; type Way = Pick<Connection, "authenticate">`, 0],
    ["sidecar/conform/rules/proxy-initialize-rules.ts", `const rule = { id: "proxy/initialize" }`, 0],
    [
      "sidecar/lm/updates.ts",
      `switch (update.sessionUpdate) { case "agent_message_chunk": case "tool_call_update": }`,
      2,
    ],
    ["sidecar/lm/updates.ts", `const update = { sessionUpdate: UPDATE_KINDS.tool_call_update, kind: "plan" }`, 0],
    ["sidecar/acp/methods.ts", `const method = "session/prompt"`, 0],
    ["sidecar/chat/session.test.ts", `peer.request("session/prompt", {})`, 0],
    ["sidecar/testing/drive.ts", `peer.request("session/prompt", {})`, 0],
  ];
  for (const [file, source, count] of literals)
    test(`${count} method names: ${file}: ${source}`, () => deepEqual(methodLiterals(file, source).length, count));
});
