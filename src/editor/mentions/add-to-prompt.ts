/**
 * Chooses the attachments of “Add to Symposium” by the command's arguments, which VS Code sets according to the menu.
 */
import * as vscode from "vscode";
import type { EditorContext, Gathered } from "./context-sources";

/**
 * - Explorer: the file under the pointer and all selected files.
 * - Editor title: the file, and its view column.
 * - Editor text: the file; a selection takes precedence.
 * - Terminal: the terminal, and a list of the selected terminals.
 * - Command palette: no arguments; handled like the editor text.
 */
export function additions(context: EditorContext, first: unknown, second: unknown): Promise<Gathered> {
  if (first !== undefined && !(first instanceof vscode.Uri)) return context.gather({ kind: "terminal" });
  const several = Array.isArray(second)
    ? second.flatMap((each: unknown) => (each instanceof vscode.Uri ? [each.toString()] : []))
    : [];
  if (several.length > 0) return context.files(several);
  if (first !== undefined && second !== undefined) return context.files([first.toString()]);
  const editor = vscode.window.activeTextEditor;
  const hasSelection =
    editor?.selections.some(({ isEmpty }) => !isEmpty) === true &&
    (first === undefined || editor.document.uri.toString() === first.toString());
  const file = first ?? editor?.document.uri;
  return hasSelection || file === undefined ? context.gather({ kind: "selection" }) : context.files([file.toString()]);
}
