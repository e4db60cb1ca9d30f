/**
 * The review of one session: records changes of its files, and keeps, undoes and rewinds them (issue 21 items 2 to 5).
 *
 * Invariants:
 * - One operation at a time.
 * - Each operation is in the log before it counts as done, and can be undone once.
 * - An interrupted operation is completed before the next event.
 * - A file that the agent did not demonstrably create is deleted only if the user has selected it.
 */
import { grouped } from "./snapshots/bounded";
import {
  acceptAll,
  acceptCommitted,
  acceptHunks,
  acceptTurns,
  beforeTurn,
  changed,
  changeOf,
  withoutHunks,
  type Author,
  type HunkRange,
} from "./file-review";
import { isSame, mergeContents, mergeContentsPreferringOurs, type FileContent } from "./file-version";
import {
  conflictOf,
  logged,
  undoOf,
  withoutDeletion,
  written,
  type FileId,
  type Includes,
  type ObservedChange,
  type Outcome,
} from "./review-decision";
import { linesBetween, MissingContent, ReviewContents, type ReviewFiles } from "./review-contents";
import { apply, fileKey, lineOf, stateIn } from "./review-log";
import type {
  About,
  BegunTurn,
  LoggedChange,
  LogLine,
  RecordedRoot,
  ReviewedFile,
  ReviewState,
  StoredState,
} from "./review-log";
import { complete, perform, type OperationDeps, type PlannedOperation } from "./review-operation";
import { previewed } from "./review-preview";
import { sameState } from "./snapshots/file-state";
import { notStored } from "./storage-failure";

/** `turn`: only changes of this turn; without it, all that is unreviewed. */
export interface Scope {
  readonly files: readonly FileId[];
  readonly turn?: number;
  /** Whether the user has selected these files. */
  readonly areSelected?: boolean;
}

export class SessionReview {
  readonly #state: ReviewState;
  readonly #contents: ReviewContents;
  /** The last operation; see the first invariant. */
  #last: Promise<unknown> = Promise.resolve();
  /** Number of operations that have not ended. */
  #unfinished = 0;

  /**
   * `log`: content of the log. `append` stores a line, and throws if it cannot. `newId`: a unique id. `onProgress`: of
   * an operation.
   */
  constructor(
    log: string,
    private readonly append: (line: string) => void,
    private readonly disk: ReviewFiles,
    private readonly newId: () => string,
    private readonly onProgress?: PlannedOperation["onProgress"],
  ) {
    this.#state = stateIn(log);
    this.#contents = new ReviewContents(disk);
  }

