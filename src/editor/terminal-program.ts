/** Runs an interactive program in an editor terminal, for example to sign in to an agent. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { EditorRequestError } from "../errors";
import { visibleLine } from "../protocol/text/visible-text";

export interface TerminalProgram {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the editor's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Resolves when the program has exited, without a code if the terminal was closed first. Rejects with
 * `EditorRequestError` if the program cannot be started.
 */
export async function runInTerminal({
  title,
  command,
  args,
  env,
  cwd,
}: TerminalProgram): Promise<{ readonly exitCode?: number }> {
  const terminal = vscode.window.createTerminal({
    name: visibleLine(title),
    shellPath: command,
    shellArgs: [...args],
    env: { ...env },
    cwd,
    isTransient: true,
  });
  terminal.show();
  const ended = await new Promise<vscode.TerminalExitStatus | undefined>(resolve => {
    const listening = vscode.window.onDidCloseTerminal(closed => {
      if (closed !== terminal) return;
      listening.dispose();
      resolve(closed.exitStatus);
    });
  });
  if (ended?.code !== undefined) return { exitCode: ended.code };
  // A program that cannot be started has no exit code either.
  if (ended?.reason === vscode.TerminalExitReason.Unknown)
    throw EditorRequestError.refused(l10n.t`VS Code could not open a terminal for “${command}”.`);
  return {};
}
