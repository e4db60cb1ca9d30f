/**
 * The log of a session's review: one line of JSON per event, appended to a file. The state is the fold of the lines.
 * Pure.
 *
 * Invariants:
 * - The log names contents by their ids, and holds none.
 * - An operation that writes files is two lines: the second one counts, and names the files that were not written.
 * - A torn or damaged line costs only its own event.
 */
import * as v from "valibot";
import { parseJson } from "../../src/protocol/wire/json";
import { assertNever } from "../../src/protocol/wire/wire";
import type { Author } from "./file-review";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, sameState, type FileState } from "./snapshots/file-state";
import { count, list, matching, parsed, text, type Infer } from "../../src/protocol/wire/schema";

const path = text(4_096),
  oid = matching(64, /^[\da-f]{40}(?:[\da-f]{24})?$/),
  fileState = v.object({ mode: v.picklist([FILE_MODE, EXECUTABLE_MODE, LINK_MODE]), oid });

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
  /** Lines of this change; absent where they are equal to the unreviewed ones. */
  changed: v.exactOptional(v.object({ added: count, removed: count })),
  /** The change may be that of another session or of the user. */
  shared: v.exactOptional(v.literal(true)),
});
export type LoggedChange = Infer<typeof fileChange>;

const about = v.object({
  type: v.literal("about"),
  kind: v.picklist(["chat", "picker"]),
  title: text(1_000),
  agentName: text(1_000),
  /** Folders of the session, absolute. */
  folders: list(path, 1_000),
});
export type About = Omit<Infer<typeof about>, "type">;

const turnBegun = v.object({
  type: v.literal("turn"),
  turn: count,
  /** Entry of the prompt; absent for the model picker. */
  entryId: v.exactOptional(text(1_000)),
  title: text(1_000),
  /** Milliseconds since 1970. */
  at: v.number(),
});
export type BegunTurn = Omit<Infer<typeof turnBegun>, "type">;

const recordedRoot = v.object({ root: path, tree: oid });
export type RecordedRoot = Infer<typeof recordedRoot>;

/** Number of the agent's turn that made the change; absent for a change of the user. */
const turn = v.exactOptional(count),
  id = text(100),
  /** Without a limit: a line that was written must be read. */
  files = v.array(fileChange);

/**
 * An operation of the user. `newestTurn`: the newest turn whose changes it concerns. `turn`: the only turn that was
 * accepted.
 */
const operation = v.object({
  type: v.literal("operation"),
  id,
  kind: v.picklist(["accept", "undo", "rewind"]),
  newestTurn: v.exactOptional(count),
  turn,
  files,
});
/** An operation was undone, and cannot be undone again. `turn`: of the agent's lines that the undo restores. */
const undone = v.object({ type: v.literal("undone"), id, turn, files });

const logLine = v.variant("type", [
  about,
  turnBegun,
  /** The state of the folders in the running turn, for its recovery after the end of this process. */
  v.object({ type: v.literal("recorded"), roots: list(recordedRoot, 10_000) }),
  /** The agent began before the folders were recorded. */
  v.object({ type: v.literal("late"), turn: count }),
  v.object({ type: v.literal("ended"), turn: count }),
  v.object({ type: v.literal("changed"), turn, files }),
  operation,
  undone,
  /** An operation that writes files begins. */
  v.object({ type: v.literal("planned"), line: v.variant("type", [operation, undone]) }),
  /** The planned operation has ended. `without`: files that were not written. */
  v.object({ type: v.literal("performed"), id, without: v.array(v.object({ root: path, path })) }),
]);
export type LogLine = Infer<typeof logLine>;
type ChangeLine = Extract<LogLine, { readonly files: readonly LoggedChange[] }>;
/** An operation, or the undo of one. */
export type FileLine = Extract<ChangeLine, { readonly id: string }>;
/** `marks`: those of the files before the operation. */
export type Operation = Extract<LogLine, { readonly type: "operation" }> & {
  readonly marks: ReadonlyMap<string, ReviewMarks>;
};
/** `undefined`: the file does not exist. */
export type StoredState = FileState | undefined;

export interface StoredStep {
  readonly by: Author;
  readonly before: StoredState;
  readonly after: StoredState;
  readonly added: number;
  readonly removed: number;
}

/** The progress of the review of a file. */
export interface ReviewMarks {
  /** Steps before this one were reviewed completely. */
  readonly unreviewedFrom: number;
  /** Turns that were accepted since then. */
  readonly acceptedTurns: readonly number[];
}

/** A file that changed in the session. `added`, `removed`: unreviewed lines. */
export interface ReviewedFile extends ReviewMarks {
  readonly root: string;
  readonly path: string;
  readonly reviewed: StoredState;
  readonly last: StoredState;
  readonly steps: readonly StoredStep[];
  readonly added: number;
  readonly removed: number;
  readonly shared?: true;
}

