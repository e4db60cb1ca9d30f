/**
 * Records which files the turns of one session change, and who changed them (issue 21 items 1 and 2).
 *
 *   begin ──▶ baseline ──▶ recorded, or announced without git ── end ──▶ last snapshot
 *                          (a snapshot after each writing tool call)
 *
 * A change between two snapshots of a turn is the agent's, unless the user saved the file meanwhile, an operation of
 * the review wrote it, git wrote it for another commit, or it belongs to another session. Changes between two turns are
 * the user's.
 *
 * Invariants:
 * - Snapshots and their evaluation happen one after another.
 * - A prompt waits at most `BASELINE_MS` for its baseline.
 * - Nothing rejects: what cannot be recorded is reported as a limit of the review.
 */
import { existsSync } from "node:fs";
import type { ReviewLimit } from "../../src/protocol/review/review";
import type { Clock } from "../rpc/clock";
import { AttributedChanges, type AttributionDeps } from "./attributed-changes";
import { isCoveredBy, type Claimant } from "./claims";
import { isSameDiskFile, MAX_FILE_BYTES, readDiskFile, realFile, type DiskFile } from "./disk-file";
import { RecordedRoots } from "./recorded-roots";
import { FILES_AT_ONCE } from "./review-contents";
import { RootChanges } from "./root-changes";
import {
  addChange,
  keepStarts,
  leftOutIn,
  lossesOf,
  placeOf,
  protect,
  withoutMoves,
  withoutRevealed,
  type RunningTurn,
} from "./running-turn";
import type { BegunTurn } from "./review-log";
import type { SessionReview } from "./session-review";
import { mapBounded } from "./snapshots/bounded";
import { FILE_MODE, type FileChange } from "./snapshots/file-state";
import { realPath, type SnapshotStore } from "./snapshots/snapshot-store";

/** Milliseconds for which a prompt waits (issue 21 item 1). */
const BASELINE_MS = 300;

export interface RecorderDeps {
  /** Id of the review. */
  readonly id: string;
  readonly clock: Clock;
  readonly snapshots: Pick<SnapshotStore, "snapshot" | "keep" | "endTurn" | "changes" | "removed"> &
    AttributionDeps["snapshots"];
  readonly files: AttributionDeps["files"];
  readonly review: SessionReview;
  /** Folders of the session. */
  readonly folders: readonly string[];
  /** The other recorders of this process. */
  readonly others: () => readonly TurnRecorder[];
  /** The review has changed. */
  readonly changed: () => void;
  readonly failed: (what: string, error: unknown) => void;
}

const NOTHING_CLAIMED: ReadonlySet<string> = new Set();

