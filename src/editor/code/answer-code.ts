/**
 * Inserts the code of an answer at the cursor, or proposes it as a change of a file, which the user applies or discards
 * in the diff editor.
 *
 * Invariants:
 * - A file changes only by `apply`, and only if it still has the text that the diff showed.
 * - Only files of the workspace are proposed, after links are resolved.
 * - Each change is one undo step of its editor.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import * as vscode from "vscode";
import type { CodeFiles } from "../../protocol/page/host-to-page";
import { changedPart } from "../files/changed-part";
import type { NamedFiles } from "../files/named-files";
import { placeCode, placed, type TextRange } from "./place-code";

/** Scheme of the proposed text. `package.json` offers its commands in editors of this scheme. */
export const CODE_SCHEME = "symposium-code";
const MAX_PROPOSALS = 20;

export interface AnswerCodeDeps {
  readonly names: Pick<NamedFiles, "find" | "pathOf">;
  /** See `workspace-files.ts`. */
  isFile(file: string): Promise<boolean>;
  isNew(file: string): Promise<boolean>;
  /** Absolute paths of the workspace's files. */
  listed(): Promise<readonly string[]>;
  create(file: string, text: string): Promise<void>;
}

interface Proposal {
  readonly file: vscode.Uri;
  /** `undefined`: the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

/** `message` is for the user. */
class CodeNotUsed extends Error {
  override readonly name = "CodeNotUsed";
}

export class AnswerCode implements vscode.Disposable {
  #editor = vscode.window.activeTextEditor;
  /** By the query of their URI. */
  readonly #proposals = new Map<string, Proposal>();
  #count = 0;
  readonly #owned: vscode.Disposable;

