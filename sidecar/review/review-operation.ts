/**
 * Performs an operation of the user: decides about each file from its content on disk, and writes the results.
 *
 * Invariants:
 * - The log has the operation before a file is written. So its changes never count as the user's, also after a crash.
 * - A file is written only if it has the content from which the new one was computed. Otherwise the outcome names the
 *   reason.
 */
import { mapBounded, slices } from "./snapshots/bounded";
import type { FileReview } from "./file-review";
import { isSame, type FileContent } from "./file-version";
import {
  FILES_AT_ONCE,
  FILES_IN_MEMORY,
  linesBetween,
  MissingContent,
  statesOf,
  type ReviewContents,
  type ReviewFiles,
} from "./review-contents";
import { logged, type Decision, type FileId, type Outcome, type RemainingFile } from "./review-decision";
import type { FileLine, LoggedChange, LogLine, ReviewedFile, StoredState } from "./review-log";
import { sameState } from "./snapshots/file-state";

export interface OperationDeps {
  readonly contents: ReviewContents;
  readonly disk: Pick<ReviewFiles, "restore" | "current">;
  /** Undefined if the file is not reviewed. */
  readonly fileOf: (id: FileId) => ReviewedFile | undefined;
  /** The same, with the changes on disk since the last step, which are the user's. */
  readonly asOnDisk: (id: FileId) => Promise<ReviewedFile | undefined>;
  /** Throws if the line cannot be stored. */
  readonly log: (line: LogLine) => void;
}

export interface PlannedOperation {
  readonly files: readonly FileId[];
  readonly decide: (review: FileReview, file: ReviewedFile) => Decision | Promise<Decision>;
  readonly lineFor: (files: readonly LoggedChange[]) => FileLine;
  /** `done` of `total` steps. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function perform(
  { files, decide, lineFor, onProgress }: PlannedOperation,
  deps: OperationDeps,
): Promise<Outcome> {
  const planned: LoggedChange[] = [],
    remaining: RemainingFile[] = [];
  let done = 0;
  const advance = (count: number): void => onProgress?.((done += count), files.length * 2);
  for (const slice of slices(files, FILES_IN_MEMORY)) {
    const known = slice.flatMap(id => deps.fileOf(id) ?? []);
    await deps.contents.during(known.flatMap(statesOf), async () => {
      for (const plan of await mapBounded(FILES_AT_ONCE, slice, id => planOf(id, decide, deps)))
        if (plan !== undefined && isRemaining(plan)) remaining.push(plan);
        else if (plan !== undefined) planned.push(plan);
    });
    advance(slice.length);
  }
  const written = planned.filter(({ before, after }) => !sameState(before, after));
  advance(files.length - written.length);
  if (planned.length === 0) return { changed: 0, remaining };
  const line = lineFor(planned);
  if (written.length === 0) {
    deps.log(line);
    return { id: line.id, changed: planned.length, remaining };
  }
  deps.log({ type: "planned", line });
  const without: FileId[] = [];
  // Deletions precede, because a file and a folder of one name exclude each other.
  for (const group of [written.filter(({ after }) => !after), written.filter(({ after }) => after)])
    for (const slice of slices(group, FILES_IN_MEMORY)) {
      const states = slice.map(({ root, after }) => ({ root, state: after }));
      await deps.contents.during(states, () =>
        mapBounded(FILES_AT_ONCE, slice, async ({ root, path, before, after }) => {
          const sentence = await deps.disk.restore(root, path, after, before);
          if (sentence === undefined) return;
          without.push({ root, path });
          remaining.push({ root, path, sentence });
        }),
      );
      advance(slice.length);
    }
  deps.log({ type: "performed", id: line.id, without });
  const changed = planned.length - without.length;
  return changed === 0 ? { changed, remaining } : { id: line.id, changed, remaining };
}

/**
 * Logs the end of an operation that the process could not log. No file is written: if the user has changed a file since
 * then, its content shows whether the operation wrote it before.
 */
export async function complete(line: FileLine, { contents, disk, log }: OperationDeps): Promise<void> {
  const without = await mapBounded(FILES_AT_ONCE, line.files, async ({ root, path, before, after }) => {
    if (sameState(before, after)) return [];
    const current = await disk.current(root, path, before);
    if (sameState(current, after)) return [];
    const isWritten = !sameState(current, before) && (await isCloser(root, current, { before, after }, contents));
    return isWritten ? [] : [{ root, path }];
  });
  log({ type: "performed", id: line.id, without: without.flat() });
}

/**
 * Whether a content has fewer different lines from `after` than from `before`. False in doubt: then the file remains in
 * the review, with all differences as the user's.
 */
async function isCloser(
  root: string,
  current: StoredState,
  { before, after }: { readonly before: StoredState; readonly after: StoredState },
  contents: ReviewContents,
): Promise<boolean> {
  try {
    const [now, old, written] = await Promise.all([current, before, after].map(each => contents.read(root, each))),
      distanceTo = (content: FileContent): number => {
        const { added, removed } = linesBetween(content, now);
        return added + removed;
      };
    return distanceTo(written) < distanceTo(old);
  } catch (error) {
    if (error instanceof MissingContent) return false;
    throw error;
  }
}

/** The change of a file, or why it cannot change. Undefined if nothing changes. */
async function planOf(
  id: FileId,
  decide: PlannedOperation["decide"],
  { contents, asOnDisk }: OperationDeps,
): Promise<LoggedChange | RemainingFile | undefined> {
  const { root, path } = id;
  try {
    const file = await asOnDisk(id);
    if (file === undefined) return undefined;
    const { last, reviewed } = file,
      review = await contents.reviewOf(file),
      decision = await decide(review, file);
    if (decision.kind === "left") return { root, path, sentence: decision.sentence };
    if (decision.kind === "conflict") {
      const [base, wanted] = await Promise.all([
        contents.store(root, decision.base),
        contents.store(root, decision.wanted),
      ]);
      return { root, path, conflict: decision.why, merge: { base, current: last, wanted } };
    }
    const state = isSame(decision.content, review.last) ? last : await contents.store(root, decision.content),
      next = isSame(decision.reviewed, review.reviewed) ? reviewed : await contents.store(root, decision.reviewed);
    return sameState(state, last) && sameState(next, reviewed)
      ? undefined
      : {
          ...logged(file, state, next, linesBetween(decision.reviewed, decision.content)),
          ...(reviewed === undefined ? {} : { reviewedBefore: reviewed }),
        };
  } catch (error) {
    // The other files are not concerned.
    if (error instanceof MissingContent) return { root, path, sentence: error.message };
    throw error;
  }
}

function isRemaining(plan: LoggedChange | RemainingFile): plan is RemainingFile {
  return "sentence" in plan || "conflict" in plan;
}