export class TurnRecorder implements Claimant {
  readonly folders: readonly string[];
  #turn: RunningTurn | undefined;
  /** The last turn that ended, and its end by the clock. */
  #ended: { readonly turn: RunningTurn; readonly at: number } | undefined;
  readonly #roots = new RecordedRoots();
  readonly #changes: RootChanges;
  readonly #attributed: AttributedChanges;
  #losses: readonly ReviewLimit[] = [];
  /** Since the last turn began. */
  #failures: readonly ReviewLimit[] = [];
  /** Files that the last snapshot left out, absolute. */
  #leftOut: readonly string[] = [];
  /** Time of the last snapshot. */
  #sampledAt = 0;
  #sample: "none" | "waiting" = "none";
  #queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: RecorderDeps) {
    this.folders = [...new Set(deps.folders.map(realPath))];
    this.#changes = new RootChanges(deps.snapshots, this.#roots, deps.failed);
    this.#attributed = new AttributedChanges({ ...deps, roots: this.#roots, session: this });
  }

  get claimed(): ReadonlySet<string> {
    return (this.#turn ?? this.#ended?.turn)?.claimed ?? NOTHING_CLAIMED;
  }
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }
  /** Files and folders that the snapshots do not contain. */
  get limits(): readonly ReviewLimit[] {
    return [...this.#roots.limits, ...this.#failures];
  }
  /** The limits that concern the last turn, which may have changed files that no snapshot contains. */
  get losses(): readonly ReviewLimit[] {
    return this.#turn === undefined ? [...this.#losses, ...this.#failures] : [];
  }

  /** Whether the session had a turn since this time of the clock. */
  ranSince(time: number): boolean {
    return this.#turn !== undefined || (this.#ended?.at ?? -Infinity) >= time;
  }

  /** Resolves when the baseline is recorded, or after `BASELINE_MS`. */
  begin(prompt: Omit<BegunTurn, "turn">): Promise<void> {
    const { clock, review } = this.deps;
    void this.end();
    this.#failures = [];
    const turn: RunningTurn = {
      number: review.begin(prompt),
      at: prompt.at,
      phase: "baseline",
      claimed: new Set(),
      known: new Map(),
      saving: new Map(),
      leftOut: new Set(),
      writtenIn: new Set(),
    };
    this.#turn = turn;
    this.#losses = [];
    const recorded = this.#enqueue(() => this.#baseline(turn));
    return new Promise(resolve => {
      const timer = clock.after(BASELINE_MS, () => {
        if (turn.phase === "baseline") this.#late(turn);
        resolve();
      });
      void recorded.finally(() => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }

  /** A tool call names these absolute paths. */
  async announced(files: readonly string[]): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined) return;
    const covered = this.#covered(files);
    for (const file of covered) turn.claimed.add(file);
    if (turn.phase !== "recorded") await Promise.all(covered.map(file => protect(turn, file)));
  }

  /** A tool call that can write has ended. */
  toolEnded(): void {
    const turn = this.#turn;
    turn?.writtenIn.add(turn.phase);
    if (turn === undefined || this.#sample === "waiting") return;
    this.#sample = "waiting";
    void this.#enqueue(() => {
      this.#sample = "none";
      return this.#compare(turn);
    });
  }

  /** The agent writes a file through the editor. `write` resolves with the user's unsaved text that it replaced. */
  async writing(file: string, write: () => Promise<Uint8Array | undefined>): Promise<void> {
    const turn = this.#turn;
    await this.announced([file]);
    const before = turn && (await readDiskFile(file, MAX_FILE_BYTES)),
      unsaved = await write();
    if (turn && unsaved !== undefined)
      addChange(turn, realFile(file), {
        by: "user",
        before,
        after: { mode: before?.mode ?? FILE_MODE, bytes: unsaved },
      });
  }

  /** The user saves a file. */
  async saved(file: string, state: "saving" | "saved"): Promise<void> {
    const turn = this.#turn,
      [real] = this.#covered([file]);
    if (turn === undefined || real === undefined) return;
    const now = await readDiskFile(real, MAX_FILE_BYTES);
    if (state === "saving") return void turn.saving.set(real, now);
    if (turn.saving.has(real)) addChange(turn, real, { by: "user", before: turn.saving.get(real), after: now });
    turn.saving.delete(real);
  }

  /** An operation of the review changes files. */
  async operating<T>(files: readonly string[], operate: () => Promise<T>): Promise<T> {
    const turn = this.#turn;
    if (turn === undefined) return operate();
    const covered = this.#covered(files),
      read = (): Promise<readonly DiskFile[]> =>
        mapBounded(FILES_AT_ONCE, covered, file => readDiskFile(file, MAX_FILE_BYTES));
    const before = await read(),
      result = await operate(),
      after = await read();
    for (const [i, file] of covered.entries())
      if (!isSameDiskFile(before[i], after[i]))
        addChange(turn, file, { by: "operation", before: before[i], after: after[i] });
    return result;
  }

  /** Resolves when the changes of the turn are recorded. */
  end(): Promise<void> {
    const turn = this.#turn,
      { clock } = this.deps;
    this.#turn = undefined;
    if (turn === undefined) return this.settled();
    this.#ended = { turn, at: clock.now() };
    return this.#enqueue(async () => {
      try {
        await this.#compare(turn);
        this.#losses = await lossesOf(turn, this.#roots.limits, this.#leftOut);
      } finally {
        await this.#close(turn.number);
      }
    });
  }

  /** Records what changed in a turn that ended with its process. The user may have changed files since then. */
  recover(): Promise<void> {
    const { id, review, snapshots } = this.deps,
      { open } = review.state;
    if (open === undefined || this.#turn !== undefined) return Promise.resolve();
    return this.#enqueue(async () => {
      try {
        const snapshot = await snapshots.snapshot(this.folders, id);
        const changes = new Map<string, readonly FileChange[]>(),
          after = new Map(snapshot.kind === "recorded" ? snapshot.roots.map(({ root, tree }) => [root, tree]) : []);
        for (const { root, tree } of open.roots) {
          const now = after.get(root);
          if (now !== undefined) changes.set(root, await this.#changes.known(root, tree, now));
          else if (snapshot.kind === "recorded" && !existsSync(root))
            changes.set(root, await this.#changes.removed(root, tree));
        }
        const turn = { at: review.state.turns.get(open.turn)?.at ?? 0, leftOut: new Set<string>() },
          hasRemoved = open.roots.some(({ root }) => !after.has(root));
        for (const [root, files] of await withoutRevealed(withoutMoves(changes), turn, hasRemoved))
          await this.#attributed.observe(root, files, open.turn);
      } finally {
        await this.#close(open.turn);
      }
    });
  }

  async #close(turn: number): Promise<void> {
    const { id, review, snapshots, changed } = this.deps;
    try {
      review.ended(turn);
    } finally {
      changed();
      await snapshots.endTurn(id);
    }
  }

  /** Resolves when the changes until now are recorded. */
  refresh(): Promise<void> {
    const turn = this.#turn;
    return turn === undefined ? this.settled() : this.#enqueue(() => this.#compare(turn));
  }

  /** Resolves when everything so far is recorded. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  /** Never throws: a timer calls it, and the prompt waits for its end. */
  #late({ number }: RunningTurn): void {
    try {
      this.deps.review.late(number);
    } catch (error) {
      this.fail("A late baseline could not be recorded", error);
    }
  }

  async #baseline(turn: RunningTurn): Promise<void> {
    const { id, review, snapshots, clock, changed } = this.deps;
    await review.settle();
    const snapshot = await snapshots.snapshot(this.folders, id);
    this.#sampledAt = clock.now();
    const roots = this.#roots.begin(snapshot);
    if (roots !== undefined) review.recorded(roots);
    turn.phase = roots === undefined ? "announced" : "recorded";
    turn.leftOut = new Set(leftOutIn(snapshot));
    changed();
  }

  /** Compares the folders with their last state. */
  async #compare(turn: RunningTurn): Promise<void> {
    const { id, snapshots, clock, changed } = this.deps,
      since = this.#sampledAt;
    if (turn.phase === "baseline") return;
    this.#sampledAt = clock.now();
    const others = this.deps.others().filter(other => other !== this && other.ranSince(since));
    if (turn.phase === "recorded") {
      const snapshot = await snapshots.snapshot(this.folders, id),
        { changes, hasRemoved } = await this.#changes.in(snapshot);
      for (const [root, files] of await withoutRevealed(withoutMoves(changes), turn, hasRemoved)) {
        keepStarts(turn, root, files);
        const unknown = files.filter(file => !turn.known.has(placeOf(root, file)));
        await this.#attributed.observe(root, unknown, turn.number, others);
      }
      const roots = this.#roots.set(snapshot);
      if (roots !== undefined) {
        this.deps.review.recorded(roots);
        await snapshots.keep(id, roots);
      }
      this.#leftOut = leftOutIn(snapshot);
    }
    for (const [file, known] of turn.known) await this.#attributed.observeKnown(file, known, turn.number, others);
    changed();
  }

  /** Changes of the turn could not be stored. */
  fail(what: string, error: unknown): void {
    this.#failures = [{ kind: "unstored" }];
    this.deps.failed(what, error);
    this.deps.changed();
  }

  #covered(files: readonly string[]): readonly string[] {
    return files.map(realFile).filter(file => isCoveredBy(file, this.folders));
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#queue
      .then(work)
      .catch((error: unknown) => this.fail("The changes of a turn could not be recorded", error));
    this.#queue = result;
    return result;
  }
}
