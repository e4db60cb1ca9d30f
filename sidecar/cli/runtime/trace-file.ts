/** Trace files. A run writes them one after another; a folder keeps the newest files of all runs. */
import { createWriteStream, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Writable } from "node:stream";
import { TraceWriter, type TraceLimits } from "../../conductor/trace-writer";
import { realClock } from "../../rpc/clock";
import { openFile, type Notify } from "./log";

/** Maximum number of files in a folder. The oldest are deleted. */
const MAX_FILES = 16;

/** Throws `CannotWrite`. */
export function openTrace(
  folder: string,
  notify: Notify,
  limits: Partial<TraceLimits> = {},
  now = Date.now,
): TraceWriter {
  const open = (): Writable => {
    const { path: file, descriptor } = openFile(folder, "jsons", now());
    notify("info", "Every message is written to a file", { file });
    deleteOldest(folder, notify);
    return createWriteStream(file, { fd: descriptor });
  };
  const failed = (error: Error): void =>
    notify("warn", "The trace is no longer writable", { folder, error: String(error) });
  return new TraceWriter(open, realClock, failed, limits);
}

const TRACE = /^symposium-acp-agent-\d{4}-[\dTZ-]+-\d+\.jsons$/;

/**
 * Sorts files by name, because names start with the time. Only names of the form that `openFile` writes are deleted.
 */
function deleteOldest(folder: string, notify: Notify): void {
  try {
    const files = readdirSync(folder)
      .filter(name => TRACE.test(name))
      .sort();
    for (const name of files.slice(0, -MAX_FILES)) rmSync(path.join(folder, name), { force: true });
  } catch (error) {
    notify("warn", "Old traces could not be deleted", { folder, error: String(error) });
  }
}
