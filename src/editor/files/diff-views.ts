/**
 * Shows changes that agents made or propose in VS Code's diff editor, and attached texts.
 *
 * Invariants:
 * - Proposed and attached texts are read-only documents with this extension's URI scheme.
 * - At most `MAX_PAIRS` pairs are stored. Documents of evicted pairs are empty.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import * as vscode from "vscode";
import { wholeChange } from "../../protocol/chat/whole-change";
import type { Change } from "../../protocol/page/host-to-page";
import type { TextFiles } from "./text-files";

const MAX_PAIRS = 20;

interface Pair {
  readonly before: string;
  readonly after: string;
}

export class Proposals implements vscode.Disposable {
  /** Pairs of texts by the query of their URI. */
  readonly #pairs = new Map<string, Pair>();
  #pairCount = 0;
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

  /** The text of a document of the scheme; empty if the pair was evicted. */
  textOf({ query, fragment }: vscode.Uri): string {
    return this.#pairs.get(query)?.[fragment === "before" ? "before" : "after"] ?? "";
  }

  /**
   * `agent`: its display name. An excerpt is shown in its file. If the file already has the proposed text, the right
   * side is the editable file itself.
   */
  async show({ path: file, oldText = "", newText }: Change, agent: string): Promise<void> {
    const text = await this.#textIn(file),
      whole = text === undefined ? undefined : wholeChange(text, oldText, newText);
    const query = this.#store(whole ?? { before: oldText, after: newText });
    const sideOf = (fragment: string): vscode.Uri =>
      vscode.Uri.from({ scheme: this.scheme, path: vscode.Uri.file(file).path, query, fragment });
    const right = whole?.isApplied === true ? vscode.Uri.file(file) : sideOf("after");
    await vscode.commands.executeCommand(
      "vscode.diff",
      sideOf("before"),
      right,
      l10n.t`${path.basename(file)} (proposed by ${agent})`,
      { preview: true } satisfies vscode.TextDocumentShowOptions,
    );
  }

  /** Plain text, because other document languages may add links. */
  async showText(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: this.scheme,
      path: `/${title.replaceAll(/[\\/]/g, " ")}`,
      query: this.#store({ before: "", after: text }),
    });
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  #store(pair: Pair): string {
    const query = String(++this.#pairCount);
    this.#pairs.set(query, pair);
    const [oldest] = this.#pairs.keys();
    if (this.#pairs.size > MAX_PAIRS && oldest !== undefined) this.#pairs.delete(oldest);
    return query;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** `undefined`: the file is outside the workspace, or cannot be read. */
  async #textIn(file: string): Promise<string | undefined> {
    const isInside = this.folders()
      .map(folder => path.relative(folder, file))
      .some(relative => !relative.startsWith("..") && !path.isAbsolute(relative));
    return isInside ? this.files.read(file).catch(() => undefined) : undefined;
  }
}
