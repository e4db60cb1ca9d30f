import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import ts from "typescript";
import * as acp from "../sidecar/acp/methods";
import { LSP_METHODS } from "../sidecar/extensions/ide/lsp-methods";
import { MCP_METHODS, STATELESS_METHODS } from "../sidecar/mcp/methods";
import { sourceFiles } from "./layers";

/** The modules with the method names of the protocols. */
const METHOD_TABLES: ReadonlySet<string> = new Set([
  "sidecar/acp/methods.ts",
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

suite("method names", () => {
  test("are only in the method tables", () =>
    deepEqual(
      sourceFiles().flatMap(file => methodLiterals(file, readFileSync(file, "utf8"))),
      [],
    ));

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
    test(`${count} in ${file}: ${source}`, () => deepEqual(methodLiterals(file, source).length, count));
});
