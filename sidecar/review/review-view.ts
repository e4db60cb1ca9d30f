/** A review as the host and the chat show it. Pure. */
import type { Review, ReviewFile, ReviewLimit, ReviewSummary, RewindPrompt } from "../../src/protocol/review/review";
import type { FileContent } from "./file-version";
import { linesBetween, type LineCounts } from "./review-contents";
import { unreviewedSteps, unreviewedTurns, type ReviewedFile, type ReviewState } from "./review-log";
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

/** Undefined if nothing is unreviewed or missing. */
export function summaryOf(state: ReviewState, { losses }: Pick<ReviewProgress, "losses">): ReviewSummary | undefined {
  const files = unreviewedFiles(state);
  if (files.length === 0) return losses.length === 0 ? undefined : { ...total([]), isIncomplete: true, turns: [] };
  const turns = new Map<string, { files: number; added: number; removed: number }>();
  for (const file of files) {
    const seen = new Set<string>();
    for (const { by, added, removed } of unreviewedSteps(file)) {
      const entryId = state.turns.get(by)?.entryId;
      if (entryId === undefined) continue;
      const sum = turns.get(entryId) ?? { files: 0, added: 0, removed: 0 };
      turns.set(entryId, {
        files: sum.files + (seen.has(entryId) ? 0 : 1),
        added: sum.added + added,
        removed: sum.removed + removed,
      });
      seen.add(entryId);
    }
  }
  return { ...total(files), turns: [...turns].map(([entryId, counts]) => ({ entryId, ...counts })) };
}

function total(files: readonly ReviewedFile[]): Omit<ReviewSummary, "turns"> {
  return {
    files: files.length,
    added: files.reduce((sum, { added }) => sum + added, 0),
    removed: files.reduce((sum, { removed }) => sum + removed, 0),
  };
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
