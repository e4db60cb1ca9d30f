/** The output channel of the log. */
import * as vscode from "vscode";
import { channelListener, type Log } from "./log";
import type { LogLevels } from "./protocol/wire/log";

/**
 * Writes the log to an output channel, created with the first line. Returns a function that shows the channel. Not a VS
 * Code log channel, whose own log level would hide lines that the settings allow.
 */
export function showLogOf(
  log: Log,
  levels: () => LogLevels,
  own: <T extends vscode.Disposable>(disposable: T) => T,
): () => void {
  let created: vscode.OutputChannel | undefined;
  const channel = (): vscode.OutputChannel => (created ??= own(vscode.window.createOutputChannel("Symposium", "log")));
  own(log.onLog(channelListener(channel, levels)));
  return () => channel().show();
}
