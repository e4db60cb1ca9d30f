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
  acceptCommitted,
  acceptHunks,
  acceptTurns,
  beforeTurn,
  changed,
  changeOf,
  withoutHunks,
  withoutTurns,
  type Author,
  type FileReview,
  type HunkRange,
} from "./file-review";
import { isSame, mergeContents, mergeContentsPreferringOurs, type FileContent } from "./file-version";
import {
  conflictOf,
  logged,
  written,
  type Decision,
  type FileId,
  type ObservedChange,
  type Outcome,
  type RemainingFile,
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
import { sameState } from "./snapshots/file-state";

/** `turn`: only changes of this turn; without it, all that is unreviewed. */
export interface Scope {
  readonly files: readonly FileId[];
  readonly turn?: number;
}

export class SessionReview {
  readonly #state: ReviewState;
  readonly #contents: ReviewContents;
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
    this.#contents = new ReviewContents(disk);
  }

  get state(): Readonly<ReviewState> {
    return this.#state;
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

  undo({ files, turn }: Scope): Promise<Outcome> {
    const includes = only(turn);
    return this.#operate("undo", files, { includes }, review => {
      if (includes === undefined) return written(review, review.reviewed);
      const undone = withoutTurns(review, includes);
      const change = changeOf(review, includes);
      return undone.kind === "conflict"
        ? { kind: "conflict", why: undone.why, base: change?.after, wanted: change?.before }
        : written(review, undone.content);
    });
  }

  acceptHunks(file: FileId, hunks: readonly HunkRange[]): Promise<Outcome> {
    return this.#operate("accept", [file], {}, review => {
      const accepted = acceptHunks(review, hunks);
      return accepted === undefined
        ? conflictOf(review, "lines", review.last)
        : { kind: "change", content: accepted.last, reviewed: accepted.reviewed };
    });
  }

  undoHunks(file: FileId, hunks: readonly HunkRange[]): Promise<Outcome> {
    return this.#operate("undo", [file], {}, review => {
      const content = withoutHunks(review, hunks);
      return content === "invalid" ? conflictOf(review, "lines", review.reviewed) : written(review, content);
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

  /** Restores the files to before this turn, with the user's changes since then. */
  rewind(turn: number): Promise<Outcome> {
    const includes = (each: number): boolean => each >= turn;
    return this.#operate("rewind", this.files.filter(changedIn(includes)), { includes }, review =>
      written(review, beforeTurn(review, turn)),
    );
  }

  /** The files that a rewind to before this turn would change, with all their steps. */
  async rewindPreview(turn: number): Promise<readonly (ObservedChange & Pick<ReviewedFile, "steps">)[]> {
    const files = this.files.filter(changedIn(each => each >= turn));
    const changes = await Promise.all(
      files.map(async file => {
        const review = await this.#contents.reviewOf(file);
        return this.#changeBetween(file, review.last, beforeTurn(review, turn));
      }),
    );
    return changes.flatMap((change, i) => (change ? [{ ...change, steps: files[i]?.steps ?? [] }] : []));
  }

  /** The changes of one turn, without those of others. */
  async changesOf(turn: number): Promise<readonly ObservedChange[]> {
    const changes = await Promise.all(
      this.files.filter(changedIn(each => each === turn)).map(async file => {
        const change = changeOf(await this.#contents.reviewOf(file), each => each === turn);
        return change && this.#changeBetween(file, change.before, change.after);
      }),
    );
    return changes.flatMap(change => change ?? []);
  }

  /** Undoes an operation, if it can be undone; see `operations`. */
  async undoOperation(id: string): Promise<Outcome> {
    const operation = this.state.operations.find(each => each.id === id);
    if (operation === undefined) return { changed: 0, remaining: [] };
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
        files => ({ type: "undone", id, ...(turn === undefined ? {} : { turn }), files }),
      ),
    );
  }

  #operate(
    kind: "accept" | "undo" | "rewind",
    files: readonly FileId[],
    { includes, turn }: { readonly includes?: Includes | undefined; readonly turn?: number | undefined },
    decide: (review: FileReview, file: FileId) => Decision,
  ): Promise<Outcome> {
    return this.#inOrder(() => {
      const turns = files
          .flatMap(file => this.#fileOf(file)?.steps ?? [])
          .flatMap(({ by }) => (typeof by !== "number" || includes?.(by) === false ? [] : [by])),
        newest = turns.length === 0 ? {} : { newestTurn: turns.reduce((a, b) => Math.max(a, b)) },
        accepted = turn === undefined ? {} : { turn };
      return this.#change(
        files,
        async (review, file) => decide(review, file),
        changes => ({ type: "operation", id: this.newId(), kind, ...newest, ...accepted, files: changes }),
      );
    });
  }

  /** Decides about each file from its content on disk, writes it, and logs the written ones. */
  async #change(
    ids: readonly FileId[],
    decide: (review: FileReview, file: FileId) => Promise<Decision>,
    lineFor: (files: readonly LoggedChange[]) => Extract<LogLine, { readonly id: string }>,
  ): Promise<Outcome> {
    const planned: LoggedChange[] = [],
      done: LoggedChange[] = [],
      remaining: RemainingFile[] = [];
    for (const id of ids)
      try {
        const plan = await this.#plan(id, decide);
        if (plan !== undefined && "conflict" in plan) remaining.push(plan);
        else if (plan !== undefined) planned.push(plan);
      } catch (error) {
        // The other files are not concerned.
        if (!(error instanceof MissingContent)) throw error;
        remaining.push({ root: id.root, path: id.path, sentence: error.message });
      }
    // Deletions precede, because a file and a folder of one name exclude each other.
    for (const change of planned.sort((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined))) {
      const { root, path, before, after } = change,
        sentence = sameState(after, before) ? undefined : await this.disk.restore(root, path, after, before);
      if (sentence === undefined) done.push(change);
      else remaining.push({ root, path, sentence });
    }
    if (done.length === 0) return { changed: 0, remaining };
    const line = lineFor(done);
    this.#log(line);
    return { id: line.id, changed: done.length, remaining };
  }

  /** The change of a file, or a conflict. Undefined if nothing changes. */
  async #plan(
    id: FileId,
    decide: (review: FileReview, file: FileId) => Promise<Decision>,
  ): Promise<LoggedChange | Extract<RemainingFile, { readonly conflict: unknown }> | undefined> {
    const file = await this.#asOnDisk(id);
    if (file === undefined) return undefined;
    const { root, path, last, reviewed } = file,
      review = await this.#contents.reviewOf(file),
      decision = await decide(review, id);
    if (decision.kind === "conflict") {
      const [base, wanted] = await Promise.all([
        this.#contents.store(root, decision.base),
        this.#contents.store(root, decision.wanted),
      ]);
      return { root, path, conflict: decision.why, merge: { base, current: last, wanted } };
    }
    const state = isSame(decision.content, review.last) ? last : await this.#contents.store(root, decision.content),
      next = isSame(decision.reviewed, review.reviewed)
        ? reviewed
        : await this.#contents.store(root, decision.reviewed);
    return sameState(state, last) && sameState(next, reviewed)
      ? undefined
      : {
          ...logged(file, state, next, linesBetween(decision.reviewed, decision.content)),
          ...(reviewed === undefined ? {} : { reviewedBefore: reviewed }),
        };
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

  async #changeBetween(
    { root, path }: FileId,
    from: FileContent,
    to: FileContent,
  ): Promise<ObservedChange | undefined> {
    if (isSame(from, to)) return undefined;
    const [before, after] = [await this.#contents.store(root, from), await this.#contents.store(root, to)];
    return { root, path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }

  #fileOf({ root, path }: FileId): ReviewedFile | undefined {
    return this.#state.files.get(fileKey(root, path));
  }

  #log(line: LogLine): void {
    this.append(lineOf(line));
    apply(this.#state, line);
    if (!("files" in line)) return;
    for (const { root, before, after, reviewed } of line.files)
      this.disk.keep(
        root,
        [before, after, reviewed].flatMap(state => (state === undefined ? [] : [state.oid])),
      );
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

type Includes = (turn: number) => boolean;

const only = (turn: number | undefined): Includes | undefined =>
  turn === undefined ? undefined : each => each === turn;

const changedIn =
  (includes: (turn: number) => boolean) =>
  ({ steps }: ReviewedFile): boolean =>
    steps.some(({ by }) => typeof by === "number" && includes(by));
