/** Workspace symbols from the language servers. */
import * as vscode from "vscode";
import type { FileIndex } from "./file-index";
import type { Named } from "./mention-list";
import { target } from "./mention-match";

/** Symbols in files of the workspace only. */
export async function workspaceSymbols(query: string, index: FileIndex): Promise<readonly Named[]> {
  const found: unknown = await vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", query);
  return (Array.isArray(found) ? found : []).flatMap((each: unknown): readonly Named[] =>
    each instanceof vscode.SymbolInformation ? named(each, index) : [],
  );
}

function named(
  { name: given, kind, location: { uri, range } }: vscode.SymbolInformation,
  index: FileIndex,
): readonly Named[] {
  if (uri.scheme !== "file" || !index.isOurs(uri)) return [];
  const name = given.replace(/\(\)$/, "");
  if (name === "") return [];
  const { path: where } = index.place(uri).target;
  return [
    {
      kind: "symbol",
      name,
      what: (vscode.SymbolKind[kind] ?? "symbol").toLowerCase(),
      path: uri.fsPath,
      where,
      ...linesOf(range),
      target: target(name),
    },
  ];
}

/** A server may omit the range until the symbol is resolved. */
function linesOf(range: vscode.Range | undefined): { readonly startLine: number; readonly endLine: number } {
  return { startLine: (range?.start.line ?? 0) + 1, endLine: (range?.end.line ?? 0) + 1 };
}
