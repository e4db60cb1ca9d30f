/** A program in a terminal of the editor's, where a person can type: to sign in to an agent, say. */
import * as vscode from "vscode";
import { NotServed } from "../errors";
import { visibleLine } from "../protocol/visible-text";

export interface TerminalProgram {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the editor's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Resolves when it has ended; without a code it was closed before. Rejects with `NotServed` when it cannot be started.
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
  // A program that cannot be started has no code either.
  if (ended?.reason === vscode.TerminalExitReason.Unknown)
    throw NotServed.refused(`VS Code opened no terminal for “${command}”.`);
  return {};
}
