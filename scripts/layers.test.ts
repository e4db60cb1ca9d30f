import { deepEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import ts from "typescript";
import { forTests, LAYERS, ONLY, sourceFiles, TEXTS } from "./layers";

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

suite("layers", () => {
  test("allows only downward imports", () =>
    deepEqual(
      sourceFiles().flatMap(file => violations(file, readFileSync(file, "utf8"))),
      [],
    ));

  test("contains no import cycle", () =>
    deepEqual(cycles(new Map(sourceFiles().map(file => [file, importedFiles(file)]))), []));

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
});
