/**
 * The part of a recorded tree that its index does not contain, as text: one line `MODE OID PATH` per file, with zeros
 * for a deleted one, and per changed folder, without a path. Paths contain no line break. Pure.
 */
import { isFileMode, type FileState, type Oid } from "./file-state";
import type { ByteString } from "./git-output";
import type { FileEdits } from "./tree-edit";

export interface RecordedEdits {
  readonly states: FileEdits;
  /** The objects of files and folders. */
  readonly oids: readonly Oid[];
}

const FOLDER_MODE = "040000",
  NONE = "000000";
const LINE = /^(\d{6}) ([\da-f]+) ([^]*)$/;

export function serializeEdits(states: FileEdits, trees: readonly Oid[]): string {
  return [
    ...[...states].map(([file, state]) => `${state?.mode ?? NONE} ${state?.oid ?? "0"} ${file}\n`),
    ...trees.map(oid => `${FOLDER_MODE} ${oid} \n`),
  ].join("");
}

/** Other lines are ignored. */
export function parseEdits(text: string): RecordedEdits {
  const states = new Map<ByteString, FileState | undefined>(),
    oids: Oid[] = [];
  for (const line of text.split("\n")) {
    const [, mode = "", oid = "", file = ""] = LINE.exec(line) ?? [];
    if (mode === NONE) states.set(file, undefined);
    else if (oid !== "") oids.push(oid);
    if (isFileMode(mode)) states.set(file, { mode, oid });
  }
  return { states, oids };
}
