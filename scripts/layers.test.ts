import { deepEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import ts from "typescript";

const ACP = "@agentclientprotocol/sdk",
  MCP = "@modelcontextprotocol/sdk",
  RPC = "vscode-jsonrpc",
  MYNAH = "@aws/mynah-ui",
  TEST = ["node:", "fast-check", "typescript"];
const ERRORS = "sidecar/errors.ts",
  WORKAROUNDS = "sidecar/agent-workarounds.ts";
/** The modules that every part of the extension host may import. */
const HOST_BASE = ["src/clock.ts", "src/deferred.ts", "src/errors.ts", "src/log.ts"];

/**
 * The permitted imports, one row per folder, lowest layer first. A file belongs to the row of the longest matching
 * folder. A folder may import itself, and project folders only from rows above its own, so cycles are impossible. A
 * file without a row is an error.
 */
const LAYERS: readonly [folder: string, mayImport: readonly string[]][] = [
  ["src/protocol", []],

  ["src/clock.ts", []],
  ["src/deferred.ts", []],
  ["src/names.ts", []],
  ["src/errors.ts", ["src/protocol"]],
  ["src/log.ts", ["src/protocol", "vscode"]],
  ["src/sidecar", ["src/protocol", ...HOST_BASE, "vscode", "node:", RPC]],
  ["src/settings/store", ["src/protocol", "src/names.ts", "src/errors.ts", "src/log.ts", "vscode", "node:"]],
  ["src/editor", ["src/protocol", ...HOST_BASE, "vscode", "node:", "ignore"]],
  [
    "src/chat",
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
  ["src/lm", ["src/protocol", ...HOST_BASE, "src/settings/store", "vscode"]],
  [
    "src/settings/view",
    ["src/protocol", ...HOST_BASE, "src/names.ts", "src/sidecar", "src/settings/store", "src/chat", "vscode"],
  ],
  ["src/testing", ["src", "node:"]],
  [
    "src/commands.ts",
    ["src/protocol", "src/names.ts", "src/settings/store", "src/editor", "src/chat", "vscode", "node:"],
  ],
  ["src/extension.ts", ["src", "vscode", "node:"]],
  ["src/manifest.test.ts", ["src"]],
  [
    "src/test",
    ["src", "scripts/vscode-box", "scripts/seed.mjs", "scripts/time-limits.mjs", "vscode", "playwright-core", ...TEST],
  ],

  ["webview/page-clock.ts", []],
  ["webview/state", ["src/protocol", "webview/page-clock.ts", "uuid"]],
  ["webview/view-model", ["src/protocol", "webview/page-clock.ts", "webview/state"]],
  ["webview/components", ["src/protocol", "webview/state", "webview/view-model", "uuid"]],
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
  ["webview/main.ts", ["src/protocol", "webview", "uuid"]],
  [
    "webview/settings",
    [
      "src/protocol",
      "webview/page-clock.ts",
      "webview/state/save-schedule.ts",
      "webview/view-model/markdown-safe.ts",
      "webview/components/dom.ts",
    ],
  ],
  ["webview/testing", ["src/protocol", "webview", "fast-check"]],

  [ERRORS, ["src/protocol"]],
  [WORKAROUNDS, []],
  ["sidecar/rpc", ["src/protocol", ERRORS, "node:", RPC]],
  ["sidecar/permissions", ["src/protocol", ERRORS, "sidecar/rpc", "node:"]],
  ["sidecar/process", ["src/protocol", ERRORS, "sidecar/rpc", "node:"]],
  ["sidecar/http", ["src/protocol", "sidecar/rpc", "sidecar/process", "node:"]],
  ["sidecar/http/load-proxied.ts", ["sidecar/http", "https-proxy-agent"]],
  ["sidecar/mcp", ["src/protocol", ERRORS, "sidecar/rpc", "node:", MCP]],
  ["sidecar/proxies", ["src/protocol", ERRORS, WORKAROUNDS, "sidecar/rpc", "sidecar/mcp", "node:", MCP]],
  [
    "sidecar/conductor",
    ["src/protocol", ERRORS, "sidecar/rpc", "sidecar/permissions", "sidecar/mcp", "sidecar/proxies", "node:"],
  ],
  ["sidecar/acp", ["src/protocol", ERRORS, WORKAROUNDS, "sidecar/rpc", "node:"]],
  ["sidecar/eliza", ["sidecar/rpc", "sidecar/mcp", "sidecar/process", "node:"]],
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
    "sidecar/chat",
    [
      "src/protocol",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/process",
      "sidecar/acp",
      "sidecar/agents",
      "node:",
    ],
  ],
  [
    "sidecar/lm",
    [
      "src/protocol",
      ERRORS,
      WORKAROUNDS,
      "sidecar/rpc",
      "sidecar/permissions",
      "sidecar/mcp",
      "sidecar/proxies",
      "sidecar/conductor",
      "sidecar/acp",
      "sidecar/agents",
      "node:",
      MCP,
    ],
  ],
  ["sidecar/conform", ["src/protocol", ERRORS, "sidecar/rpc", "node:"]],
  ["sidecar/conform/schema.ts", ["sidecar/rpc", ACP, "ajv"]],
  ["sidecar/testing", ["src/protocol", "sidecar", "scripts/time-limits.mjs", "node:", ACP, MCP]],
  ["sidecar/cli", ["src/protocol", "sidecar", "node:", "jsonc-parser", MCP]],
  ["sidecar/main.ts", ["src/protocol", "sidecar", "node:"]],

  // Tests of several programs together, and test doubles of VS Code and of processes.
  ["test", ["src", "webview", "sidecar", ...TEST]],
  ["bench", ["src", "webview", "sidecar", "scripts/vscode-box", "playwright-core", "node:", ACP]],
];
const ROOTS = ["src", "webview", "sidecar", "test", "bench"];

/**
 * Modules that only these files may import, whatever their row says. Tests and the programs that they run may start
 * processes.
 */
const ONLY: Readonly<Record<string, RegExp>> = {
  "node:child_process":
    /^src\/sidecar\/process\.ts$|^sidecar\/process\/child\.ts$|^sidecar\/testing\/scripted-agent\/children\.ts$|^bench\/|\.(spawn\.test|page|program)\.ts$/,
  [MYNAH]: /^webview\/mynah\/chat-ui\.ts$/,
  [RPC]: /^src\/sidecar\/(client|process)\.ts$|^sidecar\/rpc\/host-wire\.ts$|\.test\.ts$/,
};

/**
 * Additional imports of tests: the test doubles of their program, independent implementations, and the renderer inside
 * mynah-ui.
 */
const forTests = (file: string) =>
  file.endsWith(".test.ts")
    ? [
        ...TEST,
        "scripts/time-limits.mjs",
        `${file.split("/")[0]}/testing`,
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
  const allowed = [row[0], ...row[1], ...forTests(file)];
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

suite("layers", () => {
  test("every import goes down the layers", () => {
    const files = ROOTS.flatMap(root =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map(name => `${root}/${name.replaceAll("\\", "/")}`),
    ).filter(file => /\.tsx?$/.test(file));
    deepEqual(
      files.flatMap(file => violations(file, readFileSync(file, "utf8"))),
      [],
    );
  });

  test("a row imports only rows above it", () => {
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

  test("a row is of something that is there", () =>
    deepEqual(
      LAYERS.filter(([folder]) => !existsSync(folder)).map(([folder]) => folder),
      [],
    ));

  const refused: readonly [file: string, source: string][] = [
    ["src/protocol/chat.ts", `import type { Uri } from "vscode"`],
    ["src/protocol/chat.ts", `import { randomUUID } from "node:crypto"`],
    ["src/chat/view.ts", `import { ndJsonStream } from '@agentclientprotocol/sdk'`],
    ["src/chat/view.ts", `import "node:child_process"`],
    ["src/chat/view.ts", `import { registerCommands } from "../commands"`],
    ["src/chat/view.ts", `import { FakeClock } from "../testing/fake-clock"`],
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
    ["sidecar/permissions/policy.ts", `import * as vscode from "vscode"`],
    ["sidecar/agents/launch.ts", `import { fake } from "../testing/fake-agent"`],
    ["sidecar/agents/pool.test.ts", `import { Session } from "../chat/session"`],
    ["webview/view-model/render.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["webview/main.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["webview/main.ts", `import { readFileSync } from "fs"`],
    ["sidecar/newcomer/index.ts", ``],
    ["webview/components/newcomer.ts", `import left from "left-pad"`],
    ["webview/components/newcomer.ts", `import { box } from "../mynah/chat-ui"`],
  ];
  for (const [file, source] of refused)
    test(`refused: ${file}: ${source}`, () => deepEqual(violations(file, source).length, 1));

  const accepted: readonly [file: string, source: string][] = [
    [
      "src/sidecar/process.ts",
      `import { spawn } from "node:child_process"; import { createMessageConnection } from "vscode-jsonrpc/node"`,
    ],
    ["sidecar/process/child.ts", `import { spawn } from "child_process"`],
    [
      "sidecar/process/stdio-process.spawn.test.ts",
      `import { spawn } from "child_process"; import { FakeClock } from "../testing/fake-clock"`,
    ],
    ["sidecar/testing/hanging.program.ts", `import { spawn } from "child_process"`],
    ["sidecar/eliza/tools.ts", `import { connect } from "../mcp/client"`],
    [
      "src/chat/view.ts",
      `import { log } from "../log"; import type { Event } from "../protocol/chat"; // import "node:child_process"`,
    ],
    ["webview/mynah/chat-ui.ts", `import { MynahUI } from "@aws/mynah-ui"`],
    ["sidecar/chat/outbox.test.ts", `import fc from "fast-check"; import { Outbox } from "./outbox"`],
  ];
  for (const [file, source] of accepted)
    test(`accepted: ${file}: ${source}`, () => deepEqual(violations(file, source), []));
});
