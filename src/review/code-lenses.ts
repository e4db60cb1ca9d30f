/** Actions above each change of an agent in a file, if the user wants them (`symposium.review.codeLens`). */
import * as vscode from "vscode";
import * as l10n from "@vscode/l10n";
import type { ReviewCommandName } from "../names";
import type { FileTexts, HunkTarget } from "./review-commands";
import type { FoundFile } from "./review-files";
import { changedHunks } from "./review-hunks";

export interface LensDeps {
  isEnabled(): boolean;
  fileAt(path: string): FoundFile | undefined;
  texts(file: FoundFile): Promise<FileTexts>;
}

export class ReviewLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #registration = vscode.languages.registerCodeLensProvider({ scheme: "file" }, this);

  constructor(private readonly deps: LensDeps) {}

  /** Call it when the reviews or the settings change. */
  refresh(): void {
    this.#changed.fire();
  }

  async provideCodeLenses({ uri, isDirty }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const found = this.deps.isEnabled() ? this.deps.fileAt(uri.fsPath) : undefined;
    // Lines of unsaved text are not those of the file.
    if (found === undefined || isDirty) return [];
    const { reviewed, current, hasSameLines } = await this.deps.texts(found);
    if (!hasSameLines) return [];
    return changedHunks(reviewed, current).flatMap(hunk => {
      const range = new vscode.Range(hunk.current.start, 0, hunk.current.start, 0),
        target: HunkTarget = { file: uri.fsPath, hunks: [hunk] };
      const lens = (command: ReviewCommandName, title: string): vscode.CodeLens =>
        new vscode.CodeLens(range, { command, title, arguments: [target] });
      return [lens("symposium.keepHunk", l10n.t("Keep")), lens("symposium.undoHunk", l10n.t("Undo"))];
    });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
