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
import path from "node:path";
import type { ReviewLimit } from "../../src/protocol/review/review";
import type { Clock } from "../rpc/clock";
import { isCoveredBy, ownerOf, type Claimant } from "./claims";
import { isSameDiskFile, MAX_FILE_BYTES, readDiskFile, realFile, type DiskFile } from "./disk-file";
import { partsOf, type KnownChange } from "./known-changes";
import type { RecordedFiles } from "./recorded-files";
import { RecordedRoots } from "./recorded-roots";
import { FILES_AT_ONCE } from "./review-contents";
import { RootChanges } from "./root-changes";
import {
  addChange,
  isSameChange,
  keepStarts,
  leftOutIn,
  lossesOf,
  placeOf,
  protect,
  withoutMoves,
  withoutRevealed,
  type KnownFile,
  type RunningTurn,
} from "./running-turn";
import type { BegunTurn, StoredState } from "./review-log";
import type { ObservedChange } from "./review-decision";
import type { SessionReview } from "./session-review";
import { mapBounded } from "./snapshots/bounded";
import { FILE_MODE, type FileChange } from "./snapshots/file-state";
import { realPath, type SnapshotStore } from "./snapshots/snapshot-store";

/** Milliseconds for which a prompt waits (issue 21 item 1). */
const BASELINE_MS = 300;

export interface RecorderDeps {
  readonly clock: Clock;
  readonly snapshots: Pick<SnapshotStore, "snapshot" | "changes" | "removed" | "moved" | "write" | "current">;
  readonly files: Pick<RecordedFiles, "fetch">;
  readonly review: SessionReview;
  /** Folders of the session. */
  readonly folders: readonly string[];
  /** The other recorders of this process. */
  readonly others: () => readonly TurnRecorder[];
  /** The review has changed. */
  readonly changed: () => void;
  readonly failed: (what: string, error: unknown) => void;
}

/** Changed files whose contents are in memory at the same time. */
const OBSERVED_AT_ONCE = 500;
const NOTHING_CLAIMED: ReadonlySet<string> = new Set();

