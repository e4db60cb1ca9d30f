/**
 * The review of one session: records changes of its files, and keeps, undoes and rewinds them (issue 21 items 2 to 5).
 *
 * Invariants:
 * - One operation at a time.
 * - A file is written only if it has the content from which the new one was computed. Otherwise the operation reports
 *   why the file did not change.
 * - Each operation is in the log before it counts as done, and can be undone once.
 */
import {
  acceptAll,
  acceptHunks,
  acceptTurns,
  beforeTurn,
  changed,
  changeOf,
  withoutHunks,
  withoutTurns,
  type Author,
  type FileReview,
  type FileStep,
  type HunkRange,
} from "./file-review";
import {
  isSame,
  isText,
  mergeContents,
  mergeContentsPreferringOurs,
  type Conflict,
  type FileContent,
} from "./file-version";
import { apply, fileKey, lineOf, stateIn } from "./review-log";
import type { LoggedChange, LogLine, Operation, ReviewedFile, ReviewState, StoredState } from "./review-log";
import { sameState } from "./snapshots/file-state";
import { lineEdits } from "./text-merge";

/** Contents and files of one session. `root`: absolute path of a folder; `path`: of a file in it, with `/`. */
export interface ReviewFiles {
  /** The content with this id, one character per byte. Rejects if it is missing. */
  read(root: string, oid: string): Promise<string>;
  /** Stores a content, and returns its id. */
  write(root: string, bytes: string): Promise<string>;
  /** The state on disk. */
  current(root: string, path: string): Promise<StoredState>;
  /** Writes or deletes a file that has the state `expected`. Returns a sentence if it did not change. */
  restore(root: string, path: string, state: StoredState, expected: StoredState): Promise<string | undefined>;
}

export interface FileId {
  readonly root: string;
  readonly path: string;
}

/** `before`, `after`: absent if the file did not or does not exist. */
export interface ObservedChange extends FileId {
  readonly before?: StoredState;
  readonly after?: StoredState;
}

/** A file that an operation did not change. `conflict`: later changes overlap. `sentence`: it could not be written. */
export type RemainingFile = FileId &
  ({ readonly conflict: Conflict; readonly merge: ConflictingContents } | { readonly sentence: string });

/** The three contents of a conflict, for a merge editor. */
export interface ConflictingContents {
  readonly base: StoredState;
  readonly current: StoredState;
  readonly wanted: StoredState;
}

/** `id`: of the operation, if it changed something. */
export interface Outcome {
  readonly id?: string;
  readonly remaining: readonly RemainingFile[];
}

/** The new content of a file, and of its reviewed content. */
type Decision =
  | { readonly kind: "change"; readonly content: FileContent; readonly reviewed: FileContent }
  | { readonly kind: "conflict"; readonly why: Conflict; readonly base: FileContent; readonly wanted: FileContent };

/** `includes`: the turns of the scope; without it, all that is unreviewed. */
export interface Scope {
  readonly files: readonly FileId[];
  readonly includes?: (turn: number) => boolean;
}

export class SessionReview {
  readonly #state: ReviewState;
  /** The last operation; see the first invariant. */
  #last: Promise<unknown> = Promise.resolve();

  /** `log`: content of the log. `append` stores a line, and throws if it cannot. `newId`: a unique id. */
  constructor(
    log: string,
    private readonly append: (line: string) => void,
    private readonly disk: ReviewFiles,
    private readonly newId: () => string,
  ) {
    this.#state = stateIn(log);
  }

