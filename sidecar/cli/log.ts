/**
 * The log of a command: lines on stderr and, where a folder is given, the same ones in a file.
 *
 * Invariants: no line has a secret (`redaction/redact.ts`); a stderr that nobody reads costs no memory beyond a
 * limit, and what is left out there is counted; a file that cannot be written any more is said once, on stderr.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Writable } from "node:stream";
import { isLogged, type LogLevel } from "../../src/protocol/log";
import { redactError, redactText, redactValue } from "../../src/protocol/redaction/redact";

/** A folder or file that was asked for and cannot be had. `message` is a sentence. */
export class CannotWrite extends Error {
  override readonly name = "CannotWrite";
}

export type Tell = (level: LogLevel, message: string, detail?: unknown) => void;

export interface Log extends Disposable {
  readonly tell: Tell;
}

/** Characters that may wait for who reads stderr, and characters of one line. */
const WAITING = 1024 * 1024,
  LONGEST = 8000;

/** Throws `CannotWrite`. `now`: wall-clock time, in milliseconds since 1970. */
export function openLog({ level: threshold, folder }: LogOptions, stderr: Writable, now: () => number = Date.now): Log {
  const file = folder === undefined ? undefined : openFile(folder, "log", now());
  let descriptor = file?.descriptor,
    missed = 0;
  stderr.on("error", () => undefined); // nobody is left to be told

  const toStderr = (line: string): void => {
    if (stderr.writableLength > WAITING) {
      missed++;
      return;
    }
    if (missed > 0)
      stderr.write(lineOf(now(), "warn", "Lines were left out, because stderr was not read", { lines: missed }));
    missed = 0;
    stderr.write(line);
  };
  const toFile = (line: string): void => {
    if (descriptor === undefined) return;
    try {
      writeSync(descriptor, line);
    } catch (error) {
      closeSync(descriptor);
      descriptor = undefined;
      toStderr(
        lineOf(now(), "warn", "The log file cannot be written any more", { file: file?.path, error: String(error) }),
      );
    }
  };
  return {
    tell(level, message, detail) {
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

/** A new file below `folder`, which is made if it is missing, for its owner's eyes only. Throws `CannotWrite`. */
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
    throw new CannotWrite(`“${file}” cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Sentences stand as they are; what else is known follows as JSON, and a text of several lines below them. */
function lineOf(now: number, level: LogLevel, message: string, detail: unknown): string {
  return `${new Date(now).toISOString()} ${level.padEnd(5)} ${redactText(message, LONGEST)}${detail === undefined ? "" : rest(detail)}\n`;
}

function rest(detail: unknown): string {
  if (typeof detail === "string")
    return redactText(detail, LONGEST).trimEnd().replaceAll(/^/gm, "\n  ").replaceAll("\n\n", "\n");
  return ` ${written(detail)}`;
}

function written(detail: unknown): string {
  if (detail instanceof Error) return redactError(detail, LONGEST);
  try {
    return redactText(JSON.stringify(redactValue(detail)) ?? String(detail), LONGEST);
  } catch {
    return "(cannot be shown)";
  } // a cycle, or too deep
}
export interface LogOptions {
  readonly level: LogLevel;
  /** Where a log file is wanted. */
  readonly folder: string | undefined;
}
