/** Opens files and symbols that answers name. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { FoundFile } from "../../protocol/page/host-to-page";
import { addressOf, type FilePlace } from "../files/links";
import type { NamedFiles } from "../files/named-files";
import type { SymbolPlace } from "../mentions/workspace-symbols";
import { symbolsNamed } from "./symbol-match";

export class AnswerNames {
  constructor(
    private readonly names: Pick<NamedFiles, "find">,
    private readonly symbols: (query: string) => Promise<readonly SymbolPlace[]>,
  ) {}

  async files(names: readonly string[], cwd?: string): Promise<readonly FoundFile[]> {
    const found = await this.names.find(names, cwd);
    return [...found].map(([name, place]) => ({ name, href: addressOf(place), place: placeText(place) }));
  }

  /** Rejects with a message for the user. */
  async openSymbol(name: string): Promise<void> {
    const query = /[^.:#]+$/.exec(name)?.[0] ?? name,
      found = symbolsNamed(name, await this.symbols(query));
    if (found.length === 0) throw new Error(l10n.t`No symbol named “${name}” was found in this workspace.`);
    const picked = found.length === 1 ? found[0] : await pick(name, found);
    if (picked === undefined) return;
    const at = new vscode.Position(picked.line - 1, picked.column - 1);
    await vscode.window.showTextDocument(vscode.Uri.file(picked.path), { selection: new vscode.Range(at, at) });
  }
}

function placeText({ path, line }: FilePlace): string {
  const relative = vscode.workspace.asRelativePath(path);
  return line === undefined ? relative : `${relative}:${line}`;
}

async function pick(name: string, found: readonly SymbolPlace[]): Promise<SymbolPlace | undefined> {
  const items = found.map(symbol => ({
    label: symbol.name,
    description: symbol.container,
    detail: placeText(symbol),
    symbol,
  }));
  const placeHolder = l10n.t`${found.length} symbols are named “${name}”`;
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.symbol;
}
