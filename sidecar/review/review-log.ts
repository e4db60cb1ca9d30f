/**
 * The log of a session's review: one line of JSON per event, appended to a file. The state is the fold of the lines.
 * Pure.
 *
 * Invariants:
 * - The log names contents by their ids, and holds none.
 * - A torn or damaged line costs only its own event.
 */
import * as v from "valibot";
import { parseJson } from "../../src/protocol/wire/json";
import type { Author } from "./file-review";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, sameState, type FileState } from "./snapshots/file-state";
import { count, list, parsed, text, type Infer } from "../../src/protocol/wire/schema";

const path = text(4_096),
  fileState = v.object({
    mode: v.picklist([FILE_MODE, EXECUTABLE_MODE, LINK_MODE]),
    oid: v.pipe(v.string(), v.regex(/^[\da-f]{40}(?:[\da-f]{24})?$/)),
  });
const MAX_FILES = 100_000;

const fileChange = v.object({
  root: path,
  path,
  /** The file before and after. Absent: it does not exist. */
  before: v.exactOptional(fileState),
  after: v.exactOptional(fileState),
  /** The reviewed content after the change. */
  reviewed: v.exactOptional(fileState),
  /** The reviewed content before the change, for its undo. Absent in `changed`. */
  reviewedBefore: v.exactOptional(fileState),
  /** Unreviewed lines after the change; 0 for files without lines. */
  added: count,
  removed: count,
});
export type LoggedChange = Infer<typeof fileChange>;

/** Number of the agent's turn that made the change; absent for a change of the user. */
const turn = v.exactOptional(count),
  id = text(100),
  files = list(fileChange, MAX_FILES);

const logLine = v.variant("type", [
  v.object({ type: v.literal("changed"), turn, files }),
  /** An operation of the user. `newestTurn`: the newest turn whose changes it concerns. */
  v.object({
    type: v.literal("operation"),
    id,
    kind: v.picklist(["accept", "undo", "rewind"]),
    newestTurn: v.exactOptional(count),
    files,
  }),
  /** An operation was undone, and cannot be undone again. `turn`: of the agent's lines that the undo restores. */
  v.object({ type: v.literal("undone"), id, turn, files }),
]);
export type LogLine = Infer<typeof logLine>;
export type Operation = Extract<LogLine, { readonly type: "operation" }>;
/** `undefined`: the file does not exist. */
export type StoredState = FileState | undefined;

export interface StoredStep {
  readonly by: Author;
  readonly before: StoredState;
  readonly after: StoredState;
}

/** A file that changed in the session. `added`, `removed`: unreviewed lines. */
export interface ReviewedFile {
  readonly root: string;
  readonly path: string;
  readonly reviewed: StoredState;
  readonly last: StoredState;
  readonly steps: readonly StoredStep[];
  readonly added: number;
  readonly removed: number;
}

/** Changed in place by `apply`, because a session may change many files. */
export interface ReviewState {
  /** By `fileKey`, in the order of their first change. */
  readonly files: Map<string, ReviewedFile>;
  /** Those that can be undone, the newest last. */
  readonly operations: Operation[];
}

/** No path contains a null character. */
export const fileKey = (root: string, file: string): string => `${root}\0${file}`;

/** Changes the state by an event. */
export function apply(state: ReviewState, line: LogLine): void {
  for (const file of line.files) applyFile(state, file, line);
  if (line.type === "changed") return;
  const known = state.operations.findIndex(operation => operation.id === line.id);
  if (known !== -1) state.operations.splice(known, 1);
  if (line.type === "operation") state.operations.push(line);
  if (state.operations.length > MAX_OPERATIONS) state.operations.shift();
}
const MAX_OPERATIONS = 100;

function applyFile(state: ReviewState, change: LoggedChange, line: LogLine): void {
  const { root, path: file, before, after, reviewed, added, removed } = change,
    key = fileKey(root, file),
    steps = state.files.get(key)?.steps ?? [],
    step: StoredStep = { by: authorOf(line), before, after };
  state.files.set(key, {
    root,
    path: file,
    reviewed,
    last: after,
    steps: withStep(steps, step, line.type),
    added,
    removed,
  });
}

function authorOf(line: LogLine): Author {
  return line.type === "operation" ? "operation" : (line.turn ?? (line.type === "changed" ? "user" : "operation"));
}

function withStep(steps: readonly StoredStep[], step: StoredStep, type: LogLine["type"]): readonly StoredStep[] {
  const { before, after } = step,
    last = steps.at(-1);
  if (sameState(before, after)) return steps;
  const isReversal = last?.by === "operation" && sameState(last.after, before) && sameState(last.before, after);
  return type === "undone" && isReversal ? steps.slice(0, -1) : [...steps, step];
}

/** The state that a log describes. */
export function stateIn(log: string): ReviewState {
  const state: ReviewState = { files: new Map(), operations: [] };
  for (const line of log.split("\n")) {
    const read = line === "" ? undefined : parsed(logLine, parseJson(line));
    if (read !== undefined) apply(state, read);
  }
  return state;
}

/** Begins with a line break, so that a torn line before it costs only itself. */
export function lineOf(line: LogLine): string {
  return `\n${JSON.stringify(line)}\n`;
}