  constructor(
    private readonly deps: AnswerCodeDeps,
    private readonly scheme = CODE_SCHEME,
  ) {
    this.#owned = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(editor => {
        if (editor !== undefined && isEditable(editor)) this.#editor = editor;
      }),
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: ({ query, fragment }) => {
          const proposal = this.#proposals.get(query);
          return (fragment === "before" ? proposal?.before : proposal?.after) ?? "";
        },
      }),
    );
  }

  /** Rejects with a message for the user. */
  async insert(code: string): Promise<void> {
    const editor = this.#lastEditor();
    if (editor === undefined)
      throw new CodeNotUsed(l10n.t("No file is open. Open a file and set the cursor where the code belongs."));
    const { document, viewColumn } = editor;
    if (!(await editor.edit(edit => edit.replace(editor.selection, code.replace(/\r?\n$/, "")))))
      throw new CodeNotUsed(l10n.t`${path.basename(document.fileName)} could not be changed.`);
    await vscode.window.showTextDocument(document, viewColumn === undefined ? {} : { viewColumn });
  }

  /** Rejects with a message for the user. Without a known file, the user picks one. */
  async propose(code: string, files: CodeFiles, cwd?: string): Promise<void> {
    const file = await this.#fileOf(files, cwd);
    if (file === undefined) return;
    const proposal = await this.#proposalFor(file, code);
    if (proposal.before === proposal.after)
      throw new CodeNotUsed(l10n.t`${path.basename(file)} already contains this code.`);
    const query = String(++this.#count);
    this.#proposals.set(query, proposal);
    const [oldest] = this.#proposals.keys();
    if (this.#proposals.size > MAX_PROPOSALS && oldest !== undefined) this.#proposals.delete(oldest);
    const sideOf = (fragment: string): vscode.Uri =>
      vscode.Uri.from({ scheme: this.scheme, path: proposal.file.path, query, fragment });
    await vscode.commands.executeCommand(
      "vscode.diff",
      proposal.before === undefined ? sideOf("before") : proposal.file,
      sideOf("after"),
      l10n.t`${path.basename(file)} (code of an answer)`,
      { preview: true } satisfies vscode.TextDocumentShowOptions,
    );
  }

  /** `side`: the proposed side; default: that of the active diff. Rejects with a message for the user. */
  async apply(side?: vscode.Uri): Promise<void> {
    const shown = this.#shown(side);
    if (shown === undefined) return;
    const { file, before, after } = shown.proposal;
    const changed = (): CodeNotUsed =>
      new CodeNotUsed(
        l10n.t`${path.basename(file.fsPath)} has changed since this diff was opened. Select Apply to File again.`,
      );
    if (before === undefined) {
      if (await this.deps.isFile(file.fsPath)) throw changed();
      await this.deps.create(file.fsPath, after);
    } else {
      const document = await vscode.workspace.openTextDocument(file),
        wasDirty = document.isDirty,
        part = changedPart(before, after);
      if (document.getText() !== before) throw changed();
      const edit = new vscode.WorkspaceEdit();
      if (part) edit.replace(file, rangeOf(document, part), part.text);
      // Unsaved changes of the user stay unsaved.
      if (!(await vscode.workspace.applyEdit(edit)) || (!wasDirty && !(await document.save())))
        throw new CodeNotUsed(l10n.t`${path.basename(file.fsPath)} could not be changed.`);
    }
    await this.#close(shown);
    const document = await vscode.workspace.openTextDocument(file),
      at = document.positionAt(changedPart(before ?? "", after)?.start ?? 0);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
  }

  async discard(side?: vscode.Uri): Promise<void> {
    const shown = this.#shown(side);
    if (shown) await this.#close(shown);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** The last active editor of a file, while it is visible. */
  #lastEditor(): vscode.TextEditor | undefined {
    const editors = vscode.window.visibleTextEditors.filter(isEditable);
    return editors.find(editor => editor === this.#editor) ?? (editors.length === 1 ? editors[0] : undefined);
  }

  async #fileOf({ named, mentioned }: CodeFiles, cwd: string | undefined): Promise<string | undefined> {
    const found = await this.deps.names.find([...named, ...mentioned], cwd);
    for (const name of named) {
      const file = found.get(name)?.path;
      if (file !== undefined) return file;
    }
    for (const name of named) {
      const file = this.deps.names.pathOf(name, cwd);
      if (file !== undefined && (await this.deps.isNew(file))) return file;
    }
    for (const name of mentioned) {
      const file = found.get(name)?.path;
      if (file !== undefined) return file;
    }
    const active = this.#lastEditor()?.document.uri;
    if (active?.scheme === "file" && (await this.deps.isFile(active.fsPath))) return active.fsPath;
    return this.#pick();
  }

  async #pick(): Promise<string | undefined> {
    const items = async () =>
      (await this.deps.listed()).map(file => ({
        label: path.basename(file),
        description: path.dirname(vscode.workspace.asRelativePath(file)),
        file,
      }));
    const picked = await vscode.window.showQuickPick(items(), {
      placeHolder: l10n.t("Select the file for this code"),
      matchOnDescription: true,
    });
    return picked?.file;
  }

  async #proposalFor(file: string, code: string): Promise<Proposal> {
    const uri = vscode.Uri.file(file);
    if (!(await this.deps.isFile(file)))
      return { file: uri, before: undefined, after: placed("", placeCode("", code)) };
    const document = await opened(uri),
      before = document.getText(),
      editor = this.#lastEditor(),
      selection = editor?.document === document ? offsetsOf(document, editor.selection) : undefined;
    return { file: uri, before, after: placed(before, placeCode(before, code, selection)) };
  }

  #shown(side: vscode.Uri | undefined): { readonly query: string; readonly proposal: Proposal } | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input,
      active = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const uri = side?.scheme === this.scheme ? side : active?.scheme === this.scheme ? active : undefined,
      proposal = this.#proposals.get(uri?.query ?? "");
    return uri && proposal && { query: uri.query, proposal };
  }

  async #close({ query }: { readonly query: string }): Promise<void> {
    this.#proposals.delete(query);
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    await vscode.window.tabGroups.close(
      tabs.filter(
        ({ input }) =>
          input instanceof vscode.TabInputTextDiff &&
          input.modified.scheme === this.scheme &&
          input.modified.query === query,
      ),
    );
  }
}

const isEditable = ({ document: { uri } }: vscode.TextEditor): boolean =>
  uri.scheme === "file" || uri.scheme === "untitled";

async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (cause) {
    throw new CodeNotUsed(l10n.t`${path.basename(uri.fsPath)} is not a text file, or cannot be opened.`, { cause });
  }
}

const rangeOf = (document: vscode.TextDocument, { start, end }: TextRange): vscode.Range =>
  new vscode.Range(document.positionAt(start), document.positionAt(end));

const offsetsOf = (document: vscode.TextDocument, { start, end }: vscode.Range): TextRange => ({
  start: document.offsetAt(start),
  end: document.offsetAt(end),
});
