/**
 * What agents made of files, or want to make of them, beside what was there: VS Code's own diff editor.
 *
 * Invariants: texts of proposals are documents of a scheme of ours, read-only; the last twenty pairs are kept, older
 * ones are empty where they are still shown.
 */
import path from "node:path";
import * as vscode from "vscode";
import type { Change } from "../../protocol/webview";
import type { TextFiles } from "./text-files";

const MOST_PAIRS = 20;

export class Proposals implements vscode.Disposable {
  /** By the query of the address. */
  readonly #pairs = new Map<string, { readonly before: string; readonly after: string }>();
  #made = 0;
  readonly #registration: vscode.Disposable;

  constructor(
    private readonly files: TextFiles,
    private readonly folders: () => readonly string[],
    private readonly scheme = "symposium-proposal",
  ) {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: uri => this.textOf(uri),
    });
  }

  /** Of a document of the scheme; empty when it is not kept any more. */
  textOf({ query, fragment }: vscode.Uri): string {
    return this.#pairs.get(query)?.[fragment === "before" ? "before" : "after"] ?? "";
  }

  /** `agent`: its name. On the right is the file itself, to be changed, where it is as proposed already. */
  async show({ path: file, oldText = "", newText }: Change, agent: string): Promise<void> {
    const query = String(++this.#made);
    this.#pairs.set(query, { before: oldText, after: newText });
    const [oldest] = this.#pairs.keys();
    if (this.#pairs.size > MOST_PAIRS && oldest !== undefined) this.#pairs.delete(oldest);
    const of = (fragment: string): vscode.Uri =>
      vscode.Uri.from({ scheme: this.scheme, path: vscode.Uri.file(file).path, query, fragment });
    const right = (await this.#isDone(file, newText)) ? vscode.Uri.file(file) : of("after");
    await vscode.commands.executeCommand(
      "vscode.diff",
      of("before"),
      right,
      `${path.basename(file)} (proposed by ${agent})`,
      { preview: true } satisfies vscode.TextDocumentShowOptions,
    );
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #isDone(file: string, newText: string): Promise<boolean> {
    if (
      !this.folders()
        .map(folder => path.relative(folder, file))
        .some(rest => !rest.startsWith("..") && !path.isAbsolute(rest))
    )
      return false;
    const plain = (text: string): string => text.replaceAll("\r\n", "\n");
    try {
      return plain(await this.files.read(file)) === plain(newText);
    } catch {
      return false;
    }
  }
}
