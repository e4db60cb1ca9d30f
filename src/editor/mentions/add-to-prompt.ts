/** What “Add to Symposium” adds, by where it was chosen: VS Code says so in the arguments of the command. */
import * as vscode from "vscode";
import type { EditorContext, Gathered } from "./context-sources";

/**
 * - Explorer: the file under the mouse, and all that are selected.
 * - Title of an editor: its file, and where it is.
 * - Text of an editor: its file; what is selected there goes before it.
 * - Terminal: itself, and a list of those that are selected.
 * - Command palette: nothing; as in the text of the editor.
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