export class TurnRecorder implements Claimant {
  readonly folders: readonly string[];
  #turn: RunningTurn | undefined;
  /** The last turn that ended, and its end by the clock. */
  #ended: { readonly turn: RunningTurn; readonly at: number } | undefined;
  readonly #roots = new RecordedRoots();
  readonly #changes: RootChanges;
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
      { clock, review, changed } = this.deps;
    this.#turn = undefined;
    if (turn === undefined) return this.settled();
    this.#ended = { turn, at: clock.now() };
    return this.#enqueue(async () => {
      try {
        await this.#compare(turn);
        this.#losses = await lossesOf(turn, this.#roots.limits, this.#leftOut);
      } finally {
        review.ended(turn.number);
        changed();
      }
    });
  }

  /** Records what changed in a turn that ended with its process. The user may have changed files since then. */
  recover(): Promise<void> {
    const { review, snapshots, changed } = this.deps,
      { open } = review.state;
    if (open === undefined || this.#turn !== undefined) return Promise.resolve();
    return this.#enqueue(async () => {
      try {
        const snapshot = await snapshots.snapshot(this.folders);
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
          await this.#observe(root, files, open.turn);
      } finally {
        review.ended(open.turn);
        changed();
      }
    });
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
    const { review, snapshots, clock, changed } = this.deps;
    await review.settle();
    const snapshot = await snapshots.snapshot(this.folders);
    this.#sampledAt = clock.now();
    const roots = this.#roots.begin(snapshot);
    if (roots !== undefined) review.recorded(roots);
    turn.phase = roots === undefined ? "announced" : "recorded";
    turn.leftOut = new Set(leftOutIn(snapshot));
    changed();
  }

  /** Compares the folders with their last state. */
  async #compare(turn: RunningTurn): Promise<void> {
    const { snapshots, clock, changed } = this.deps,
      since = this.#sampledAt;
    if (turn.phase === "baseline") return;
    this.#sampledAt = clock.now();
    const others = this.deps.others().filter(other => other !== this && other.ranSince(since));
    if (turn.phase === "recorded") {
      const snapshot = await snapshots.snapshot(this.folders),
        { changes, hasRemoved } = await this.#changes.in(snapshot);
      for (const [root, files] of await withoutRevealed(withoutMoves(changes), turn, hasRemoved)) {
        keepStarts(turn, root, files);
        const unknown = files.filter(file => !turn.known.has(placeOf(root, file))),
          moved = unknown.length === 0 ? [] : await snapshots.moved(root, this.#roots.at(root)?.headLog ?? 0),
          isMoved = (file: FileChange): boolean => moved.some(each => isSameChange(each, file));
        await this.#observe(
          root,
          unknown.filter(file => !isMoved(file)),
          turn.number,
          others,
        );
        await this.deps.review.observe(unknown.filter(isMoved).map(file => ({ root, ...file })));
      }
      const roots = this.#roots.set(snapshot);
      if (roots !== undefined) this.deps.review.recorded(roots);
      this.#leftOut = leftOutIn(snapshot);
    }
    for (const [file, known] of turn.known) await this.#observeKnown(file, known, turn.number, others);
    changed();
  }

  /** Without `others`, the changes may be the user's, too. */
  async #observe(
    root: string,
    files: readonly FileChange[],
    turn: number,
    others?: readonly Claimant[],
  ): Promise<void> {
    // The contents of all files may be too large for the memory.
    for (let at = 0; at < files.length; at += OBSERVED_AT_ONCE)
      await this.#observeSome(root, files.slice(at, at + OBSERVED_AT_ONCE), turn, others);
  }

  async #observeSome(
    root: string,
    files: readonly FileChange[],
    turn: number,
    others: readonly Claimant[] | undefined,
  ): Promise<void> {
    const own: ObservedChange[] = [],
      foreign: ObservedChange[] = [];
    for (const change of files) {
      const owner = others ? ownerOf(placeOf(root, change), this, others) : "shared";
      if (owner === "others") foreign.push({ root, ...change });
      else own.push({ root, ...change, ...(owner === "shared" ? { shared: true } : {}) });
    }
    const { found, release } = await this.deps.files.fetch(
      root,
      files.flatMap(({ before, after }) => [before, after].flatMap(state => state?.oid ?? [])),
    );
    this.#roots.addGone(
      files.flatMap(file => (file.after || found.has(file.before?.oid ?? "") ? [] : [placeOf(root, file)])),
    );
    try {
      if (own.length > 0) await this.deps.review.observe(own, turn);
      if (foreign.length > 0) await this.deps.review.observe(foreign);
    } finally {
      release();
    }
  }

  /** Compares a file with known changes. Its state on disk is newer than that of a snapshot. */
  async #observeKnown(file: string, known: KnownFile, turn: number, others: readonly Claimant[]): Promise<void> {
    const root = this.#roots.rootOf(file, this.folders);
    if (root === undefined) return;
    const name = path.relative(root, file).split(path.sep).join("/"),
      changes = known.changes.splice(0),
      store = (state: DiskFile): Promise<StoredState> => this.#store(root, state);
    const stored: KnownChange[] = [];
    for (const { by, before, after } of changes)
      stored.push({ by, before: await store(before), after: await store(after) });
    const { at } = known,
      start = at === "tree" ? stored[0]?.before : at !== undefined && "stored" in at ? at.stored : await store(at),
      now = await this.deps.snapshots.current(root, name, stored.at(-1)?.after ?? start),
      owner = ownerOf(file, this, others);
    known.at = { stored: now };
    for (const { by, before, after } of partsOf(start, stored, now)) {
      const change: ObservedChange = {
        root,
        path: name,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        ...(owner === "shared" ? { shared: true } : {}),
      };
      await this.deps.review.observe([change], by === "agent" && owner !== "others" ? turn : undefined);
    }
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

  async #store(root: string, state: DiskFile): Promise<StoredState> {
    return state && { mode: state.mode, oid: await this.deps.snapshots.write(root, state.bytes) };
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#queue
      .then(work)
      .catch((error: unknown) => this.fail("The changes of a turn could not be recorded", error));
    this.#queue = result;
    return result;
  }
}