  /** The files that changed in the session, in the order of their first change. */
  get files(): readonly ReviewedFile[] {
    return [...this.#state.files.values()];
  }
  /** The operations that can be undone, the newest last. */
  get operations(): readonly Operation[] {
    return this.#state.operations;
  }

  /**
   * Records changes of the agent's turn, or of the user if `turn` is absent. Changes of the user count only in files
   * that the agent has changed.
   */
  observe(changes: readonly ObservedChange[], turn?: number): Promise<void> {
    return this.#inOrder(async () => {
      const users: LoggedChange[] = [],
        others: LoggedChange[] = [];
      for (const change of changes) {
        const known = this.#fileOf(change);
        if (known === undefined && turn === undefined) continue;
        const missed = known && !sameState(known.last, change.before) ? change.before : undefined,
          file = known ?? { ...change, reviewed: change.before, last: change.before };
        const seen = missed === undefined ? file : await this.#changed(file, missed, "user", users);
        await this.#changed(seen, change.after, turn ?? "user", turn === undefined ? users : others);
      }
      if (users.length > 0) this.#log({ type: "changed", files: users });
      if (others.length > 0) this.#log({ type: "changed", ...(turn === undefined ? {} : { turn }), files: others });
    });
  }

  accept({ files, includes }: Scope): Promise<Outcome> {
    return this.#operate("accept", files, includes, review => {
      const accepted = includes === undefined ? acceptAll(review) : acceptTurns(review, includes);
      return accepted === undefined
        ? conflictOf(review, "lines", review.last)
        : { kind: "change", content: accepted.last, reviewed: accepted.reviewed };
    });
  }

  undo({ files, includes }: Scope): Promise<Outcome> {
    return this.#operate("undo", files, includes, review => {
      if (includes === undefined) return written(review, review.reviewed);
      const undone = withoutTurns(review, includes);
      const change = changeOf(review, includes);
      return undone.kind === "conflict"
        ? { kind: "conflict", why: undone.why, base: change?.after, wanted: change?.before }
        : written(review, undone.content);
    });
  }

  acceptHunks(file: FileId, hunks: readonly HunkRange[]): Promise<Outcome> {
    return this.#operate("accept", [file], undefined, review => {
      const accepted = acceptHunks(review, hunks);
      return accepted === undefined
        ? conflictOf(review, "lines", review.last)
        : { kind: "change", content: accepted.last, reviewed: accepted.reviewed };
    });
  }

  undoHunks(file: FileId, hunks: readonly HunkRange[]): Promise<Outcome> {
    return this.#operate("undo", [file], undefined, review => {
      const content = withoutHunks(review, hunks);
      return content === "invalid" ? conflictOf(review, "lines", review.reviewed) : written(review, content);
    });
  }

  /** Restores the files to before this turn, with the user's changes since then. */
  rewind(turn: number): Promise<Outcome> {
    const includes = (each: number): boolean => each >= turn;
    return this.#operate("rewind", this.files.filter(changedIn(includes)), includes, review =>
      written(review, beforeTurn(review, turn)),
    );
  }

  /** Contents that a rewind to before this turn would write. Unchanged files are omitted. */
  async rewindPreview(
    turn: number,
  ): Promise<readonly (FileId & { readonly before: FileContent; readonly after: FileContent })[]> {
    const files = this.files.filter(changedIn(each => each >= turn)),
      contents = await Promise.all(files.map(file => this.#reviewOf(file)));
    return contents.flatMap((review, i) => {
      const file = files[i],
        after = beforeTurn(review, turn);
      return file === undefined || isSame(review.last, after)
        ? []
        : [{ root: file.root, path: file.path, before: review.last, after }];
    });
  }

  /** Undoes an operation, if it can be undone; see `operations`. */
  async undoOperation(id: string): Promise<Outcome> {
    const operation = this.#state.operations.find(each => each.id === id);
    if (operation === undefined) return { remaining: [] };
    const changes = new Map(operation.files.map(file => [fileKey(file.root, file.path), file])),
      // The restored lines are those of the agent again.
      turn = operation.kind === "accept" ? undefined : operation.newestTurn;
    return this.#inOrder(() =>
      this.#change(
        operation.files,
        async (review, { root, path }) => {
          const logged = changes.get(fileKey(root, path));
          if (logged === undefined) return { kind: "change", content: review.last, reviewed: review.reviewed };
          const [before, after, reviewedBefore, reviewed] = await Promise.all(
            [logged.before, logged.after, logged.reviewedBefore, logged.reviewed].map(each => this.#read(root, each)),
          );
          const merged = mergeContents(after, review.last, before);
          return merged.kind === "conflict"
            ? { kind: "conflict", why: merged.why, base: after, wanted: before }
            : {
                kind: "change",
                content: merged.content,
                reviewed: mergeContentsPreferringOurs(reviewed, review.reviewed, reviewedBefore),
              };
        },
        files => ({ type: "undone", id, ...(turn === undefined ? {} : { turn }), files }),
      ),
    );
  }

  #operate(
    kind: Operation["kind"],
    files: readonly FileId[],
    includes: Scope["includes"],
    decide: (review: FileReview) => Decision,
  ): Promise<Outcome> {
    return this.#inOrder(() => {
      const turns = files
          .flatMap(file => this.#fileOf(file)?.steps ?? [])
          .flatMap(({ by }) => (typeof by !== "number" || includes?.(by) === false ? [] : [by])),
        newest = turns.length === 0 ? {} : { newestTurn: turns.reduce((a, b) => Math.max(a, b)) };
      return this.#change(
        files,
        async review => decide(review),
        changes => ({ type: "operation", id: this.newId(), kind, ...newest, files: changes }),
      );
    });
  }

  /** Decides about each file from its content on disk, writes it, and logs the written ones. */
  async #change(
    ids: readonly FileId[],
    decide: (review: FileReview, file: FileId) => Promise<Decision>,
    lineFor: (files: readonly LoggedChange[]) => Extract<LogLine, { readonly id: string }>,
  ): Promise<Outcome> {
    const done: LoggedChange[] = [],
      remaining: RemainingFile[] = [];
    for (const id of ids) {
      const file = await this.#asOnDisk(id);
      if (file === undefined) continue;
      const { root, path, last, reviewed } = file,
        review = await this.#reviewOf(file),
        decision = await decide(review, id);
      if (decision.kind === "conflict") {
        const [base, wanted] = await Promise.all([
          this.#store(root, decision.base),
          this.#store(root, decision.wanted),
        ]);
        remaining.push({ root, path, conflict: decision.why, merge: { base, current: last, wanted } });
        continue;
      }
      const state = isSame(decision.content, review.last) ? last : await this.#store(root, decision.content),
        next = isSame(decision.reviewed, review.reviewed) ? reviewed : await this.#store(root, decision.reviewed);
      const sentence = sameState(state, last) ? undefined : await this.disk.restore(root, path, state, last);
      if (sentence !== undefined) remaining.push({ root, path, sentence });
      else if (!sameState(state, last) || !sameState(next, reviewed))
        done.push({
          ...logged(file, state, next, linesBetween(decision.reviewed, decision.content)),
          ...(reviewed === undefined ? {} : { reviewedBefore: reviewed }),
        });
    }
    if (done.length === 0) return { remaining };
    const line = lineFor(done);
    this.#log(line);
    return { id: line.id, remaining };
  }

  /** The file with the changes on disk since the last step, which are the user's. Undefined if it is not reviewed. */
  async #asOnDisk(id: FileId): Promise<ReviewedFile | undefined> {
    const file = this.#fileOf(id),
      current = file && (await this.disk.current(file.root, file.path));
    if (file === undefined || sameState(file.last, current)) return file;
    const files: LoggedChange[] = [];
    await this.#changed(file, current, "user", files);
    this.#log({ type: "changed", files });
    return this.#fileOf(id);
  }

  /** Computes a change, and adds it to the changes to log. */
  async #changed(
    file: Pick<ReviewedFile, "root" | "path" | "reviewed" | "last">,
    after: StoredState,
    by: Author,
    changes: LoggedChange[],
  ): Promise<Pick<ReviewedFile, "root" | "path" | "reviewed" | "last">> {
    const { root } = file,
      [reviewed, last, next] = await Promise.all([file.reviewed, file.last, after].map(each => this.#read(root, each))),
      result = changed({ reviewed, last, steps: [] }, next, by);
    const state = isSame(result.reviewed, reviewed) ? file.reviewed : await this.#store(root, result.reviewed);
    changes.push(logged(file, after, state, linesBetween(result.reviewed, next)));
    return { ...file, reviewed: state, last: after };
  }

  #fileOf({ root, path }: FileId): ReviewedFile | undefined {
    return this.#state.files.get(fileKey(root, path));
  }

  async #reviewOf({ root, reviewed, last, steps }: ReviewedFile): Promise<FileReview> {
    const known = new Map<string, Promise<FileContent>>(),
      read = (state: StoredState): Promise<FileContent> => {
        const key = `${state?.mode} ${state?.oid}`,
          content = known.get(key) ?? this.#read(root, state);
        known.set(key, content);
        return content;
      };
    return {
      reviewed: await read(reviewed),
      last: await read(last),
      steps: await Promise.all(
        steps.map(
          async ({ by, before, after }): Promise<FileStep> => ({
            by,
            before: await read(before),
            after: await read(after),
          }),
        ),
      ),
    };
  }

  async #read(root: string, state: StoredState): Promise<FileContent> {
    return state && { mode: state.mode, bytes: await this.disk.read(root, state.oid) };
  }

  async #store(root: string, content: FileContent): Promise<StoredState> {
    return content && { mode: content.mode, oid: await this.disk.write(root, content.bytes) };
  }

  #log(line: LogLine): void {
    this.append(lineOf(line));
    apply(this.#state, line);
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function logged(
  { root, path, last }: Pick<ReviewedFile, "root" | "path" | "last">,
  after: StoredState,
  reviewed: StoredState,
  lines: { readonly added: number; readonly removed: number },
): LoggedChange {
  return {
    root,
    path,
    ...(last === undefined ? {} : { before: last }),
    ...(after === undefined ? {} : { after }),
    ...(reviewed === undefined ? {} : { reviewed }),
    ...lines,
  };
}

function conflictOf({ last }: FileReview, why: Conflict, wanted: FileContent): Decision {
  return { kind: "conflict", why, base: last, wanted };
}

/** A content that the user chose. The reviewed content changes with it. */
function written(review: FileReview, content: FileContent): Decision {
  return { kind: "change", content, reviewed: changed(review, content, "operation").reviewed };
}

/** 0 for files without lines. */
function linesBetween(before: FileContent, after: FileContent): { readonly added: number; readonly removed: number } {
  const [old, current] = [before?.bytes ?? "", after?.bytes ?? ""];
  if (!isText(old) || !isText(current)) return { added: 0, removed: 0 };
  const edits = lineEdits(old, current);
  return {
    added: edits.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: edits.reduce((sum, { start, end }) => sum + end - start, 0),
  };
}

const changedIn =
  (includes: (turn: number) => boolean) =>
  ({ steps }: ReviewedFile): boolean =>
    steps.some(({ by }) => typeof by === "number" && includes(by));
