/** The output channel of the log. */
import * as vscode from "vscode";
import { channelListener, type Log } from "./log";
import type { LogLevel } from "./protocol/wire/log";

/**
 * Writes the log to an output channel, created with the first line. Returns a function that shows the channel. Not a VS
 * Code log channel, whose own log level would hide lines that `symposium.logLevel` allows.
 */
export function showLogOf(
  log: Log,
  threshold: () => LogLevel,
  own: <T extends vscode.Disposable>(disposable: T) => T,
): () => void {
  let created: vscode.OutputChannel | undefined;
  const channel = (): vscode.OutputChannel => (created ??= own(vscode.window.createOutputChannel("Symposium", "log")));
  own(log.onLog(channelListener(channel, threshold)));
  return () => channel().show();
}
