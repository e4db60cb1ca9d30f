/** One review in memory: its operations, its recorder, and its view for the host. */
import * as l10n from "@vscode/l10n";
import type {
  ChangedFile,
  Review,
  ReviewHunk,
  ReviewPath,
  ReviewProgress,
  ReviewScope,
  ReviewSummary,
  RewoundFile,
} from "../../src/protocol/review/review";
import { ErrorCode } from "../../src/protocol/wire/errors";
import type { Clock } from "../rpc/clock";
import { RpcError } from "../rpc/message";
import { realFile } from "./disk-file";
import { RecordedFiles } from "./recorded-files";
import { fileKey, type ReviewedFile } from "./review-log";
import { changeOf, reviewOf, summaryOf, unreviewedFiles } from "./review-view";
import type { FileId, Outcome } from "./review-decision";
import { placeOf } from "./running-turn";
import { SessionReview } from "./session-review";
import { comparedOids } from "./snapshots/renames";
import { isWithin } from "./snapshots/repository";
import type { SnapshotStore } from "./snapshots/snapshot-store";
import { TurnRecorder } from "./turn-recorder";

export interface OpenReviewDeps {
  readonly clock: Clock;
  readonly snapshots: SnapshotStore;
  readonly read: () => string;
  readonly append: (lines: string) => void;
  readonly newId: () => string;
  /** Performs an operation that writes only these files, which all sessions with a turn know as such. */
  readonly operating: (files: readonly FileId[], operate: () => Promise<Outcome>) => Promise<Outcome>;
  /** All recorders of this process. */
  readonly recorders: () => readonly TurnRecorder[];
  readonly notifyChanged: (review: Review) => void;
  readonly notifyProgress: (progress: ReviewProgress) => void;
  readonly log: (message: string, error: unknown) => void;
}

/** Operations with fewer steps report no progress. */
const MIN_REPORTED_STEPS = 400;
/** Milliseconds between two notifications. */
const CHANGED_MS = 100;

type Listener = (summary: ReviewSummary | undefined) => void;

export class OpenReview implements AsyncDisposable {
  readonly #files: RecordedFiles;
  #session: SessionReview;
  #recorder: TurnRecorder | undefined;
  #listener: Listener | undefined;
  /** Contents of files that are renamed in the last view, by their object. */
  #renamed: ReadonlyMap<string, Uint8Array> = new Map();
  /** `ended`: nothing is reported any more. */
  #notification: "none" | "scheduled" | "ended" = "none";

  constructor(
    readonly id: string,
    private readonly deps: OpenReviewDeps,
  ) {
    this.#files = new RecordedFiles(deps.snapshots, id, deps.log);
    this.#session = this.#read();
  }

