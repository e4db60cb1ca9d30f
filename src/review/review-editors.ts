/** Files under review in VS Code's editors: opens and compares them, reads their texts, and saves them. */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import * as vscode from "vscode";
import type { ChangedFile, RecordedFile, ReviewFile, ReviewLines, ReviewPath } from "../protocol/review/review";
import type { ContentCache } from "./content-cache";
import type { Cursor, FileTexts, ReviewEditor } from "./review-commands";
import type { FoundFile } from "./review-files";
import { hasLines } from "./review-hunks";
import type { Conflict } from "./review-operations";
import { fileTitle } from "./review-texts";
import { contentRef, contentUri, reviewedUri } from "./review-uri";

const LINK_MODE = "120000";

export class ReviewEditors implements ReviewEditor {
  /** `pathOfFile`: path of the file in the editor. */
  constructor(
    private readonly contents: Pick<ContentCache, "read">,
    private readonly pathOfFile: (file: ReviewPath) => string,
  ) {}

  cursor(): Cursor | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return undefined;
    const { uri } = editor.document,
      file = this.pathOf(uri);
    return file === undefined
      ? undefined
      : { file, side: uri.scheme === "file" ? "current" : "reviewed", lines: linesOf(editor) };
  }

  pathOf(argument: unknown): string | undefined {
    if (!(argument instanceof vscode.Uri)) return undefined;
    if (argument.scheme === "file") return argument.fsPath;
    const ref = contentRef(argument);
    return ref && this.pathOfFile(ref);
  }

  uriOf(file: ReviewPath): vscode.Uri {
    return vscode.Uri.file(this.pathOfFile(file));
  }

  /** Side of a comparison; an empty file if there is no content. */
  contentOf(file: ReviewPath, recorded: RecordedFile | undefined): vscode.Uri {
    return vscode.Uri.from(contentUri(file, this.uriOf(file).path, recorded));
  }

  reviewedOf(file: ChangedFile): vscode.Uri {
    const { root, path: own, from } = file;
    return this.contentOf({ root, path: from ?? own }, file.before);
  }

  async texts({ file }: FoundFile): Promise<FileTexts> {
    const uri = this.uriOf(file),
      reviewed = await vscode.workspace.openTextDocument(this.reviewedOf(file)),
      current = file.after === undefined ? undefined : await vscode.workspace.openTextDocument(uri);
    const [oldBytes, newBytes] = await Promise.all([
      file.before === undefined ? new Uint8Array() : this.contents.read(file.root, file.before.oid),
      current === undefined ? new Uint8Array() : vscode.workspace.fs.readFile(uri),
    ]);
    return {
      reviewed: reviewed.getText(),
      current: current?.getText() ?? "",
      hasSameLines: hasLines(oldBytes, reviewed.lineCount) && hasLines(newBytes, current?.lineCount ?? 1),
    };
  }

  async openFile(file: ReviewPath): Promise<void> {
    await vscode.commands.executeCommand("vscode.open", this.uriOf(file));
  }

  /** Follows *Keep* and *Undo*. Named like the file before its rename. */
  #reviewedNow({ root, path: own, from }: ReviewFile): vscode.Uri {
    return vscode.Uri.from(reviewedUri({ root, path: own }, this.uriOf({ root, path: from ?? own }).path));
  }

  async openChange(file: ReviewFile): Promise<void> {
    const name = path.basename(this.pathOfFile(file)),
      title = fileTitle(file, name);
    // Without lines, an image for example would be compared with an empty file.
    if (file.added + file.removed === 0 && (file.before === undefined || file.after === undefined)) {
      const uri = file.after === undefined ? this.reviewedOf(file) : this.currentOf(file);
      await vscode.commands.executeCommand("vscode.open", uri);
      return;
    }
    await vscode.commands.executeCommand("vscode.diff", this.#reviewedNow(file), this.currentOf(file), title);
  }

  async openReview(title: string, files: readonly ReviewFile[]): Promise<void> {
    await this.#compare(
      title,
      files.map(file => ({
        file,
        // Without lines, an image for example would be compared with an empty file.
        before: file.before === undefined && file.added === 0 ? undefined : this.#reviewedNow(file),
        after: this.currentOf(file),
      })),
    );
  }

  async openChanges(title: string, files: readonly ChangedFile[]): Promise<void> {
    await this.#compare(
      title,
      files.map(file => ({
        file,
        before: file.before === undefined ? undefined : this.reviewedOf(file),
        after: this.contentOf(file, file.after),
      })),
    );
  }

  async #compare(
    title: string,
    sides: readonly {
      readonly file: ChangedFile;
      readonly before: vscode.Uri | undefined;
      readonly after: vscode.Uri;
    }[],
  ): Promise<void> {
    const resources = sides.map(({ file, before, after }) => [
      this.uriOf(file),
      before,
      file.after === undefined ? undefined : after,
    ]);
    await vscode.commands.executeCommand("vscode.changes", title, resources);
  }

  /**
   * Opens the merge editor, as VS Code's git extension does. It has no public command. Binary files and links have no
   * lines to merge, so these are compared.
   */
  async openConflict(conflict: Conflict): Promise<void> {
    const { base, current, wanted } = conflict,
      [first, second, common] = [current, wanted, base].map(side => this.contentOf(conflict, side));
    if (!(await this.#canMerge([base, current, wanted], conflict))) {
      const name = path.basename(this.pathOfFile(conflict));
      await vscode.commands.executeCommand("vscode.diff", first, second, l10n.t`${name} (without the agent’s change)`);
      return;
    }
    await vscode.commands.executeCommand("_open.mergeEditor", {
      base: common,
      input1: { uri: first, title: l10n.t("Current File") },
      input2: { uri: second, title: l10n.t("Undo") },
      output: this.uriOf(conflict),
    });
  }

  async #canMerge(sides: readonly (RecordedFile | undefined)[], { root }: ReviewPath): Promise<boolean> {
    if (sides[1] === undefined || sides.some(side => side?.mode === LINK_MODE)) return false;
    const contents = await Promise.all(
      sides.flatMap(side => (side === undefined ? [] : [this.contents.read(root, side.oid)])),
    );
    return contents.every(bytes => !bytes.includes(0) || bytes[0] === 0xff || bytes[0] === 0xfe);
  }

  isUnsaved(file: ReviewPath): boolean {
    const uri = this.uriOf(file).toString();
    return [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments].some(
      document => document.isDirty && document.uri.toString() === uri,
    );
  }

  async save(files: readonly ReviewPath[]): Promise<readonly string[]> {
    const uris = new Set(files.map(file => this.uriOf(file).toString())),
      isDirty = ({ isDirty, uri }: { readonly isDirty: boolean; readonly uri: vscode.Uri }): boolean =>
        isDirty && uris.has(uri.toString());
    const dirty = [
      ...vscode.workspace.textDocuments.filter(isDirty),
      ...vscode.workspace.notebookDocuments.filter(isDirty),
    ];
    const failed: string[] = [];
    for (const document of dirty)
      if (!(await document.save())) failed.push(vscode.workspace.asRelativePath(document.uri));
    return failed;
  }

  /** The file itself. A link is its recorded content, because an editor would show the file that it refers to. */
  currentOf(file: ChangedFile): vscode.Uri {
    return file.after === undefined || file.after.mode === LINK_MODE
      ? this.contentOf(file, file.after)
      : this.uriOf(file);
  }
}

/** An empty selection is the line of the cursor. */
function linesOf({ selections }: vscode.TextEditor): readonly ReviewLines[] {
  return selections.map(({ start, end, isEmpty }) => ({
    start: start.line,
    end: !isEmpty && end.character === 0 ? Math.max(end.line, start.line + 1) : end.line + 1,
  }));
}