  get state(): Readonly<ReviewState> {
    return this.#state;
  }
  /** Whether an operation has not ended. Its log is not complete then. */
  get isBusy(): boolean {
    return this.#unfinished > 0;
  }
  /** The files that changed in the session, in the order of their first change. */
  get files(): readonly ReviewedFile[] {
    return [...this.#state.files.values()];
  }

  /** Describes the session. */
  describe(about: About): void {
    if (JSON.stringify(about) !== JSON.stringify(this.#state.about)) this.#log({ type: "about", ...about });
  }

  /** Begins a turn and returns its number. */
  begin(turn: Omit<BegunTurn, "turn">): number {
    const number = [...this.#state.turns.keys()].reduce((a, b) => Math.max(a, b), 0) + 1;
    this.#log({ type: "turn", turn: number, ...turn });
    return number;
  }
  /** Records the state of the folders in the running turn. */
  recorded(roots: readonly RecordedRoot[]): void {
    this.#log({ type: "recorded", roots });
  }
  late(turn: number): void {
    this.#log({ type: "late", turn });
  }
  ended(turn: number): void {
    this.#log({ type: "ended", turn });
  }

  /** Records the user's changes of known files since the last step. */
  settle(): Promise<void> {
    return this.#inOrder(async () => {
      // In a reviewed file, the next change shows what the user has changed.
      for (const file of this.files) if (!sameState(file.reviewed, file.last)) await this.#asOnDisk(file);
    });
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
        const file = known ?? { ...change, reviewed: change.before, last: change.before },
          seen = sameState(file.last, change.before) ? file : await this.#changed(file, change.before, "user", users),
          isShared = change.shared === true && turn !== undefined;
        await this.#changed(seen, change.after, turn ?? "user", turn === undefined ? users : others, isShared);
      }
      if (users.length > 0) this.#log({ type: "changed", files: users });
      if (others.length > 0) this.#log({ type: "changed", ...(turn === undefined ? {} : { turn }), files: others });
    });
  }

  accept({ files, turn }: Scope): Promise<Outcome> {
    const includes = only(turn);
    return this.#operate("accept", files, { includes, turn }, review => {
      const accepted = includes === undefined ? acceptAll(review) : acceptTurns(review, includes);
      return accepted === undefined
        ? conflictOf(review, "lines", review.last)
        : { kind: "change", content: accepted.last, reviewed: accepted.reviewed };
    });
  }

  undo({ files, turn, areSelected = false }: Scope): Promise<Outcome> {
    const includes = only(turn);
    return this.#operate("undo", files, { includes }, (review, file) => {
      const decision = undoOf(review, includes);
      return areSelected ? decision : withoutDeletion(file, decision);
    });
  }

  /** `from`: the earlier path of a renamed file. The hunks then concern its reviewed content. */
  acceptHunks(file: FileId, hunks: readonly HunkRange[], from?: FileId): Promise<Outcome> {
    return this.#operate("accept", [from ?? file], {}, async review => {
      const last = from === undefined ? review.last : await this.#lastOf(file),
        accepted = acceptHunks({ ...review, last }, hunks);
      return accepted === undefined
        ? conflictOf({ ...review, last }, "lines", last)
        : { kind: "change", content: review.last, reviewed: accepted.reviewed };
    });
  }

  undoHunks(file: FileId, hunks: readonly HunkRange[], from?: FileId): Promise<Outcome> {
    return this.#operate("undo", [file], {}, async review => {
      const origin = from && this.#fileOf(from),
        reviewed = origin === undefined ? review.reviewed : await this.#contents.read(origin.root, origin.reviewed),
        content = withoutHunks({ ...review, reviewed }, hunks);
      if (content === "invalid") return conflictOf(review, "lines", reviewed);
      // Otherwise the restored lines would be the reviewed content of a new file.
      return origin === undefined ? written(review, content) : { kind: "change", content, reviewed: review.reviewed };
    });
  }

  /** Keeps the content of a commit. `bytes`: the committed content; absent if the commit has no such file. */
  acceptCommitted(committed: readonly (FileId & { readonly bytes?: string })[]): Promise<Outcome> {
    const contents = new Map(committed.map(({ root, path, bytes }) => [fileKey(root, path), bytes]));
    return this.#operate("accept", committed, {}, (review, { root, path }) => {
      const accepted = acceptCommitted(review, contents.get(fileKey(root, path)));
      return { kind: "change", content: accepted.last, reviewed: accepted.reviewed };
    });
  }

  /** The files that this turn or a later one has changed. */
  changedSince(turn: number): readonly ReviewedFile[] {
    return this.files.filter(changedIn(each => each >= turn));
  }

  /** Restores the files to before this turn, with the user's changes since then. */
  rewind(turn: number): Promise<Outcome> {
    const includes = (each: number): boolean => each >= turn;
    return this.#operate("rewind", this.changedSince(turn), { includes }, (review, file) =>
      withoutDeletion(file, written(review, beforeTurn(review, turn))),
    );
  }

  /** The files that a rewind to before this turn would change, with all their steps. */
  async rewindPreview(turn: number): Promise<readonly (ObservedChange & Pick<ReviewedFile, "steps">)[]> {
    const previews = await previewed(
      this.changedSince(turn),
      (review, file) => {
        const decision = withoutDeletion(file, written(review, beforeTurn(review, turn)));
        return decision.kind === "change" ? { before: review.last, after: decision.content } : undefined;
      },
      this.#contents,
    );
    return previews.map(({ file, change }) => ({ ...change, steps: file.steps }));
  }

  /** The changes of one turn, without those of others. */
  async changesOf(turn: number): Promise<readonly ObservedChange[]> {
    const isOf = (each: number): boolean => each === turn,
      files = this.files.filter(changedIn(isOf));
    return (await previewed(files, review => changeOf(review, isOf), this.#contents)).map(({ change }) => change);
  }

  /** Undoes an operation, if it can be undone; see `operations`. */
  undoOperation(id: string): Promise<Outcome> {
    return this.#inOrder(async () => {
      const operation = this.state.operations.find(each => each.id === id);
      if (operation === undefined) return { changed: 0, remaining: [] };
      const changes = new Map(operation.files.map(file => [fileKey(file.root, file.path), file])),
        // The restored lines are those of the agent again.
        turn = operation.kind === "accept" ? undefined : operation.newestTurn;
      return this.#perform({
        files: operation.files,
        decide: async (review, { root, path }) => {
          const logged = changes.get(fileKey(root, path));
          if (logged === undefined) return { kind: "change", content: review.last, reviewed: review.reviewed };
          const [before, after, reviewedBefore, reviewed] = await Promise.all(
            [logged.before, logged.after, logged.reviewedBefore, logged.reviewed].map(each =>
              this.#contents.read(root, each),
            ),
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
        lineFor: files => ({ type: "undone", id, ...(turn === undefined ? {} : { turn }), files }),
      });
    });
  }

  #operate(
    kind: "accept" | "undo" | "rewind",
    files: readonly FileId[],
    { includes, turn }: { readonly includes?: Includes | undefined; readonly turn?: number | undefined },
    decide: PlannedOperation["decide"],
  ): Promise<Outcome> {
    return this.#inOrder(() => {
      const turns = files
          .flatMap(file => this.#fileOf(file)?.steps ?? [])
          .flatMap(({ by }) => (typeof by !== "number" || includes?.(by) === false ? [] : [by])),
        newest = turns.length === 0 ? {} : { newestTurn: turns.reduce((a, b) => Math.max(a, b)) },
        accepted = turn === undefined ? {} : { turn };
      return this.#perform({
        files,
        decide,
        lineFor: changes => ({ type: "operation", id: this.newId(), kind, ...newest, ...accepted, files: changes }),
      });
    });
  }

  #perform(operation: PlannedOperation): Promise<Outcome> {
    return perform({ ...operation, onProgress: this.onProgress }, this.#operationDeps);
  }

  get #operationDeps(): OperationDeps {
    return {
      contents: this.#contents,
      disk: this.disk,
      fileOf: id => this.#fileOf(id),
      asOnDisk: id => this.#asOnDisk(id),
      log: line => this.#log(line),
    };
  }

  /** The content of a file on disk. */
  async #lastOf(id: FileId): Promise<FileContent> {
    const file = await this.#asOnDisk(id);
    return file && this.#contents.read(file.root, file.last);
  }

  /** The file with the changes on disk since the last step, which are the user's. Undefined if it is not reviewed. */
  async #asOnDisk(id: FileId): Promise<ReviewedFile | undefined> {
    const file = this.#fileOf(id),
      current = file && (await this.disk.current(file.root, file.path, file.last));
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
    isShared = false,
  ): Promise<Pick<ReviewedFile, "root" | "path" | "reviewed" | "last">> {
    const { root } = file,
      isAgent = typeof by === "number",
      contents = await this.#contentsOf(root, [file.reviewed, file.last, after]);
    // Without the contents, nothing is merged or counted.
    const unmerged = !isAgent && sameState(file.reviewed, file.last) ? after : file.reviewed,
      none = { added: 0, removed: 0 };
    let state = unmerged,
      unreviewed = none,
      own = none;
    if (contents !== undefined) {
      const [reviewed, last, next] = contents,
        result = changed({ reviewed, last, steps: [] }, next, by);
      state = isSame(result.reviewed, reviewed) ? file.reviewed : await this.#contents.store(root, result.reviewed);
      unreviewed = linesBetween(result.reviewed, next);
      own = linesBetween(last, next);
    }
    changes.push({
      ...logged(file, after, state, unreviewed),
      ...(isAgent ? { changed: own } : {}),
      ...(isShared ? { shared: true } : {}),
    });
    return { ...file, reviewed: state, last: after };
  }

  /** Undefined if one of them is not stored any more. */
  async #contentsOf(root: string, states: readonly StoredState[]): Promise<readonly FileContent[] | undefined> {
    try {
      return await Promise.all(states.map(each => this.#contents.read(root, each)));
    } catch (error) {
      if (error instanceof MissingContent) return undefined;
      throw error;
    }
  }

  #fileOf({ root, path }: FileId): ReviewedFile | undefined {
    return this.#state.files.get(fileKey(root, path));
  }

  /** Throws a sentence if the line cannot be stored. Nothing has changed then. */
  #log(line: LogLine): void {
    try {
      this.append(lineOf(line));
    } catch (error) {
      throw notStored(error);
    }
    apply(this.#state, line);
    const files = "files" in line ? line.files : line.type === "planned" ? line.line.files : [];
    for (const [root, own] of grouped(files, file => file.root))
      this.disk.keep(
        root,
        own.flatMap(({ before, after, reviewed }) => [before, after, reviewed].flatMap(state => state?.oid ?? [])),
      );
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    this.#unfinished++;
    const result = this.#last
      .then(async () => {
        if (this.#state.planned !== undefined) await complete(this.#state.planned, this.#operationDeps);
        return work();
      })
      .finally(() => this.#unfinished--);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

const only = (turn: number | undefined): Includes | undefined =>
  turn === undefined ? undefined : each => each === turn;

const changedIn =
  (includes: (turn: number) => boolean) =>
  ({ steps }: ReviewedFile): boolean =>
    steps.some(({ by }) => typeof by === "number" && includes(by));
