/** Workspace symbols from the language servers. */
import * as vscode from "vscode";
import type { FileIndex } from "./file-index";
import type { Named } from "./mention-list";
import { target } from "./mention-match";

/** Symbols in files of the workspace only. */
export async function workspaceSymbols(query: string, index: FileIndex): Promise<readonly Named[]> {
  return (await found(query)).flatMap(symbol => named(symbol, index));
}

/** `line` and `column` count from 1. */
export interface SymbolPlace {
  readonly name: string;
  readonly container: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** As `workspaceSymbols`, with the places of the names. */
export async function symbolPlaces(query: string, index: FileIndex): Promise<readonly SymbolPlace[]> {
  return (await found(query))
    .filter(({ location: { uri } }) => uri.scheme === "file" && index.isOurs(uri))
    .map(({ name, containerName, location }) => {
      const start = startOf(location.range);
      return {
        name,
        container: containerName,
        path: location.uri.fsPath,
        line: (start?.line ?? 0) + 1,
        column: (start?.character ?? 0) + 1,
      };
    });
}

async function found(query: string): Promise<readonly vscode.SymbolInformation[]> {
  const symbols: unknown = await vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", query);
  return (Array.isArray(symbols) ? symbols : []).filter(each => each instanceof vscode.SymbolInformation);
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

const startOf = (range: vscode.Range | undefined): vscode.Position | undefined => range?.start;
