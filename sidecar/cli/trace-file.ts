/** The file of a trace, one for each run. */
import { createWriteStream } from "node:fs";
import { TraceWriter } from "../conductor/trace-writer";
import { realClock } from "../rpc/clock";
import { openFile, type Tell } from "./log";

/** Throws `CannotWrite`. */
export function openTrace(folder: string, tell: Tell): TraceWriter {
  const { path: file, descriptor } = openFile(folder, "jsons", Date.now());
  tell("info", "Every message is written to a file", { file });
  return new TraceWriter(createWriteStream(file, { fd: descriptor }), realClock, error => tell("warn", "The trace cannot be written any more", { file, error: String(error) }));
}
