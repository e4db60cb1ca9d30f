/**
 * Log of a command: lines on stderr and, if a folder is given, also in a file.
 *
 * Invariants:
 * - No line contains a secret (`redaction/redact.ts`).
 * - A stderr that is not read uses limited memory; dropped lines are counted.
 * - A failure to write the file is reported once, on stderr.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Writable } from "node:stream";
import { isLogged, type LogLevel } from "../../../src/protocol/wire/log";
import { redactError, redactText, redactValue } from "../../../src/protocol/redaction/redact";
import { errorMessage } from "../../../src/protocol/wire/errors";

/** The requested folder or file cannot be created. `message` is a sentence. */
export class CannotWrite extends Error {
  override readonly name = "CannotWrite";
}

export type Notify = (level: LogLevel, message: string, detail?: unknown) => void;

export interface Log extends Disposable {
  readonly notify: Notify;
}

/** Maximum number of characters buffered for stderr, and of characters per line. */
const MAX_BUFFERED = 1024 * 1024,
  MAX_LINE_LENGTH = 8000;

/** Throws `CannotWrite`. `now`: wall-clock time, in milliseconds since 1970. */
export function openLog({ level: threshold, folder }: LogOptions, stderr: Writable, now: () => number = Date.now): Log {
  const file = folder === undefined ? undefined : openFile(folder, "log", now());
  let descriptor = file?.descriptor,
    dropped = 0;
  stderr.on("error", () => undefined); // a failure of stderr cannot be reported

  const toStderr = (line: string): void => {
    if (stderr.writableLength > MAX_BUFFERED) {
      dropped++;
      return;
    }
    if (dropped > 0)
      stderr.write(lineOf(now(), "warn", "Log lines were dropped because stderr was not read", { lines: dropped }));
    dropped = 0;
    stderr.write(line);
  };
  const toFile = (line: string): void => {
    if (descriptor === undefined) return;
    try {
      writeSync(descriptor, line);
    } catch (error) {
      closeSync(descriptor);
      descriptor = undefined;
      toStderr(lineOf(now(), "warn", "The log file is no longer writable", { file: file?.path, error: String(error) }));
    }
  };
  return {
    notify(level, message, detail) {
      if (!isLogged(level, threshold)) return;
      const line = lineOf(now(), level, message, detail);
      toStderr(line);
      toFile(line);
    },
    [Symbol.dispose]() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/**
 * Creates a file below `folder` that only its owner can read. Creates the folder if it is missing. Throws
 * `CannotWrite`.
 */
export function openFile(
  folder: string,
  extension: string,
  now: number,
): { readonly path: string; readonly descriptor: number } {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, "-");
  const file = path.resolve(folder, `symposium-acp-agent-${stamp}-${process.pid}.${extension}`);
  try {
    mkdirSync(folder, { recursive: true });
    return { path: file, descriptor: openSync(file, "wx", 0o600) };
  } catch (cause) {
    throw new CannotWrite(`“${file}” cannot be written: ${errorMessage(cause)}`, {
      cause,
    });
  }
}

/** Writes the message as is. Structured detail follows as JSON, multi-line text on the lines below. */
function lineOf(now: number, level: LogLevel, message: string, detail: unknown): string {
  return `${new Date(now).toISOString()} ${level.padEnd(5)} ${redactText(message, MAX_LINE_LENGTH)}${detail === undefined ? "" : rest(detail)}\n`;
}

function rest(detail: unknown): string {
  if (typeof detail === "string")
    return redactText(detail, MAX_LINE_LENGTH).trimEnd().replaceAll(/^/gm, "\n  ").replaceAll("\n\n", "\n");
  return ` ${written(detail)}`;
}

function written(detail: unknown): string {
  if (detail instanceof Error) return redactError(detail, MAX_LINE_LENGTH);
  try {
    return redactText(JSON.stringify(redactValue(detail)) ?? String(detail), MAX_LINE_LENGTH);
  } catch {
    return "(cannot be shown)";
  } // a cycle, or too deep
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Folder of the log file, if requested. */
  readonly folder: string | undefined;
}