/** Changed in place by `apply`, because a session may change many files. */
export interface ReviewState {
  about?: About;
  /** By `fileKey`, in the order of their first change. */
  readonly files: Map<string, ReviewedFile>;
  /** Those that can be undone, the newest last. */
  readonly operations: Operation[];
  /** By their numbers, which increase. */
  readonly turns: Map<number, BegunTurn>;
  readonly lateTurns: Set<number>;
  /** The turn that has not ended. `roots`: the last recorded state. */
  open?: { readonly turn: number; readonly roots: readonly RecordedRoot[] };
  /** The operation that has not ended. */
  planned?: FileLine;
}

/** No path contains a null character. */
export const fileKey = (root: string, file: string): string => `${root}\0${file}`;

/** Changes the state by an event. */
export function apply(state: ReviewState, line: LogLine): void {
  switch (line.type) {
    case "about": {
      const { type: _, ...about } = line;
      state.about = about;
      return;
    }
    case "turn": {
      const { type: _, ...turn } = line;
      state.turns.set(line.turn, turn);
      state.open = { turn: line.turn, roots: [] };
      return;
    }
    case "recorded":
      if (state.open) state.open = { ...state.open, roots: line.roots };
      return;
    case "late":
      state.lateTurns.add(line.turn);
      return;
    case "ended":
      // The next turn may have begun.
      if (state.open?.turn === line.turn) delete state.open;
      return;
    case "changed":
      for (const file of line.files) applyFile(state, file, line, undefined);
      return;
    case "operation":
    case "undone":
      return applyOperation(state, line);
    case "planned":
      state.planned = line.line;
      return;
    case "performed": {
      const { planned } = state;
      if (planned?.id !== line.id) return;
      delete state.planned;
      const without = new Set(line.without.map(file => fileKey(file.root, file.path))),
        performed = planned.files.filter(file => !without.has(fileKey(file.root, file.path)));
      return performed.length === 0 ? undefined : applyOperation(state, { ...planned, files: performed });
    }
    default:
      return assertNever(line, "line of a review");
  }
}
const MAX_OPERATIONS = 100;

function applyOperation(state: ReviewState, line: FileLine): void {
  const at = state.operations.findIndex(operation => operation.id === line.id),
    undone = at === -1 ? undefined : state.operations.splice(at, 1)[0],
    marks = new Map(line.files.map(({ root, path: file }) => [fileKey(root, file), marksOf(state, root, file)]));
  for (const file of line.files) applyFile(state, file, line, undone?.marks.get(fileKey(file.root, file.path)));
  if (line.type === "operation") state.operations.push({ ...line, marks });
  if (state.operations.length > MAX_OPERATIONS) state.operations.shift();
}

function marksOf(state: ReviewState, root: string, file: string): ReviewMarks {
  return state.files.get(fileKey(root, file)) ?? { unreviewedFrom: 0, acceptedTurns: [] };
}

/** `restored`: the marks before the operation that the line undoes. */
function applyFile(state: ReviewState, change: LoggedChange, line: ChangeLine, restored?: ReviewMarks): void {
  const { root, path: file, before, after, reviewed, added, removed } = change,
    key = fileKey(root, file),
    known = state.files.get(key),
    { unreviewedFrom, acceptedTurns } = restored ?? marksOf(state, root, file),
    step: StoredStep = { by: authorOf(line), before, after, ...(change.changed ?? { added, removed }) },
    steps = withStep(known?.steps ?? [], step, line.type),
    isReviewed = sameState(reviewed, after),
    accepted = line.type === "operation" && line.kind === "accept" && line.turn !== undefined ? [line.turn] : [],
    isShared = change.shared ?? known?.shared;
  state.files.set(key, {
    root,
    path: file,
    reviewed,
    last: after,
    steps,
    added,
    removed,
    unreviewedFrom: isReviewed ? steps.length : unreviewedFrom,
    acceptedTurns: isReviewed ? [] : [...acceptedTurns, ...accepted],
    ...(isShared === true && !isReviewed ? { shared: true } : {}),
  });
}

/** The turns with unreviewed changes of a file, the oldest first. */
export function unreviewedTurns(file: ReviewedFile): readonly number[] {
  return [...new Set(unreviewedSteps(file).map(({ by }) => by))].sort((a, b) => a - b);
}

/** The agent's changes of a file that are not reviewed, in order. */
export function unreviewedSteps({
  steps,
  unreviewedFrom,
  acceptedTurns,
}: ReviewedFile): readonly (StoredStep & { readonly by: number })[] {
  return steps
    .slice(unreviewedFrom)
    .flatMap(step =>
      typeof step.by === "number" && !acceptedTurns.includes(step.by) ? [{ ...step, by: step.by }] : [],
    );
}

function authorOf(line: ChangeLine): Author {
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
  const state: ReviewState = { files: new Map(), operations: [], turns: new Map(), lateTurns: new Set() };
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
