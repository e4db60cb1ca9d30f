/** A review as the host and the chat show it. Pure. */
import type { Review, ReviewFile, ReviewLimit, ReviewSummary, RewindPrompt } from "../../src/protocol/review/review";
import type { FileContent } from "./file-version";
import { linesBetween, type LineCounts } from "./review-contents";
import { fileKey, unreviewedSteps, unreviewedTurns, type ReviewedFile, type ReviewState } from "./review-log";
import { sameState, type FileChange } from "./snapshots/file-state";
import { withRenames, type RenamedFile } from "./snapshots/renames";

export interface ReviewProgress {
  readonly isRunning: boolean;
  readonly limits: readonly ReviewLimit[];
  /** Limits that may hide changes of the last turn. */
  readonly losses: readonly ReviewLimit[];
}

/** Content of an object, or undefined if it is not available. */
export type ContentOf = (oid: string) => Uint8Array | undefined;

export function unreviewedFiles(state: ReviewState): readonly ReviewedFile[] {
  return [...state.files.values()].filter(({ reviewed, last }) => !sameState(reviewed, last));
}

export function reviewOf(id: string, state: ReviewState, progress: ReviewProgress, contentOf: ContentOf): Review {
  const files = listed(unreviewedFiles(state), contentOf),
    numbers = [...new Set(files.flatMap(({ turns }) => turns))].sort((a, b) => a - b),
    { about } = state;
  return {
    id,
    kind: about?.kind ?? "chat",
    title: about?.title ?? "",
    agentName: about?.agentName ?? "",
    isRunning: progress.isRunning,
    turns: numbers.flatMap(number => state.turns.get(number) ?? []),
    files,
    limits:
      files.length === 0
        ? progress.losses
        : [
            ...progress.limits,
            ...numbers.filter(turn => state.lateTurns.has(turn)).map(turn => ({ kind: "late" as const, turn })),
          ],
    operations: state.operations.map(({ id: operation, kind, files: changed }) => ({
      id: operation,
      kind,
      files: changed.length,
    })),
  };
}

/** The prompts of these reviews, the newest first. Turns of the model picker have none. */
export function rewindPrompts(
  reviews: readonly { readonly id: string; readonly state: ReviewState }[],
): readonly RewindPrompt[] {
  return reviews
    .flatMap(({ id, state }) =>
      [...state.turns.values()].flatMap(({ entryId, title, at }) =>
        entryId === undefined ? [] : [{ at, prompt: { id, entryId, title, session: state.about?.title ?? "" } }],
      ),
    )
    .sort((a, b) => b.at - a.at)
    .map(({ prompt }) => prompt);
}

/** Undefined if nothing is unreviewed or missing. A renamed file is one file, as in the review. */
export function summaryOf(
  state: ReviewState,
  { losses }: Pick<ReviewProgress, "losses">,
  contentOf: ContentOf,
): ReviewSummary | undefined {
  const files = listed(unreviewedFiles(state), contentOf);
  if (files.length === 0) return losses.length === 0 ? undefined : { ...NO_FILES, isIncomplete: true, turns: [] };
  const turns = new Map<string, Counts>();
  for (const file of files) {
    const own = new Map<string, Counts>();
    for (const { by, added, removed } of stepsOf(file, state)) {
      const entryId = state.turns.get(by)?.entryId;
      if (entryId !== undefined) own.set(entryId, sum({ files: 0, added, removed }, own.get(entryId)));
    }
    // A rename removes all lines of one path and adds them at another.
    const [only, ...others] = file.from === undefined ? [] : own.keys();
    if (only !== undefined && others.length === 0)
      own.set(only, { files: 0, added: file.added, removed: file.removed });
    for (const [entryId, { added, removed }] of own)
      turns.set(entryId, sum({ files: 1, added, removed }, turns.get(entryId)));
  }
  return {
    ...files.map(({ added, removed }) => ({ files: 1, added, removed })).reduce(sum, NO_FILES),
    turns: [...turns].map(([entryId, counts]) => ({ entryId, ...counts })),
  };
}

type Counts = Omit<ReviewSummary, "turns" | "isIncomplete">;
const NO_FILES: Counts = { files: 0, added: 0, removed: 0 };

function sum(a: Counts, b: Counts = NO_FILES): Counts {
  return { files: a.files + b.files, added: a.added + b.added, removed: a.removed + b.removed };
}

/** The unreviewed steps of a file, and those of its earlier path. */
function stepsOf({ root, path, from }: ReviewFile, { files }: ReviewState): ReturnType<typeof unreviewedSteps> {
  return [path, ...(from === undefined ? [] : [from])].flatMap(each => {
    const file = files.get(fileKey(root, each));
    return file === undefined ? [] : unreviewedSteps(file);
  });
}

/** The files with a rename as one entry. */
function listed(files: readonly ReviewedFile[], contentOf: ContentOf): readonly ReviewFile[] {
  const roots = [...new Set(files.map(({ root }) => root))];
  return roots.flatMap(root => {
    const own = files.filter(file => file.root === root),
      byPath = new Map(own.map(file => [file.path, file]));
    return withRenames(own.map(changeOf), contentOf).flatMap((change): readonly ReviewFile[] => {
      const file = byPath.get(change.path),
        from = "from" in change ? byPath.get(change.from) : undefined;
      return file === undefined ? [] : [entryOf(file, change, from, contentOf)];
    });
  });
}

function entryOf(
  file: ReviewedFile,
  change: FileChange | RenamedFile,
  from: ReviewedFile | undefined,
  contentOf: ContentOf,
): ReviewFile {
  const { before, after } = change,
    { added, removed } = from === undefined ? file : linesOfRename(from, file, contentOf),
    turns = [...new Set([...unreviewedTurns(file), ...(from === undefined ? [] : unreviewedTurns(from))])];
  return {
    root: file.root,
    path: file.path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(from === undefined ? {} : { from: from.path }),
    added,
    removed,
    turns: turns.sort((a, b) => a - b),
    ...(file.shared === true || from?.shared === true ? { shared: true } : {}),
  };
}

function linesOfRename(from: ReviewedFile, to: ReviewedFile, contentOf: ContentOf): LineCounts {
  const [before, after] = [from.reviewed, to.last].map((state): FileContent => {
    const bytes = state && contentOf(state.oid);
    return state && bytes && { mode: state.mode, bytes: Buffer.from(bytes).toString("latin1") };
  });
  return linesBetween(before, after);
}

export function changeOf({ path, reviewed, last }: ReviewedFile): FileChange {
  return {
    path,
    ...(reviewed === undefined ? {} : { before: reviewed }),
    ...(last === undefined ? {} : { after: last }),
  };
}