  get session(): SessionReview {
    return this.#session;
  }
  get recorder(): TurnRecorder | undefined {
    return this.#recorder;
  }
  get summary(): ReviewSummary | undefined {
    const losses = this.#recorder?.losses ?? [];
    return summaryOf(this.#session.state, { losses }, oid => this.#renamed.get(oid));
  }
  /** Whether changes of the last turn may be missing. */
  get isIncomplete(): boolean {
    return (this.#recorder?.losses ?? []).length > 0;
  }
  get isRecorded(): boolean {
    return this.#recorder !== undefined;
  }

  /**
   * Reads the log again, which another process may have changed. Not during an operation of this process: it would look
   * like an interrupted one, and no other process can change the log meanwhile.
   */
  reload(): void {
    if (!this.#session.isBusy) this.#session = this.#read();
  }

  record(folders: readonly string[], listener: Listener | undefined): TurnRecorder {
    const { clock, snapshots, recorders, log } = this.deps;
    this.reload();
    this.#listener = listener;
    this.#recorder = new TurnRecorder({
      ...{ id: this.id, clock, snapshots, folders },
      files: this.#files,
      review: this.#session,
      others: recorders,
      changed: () => this.changed(),
      failed: log,
    });
    if (unreviewedFiles(this.#session.state).length > 0) this.changed();
    return this.#recorder;
  }

  /** The session is closed. The review remains. */
  release(): void {
    this.#recorder = undefined;
    this.#listener = undefined;
    this.changed();
  }

  /** Reports a change, at most every `CHANGED_MS`. */
  changed(): void {
    this.#listener?.(this.summary);
    if (this.#notification !== "none") return;
    this.#notification = "scheduled";
    this.deps.clock.after(CHANGED_MS, () => {
      if (this.#hasEnded()) return;
      this.#notification = "none";
      void this.view().then(
        view => {
          if (this.#hasEnded()) return;
          this.deps.notifyChanged(view);
          // Only the contents show that a file with other changes was renamed.
          this.#listener?.(this.summary);
        },
        (error: unknown) => this.deps.log("A review could not be shown", error),
      );
    });
  }

  async view(): Promise<Review> {
    const contents = new Map<string, Uint8Array>();
    for (const [root, oids] of this.#compared())
      for (const [oid, bytes] of await this.deps.snapshots.readAll(root, oids)) contents.set(oid, bytes);
    const isRunning = this.#recorder !== undefined && this.#session.state.open !== undefined,
      { limits = [], losses = [] } = this.#recorder ?? {},
      progress = { isRunning, limits, losses };
    const view = reviewOf(this.id, this.#session.state, progress, oid => contents.get(oid)),
      sides = view.files.flatMap(({ from, before, after }) => (from === undefined ? [] : [before?.oid, after?.oid]));
    this.#renamed = new Map([...contents].filter(([oid]) => sides.includes(oid)));
    return view;
  }

  /** The review is removed. Returns its last view, without files. */
  end(): Review {
    this.#notification = "ended";
    const state = { files: new Map(), operations: [], turns: new Map(), lateTurns: new Set<number>() };
    return reviewOf(this.id, state, { isRunning: false, limits: [], losses: [] }, () => undefined);
  }

  /** Whether a file with unreviewed changes is in this folder. */
  isWithin(folder: string): boolean {
    return unreviewedFiles(this.#session.state).some(file => isWithin(folder, placeOf(file.root, file)));
  }

  /** `places`: real paths. */
  hasUnreviewed(places: readonly string[]): boolean {
    return unreviewedFiles(this.#session.state).some(file => places.includes(placeOf(file.root, file)));
  }

  async saved(file: string, state: "saving" | "saved"): Promise<void> {
    if (this.#recorder?.isRunning === true) return this.#recorder.saved(file, state);
    if (state === "saving" || this.#recorder === undefined || !this.hasUnreviewed([realFile(file)])) return;
    await this.#session.settle();
    this.changed();
  }

  /** Records the changes until now: those in a running turn as the agent's, others as the user's. */
  async refresh(): Promise<void> {
    if (this.#recorder?.isRunning === true) await this.#recorder.refresh();
    else await this.#session.settle();
    this.changed();
  }

  async keep(scope: ReviewScope): Promise<Outcome> {
    const files = await this.#chosen(scope.files);
    return scope.hunks === undefined
      ? this.#session.accept({ ...turnIn(scope), files })
      : this.#session.acceptHunks(...hunksOf(scope, files, scope.hunks));
  }

  async undo(scope: ReviewScope): Promise<Outcome> {
    const files = await this.#chosen(scope.files);
    return this.deps.operating(files, async () =>
      scope.hunks === undefined
        ? this.#session.undo({ ...turnIn(scope), files, areSelected: scope.files !== undefined })
        : this.#session.undoHunks(...hunksOf(scope, files, scope.hunks)),
    );
  }

  /** Undoes an operation. */
  revert(operation: string): Promise<Outcome> {
    const files = this.#session.state.operations.find(({ id }) => id === operation)?.files ?? [];
    return this.deps.operating(files, () => this.#session.undoOperation(operation));
  }

  /** A prompt without a turn was sent before anything was recorded. */
  async rewind(entryId: string): Promise<Outcome> {
    const turn = this.#turnOf(entryId);
    if (turn === undefined) return { changed: 0, remaining: [] };
    return this.deps.operating(this.#session.changedSince(turn), () => this.#session.rewind(turn));
  }

  async previewRewind(entryId: string): Promise<readonly RewoundFile[]> {
    const turn = this.#turnOf(entryId);
    if (turn === undefined) return [];
    const files = await this.#session.rewindPreview(turn);
    return files.map(({ steps, ...file }) => {
      const first = steps.findIndex(({ by }) => typeof by === "number" && by >= turn);
      return { ...file, hasOwnChanges: steps.slice(first).some(({ by }) => by === "user") };
    });
  }

  changesOf(turn: number): Promise<readonly ChangedFile[]> {
    return this.#session.changesOf(turn);
  }

  /** Keeps what the newest commit of the repository with this work tree contains. */
  async committed(folder: string): Promise<Outcome> {
    const files = unreviewedFiles(this.#session.state).filter(file => isWithin(folder, placeOf(file.root, file))),
      roots = [...new Set(files.map(({ root }) => root))],
      committed: (FileId & { readonly bytes?: string })[] = [];
    for (const root of roots) {
      const own = files.filter(file => file.root === root),
        contents = await this.deps.snapshots.committed(
          root,
          own.map(file => file.path),
        );
      for (const { path: name } of own) {
        const bytes = contents.get(name);
        committed.push({
          root,
          path: name,
          ...(bytes === undefined ? {} : { bytes: Buffer.from(bytes).toString("latin1") }),
        });
      }
    }
    return this.#session.acceptCommitted(committed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recorder?.end();
    this.#notification = "ended";
    await this.#files[Symbol.asyncDispose]();
  }

  #hasEnded(): boolean {
    return this.#notification === "ended";
  }

  #read(): SessionReview {
    const { read, append, newId, notifyProgress } = this.deps;
    return new SessionReview(read(), append, this.#files, newId, (done, total) => {
      if (total >= MIN_REPORTED_STEPS) notifyProgress({ id: this.id, done, total });
    });
  }

  #turnOf(entryId: string): number | undefined {
    return [...this.#session.state.turns.values()].find(each => each.entryId === entryId)?.turn;
  }

  /** These files, with the earlier paths of renamed ones, or all unreviewed files. */
  async #chosen(files: readonly ReviewPath[] | undefined): Promise<readonly ReviewedFile[]> {
    if (files === undefined) return unreviewedFiles(this.#session.state);
    const listed = (await this.view()).files,
      isChosen = ({ root, path: name }: FileId): boolean =>
        files.some(each => each.root === root && each.path === name),
      origins = listed.flatMap(file =>
        file.from === undefined || !isChosen(file) ? [] : [fileKey(file.root, file.from)],
      );
    return this.#session.files.filter(file => isChosen(file) || origins.includes(fileKey(file.root, file.path)));
  }

  /** Contents that show whether a file was renamed, by root. */
  #compared(): ReadonlyMap<string, readonly string[]> {
    const files = unreviewedFiles(this.#session.state),
      roots = [...new Set(files.map(({ root }) => root))];
    return new Map(
      roots.map(root => [root, comparedOids(files.filter(file => file.root === root).map(changeOf))] as const),
    );
  }
}

const turnIn = ({ turn }: ReviewScope): Pick<ReviewScope, "turn"> => (turn === undefined ? {} : { turn });

/** The file of the hunks, and its earlier path if it was renamed. `files`: both. */
function hunksOf(
  { files: named = [] }: ReviewScope,
  files: readonly ReviewedFile[],
  hunks: readonly ReviewHunk[],
): readonly [file: ReviewedFile, hunks: readonly ReviewHunk[], from: ReviewedFile | undefined] {
  const isNamed = (file: FileId): boolean => named.some(each => each.root === file.root && each.path === file.path),
    file = files.find(isNamed);
  if (file === undefined || named.length > 1)
    throw new RpcError(ErrorCode.refused, l10n.t("This file has no changes to review any more."));
  return [file, hunks, files.find(each => !isNamed(each))];
}
