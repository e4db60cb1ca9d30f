/** Decides whose the changes of a turn are, and records them in the review (issue 21 item 2). */
import path from "node:path";
import { ownerOf, type Claimant } from "./claims";
import type { DiskFile } from "./disk-file";
import { partsOf, partsOfMove, type ChangePart, type KnownChange } from "./known-changes";
import type { RecordedFiles } from "./recorded-files";
import type { RecordedRoots } from "./recorded-roots";
import type { ObservedChange } from "./review-decision";
import type { StoredState } from "./review-log";
import { placeOf, type KnownFile } from "./running-turn";
import type { SessionReview } from "./session-review";
import { slices } from "./snapshots/bounded";
import type { FileChange } from "./snapshots/file-state";
import type { HeadChange } from "./snapshots/head-log";
import type { SnapshotStore } from "./snapshots/snapshot-store";

export interface AttributionDeps {
  readonly snapshots: Pick<SnapshotStore, "headChanges" | "write" | "current">;
  readonly files: Pick<RecordedFiles, "fetch" | "retained">;
  readonly review: Pick<SessionReview, "observe">;
  readonly roots: Pick<RecordedRoots, "at" | "rootOf" | "addGone">;
  readonly session: Claimant;
}

/** Changed files whose contents are in memory at the same time. */
const OBSERVED_AT_ONCE = 500;

/** Contents of files in the commits of HEAD since the last snapshot. `unclear`: HEAD moved, and they are unknown. */
type HeadChanges = ReadonlyMap<string, readonly HeadChange[]> | "unclear";
const NO_HEAD_CHANGES: HeadChanges = new Map();

export class AttributedChanges {
  constructor(private readonly deps: AttributionDeps) {}

  /** Changes between two snapshots. Without `others`, they may be the user's, too. */
  async observe(root: string, files: readonly FileChange[], turn: number, others?: readonly Claimant[]): Promise<void> {
    const last = this.deps.roots.at(root)?.head,
      isCompared = others !== undefined && last !== undefined && files.length > 0,
      head = isCompared ? ((await this.deps.snapshots.headChanges(root, last)) ?? "unclear") : NO_HEAD_CHANGES;
    // The contents of all files may be too large for the memory.
    for (const slice of slices(files, OBSERVED_AT_ONCE)) await this.#observeSome(root, slice, turn, others, head);
    // The repository may lose the earlier contents with the next tool call.
    await this.deps.files.retained();
  }

  /** Compares a file with known changes. Its state on disk is newer than that of a snapshot. */
  async observeKnown(file: string, known: KnownFile, turn: number, others: readonly Claimant[]): Promise<void> {
    const { roots, session, snapshots } = this.deps,
      root = roots.rootOf(file, session.folders);
    if (root === undefined) return;
    const name = path.relative(root, file).split(path.sep).join("/"),
      changes = known.changes.splice(0),
      store = (state: DiskFile): Promise<StoredState> => this.#store(root, state);
    const stored: KnownChange[] = [];
    for (const { by, before, after } of changes)
      stored.push({ by, before: await store(before), after: await store(after) });
    const { at } = known,
      start = at === "tree" ? stored[0]?.before : at !== undefined && "stored" in at ? at.stored : await store(at),
      now = await snapshots.current(root, name, stored.at(-1)?.after ?? start),
      owner = ownerOf(file, session, others);
    known.at = { stored: now };
    await this.#observeParts(root, name, partsOf(start, stored, now), owner === "others" ? undefined : turn, owner);
  }

  async #observeSome(
    root: string,
    files: readonly FileChange[],
    turn: number,
    others: readonly Claimant[] | undefined,
    head: HeadChanges,
  ): Promise<void> {
    const { roots, review, session } = this.deps,
      own: ObservedChange[] = [],
      foreign: ObservedChange[] = [],
      divided: (() => Promise<void>)[] = [];
    for (const change of files) {
      const { parts, isUnclear } = partsIn(change, head),
        claimed = others ? ownerOf(placeOf(root, change), session, others) : "shared",
        owner = claimed === "own" && isUnclear ? "shared" : claimed;
      if (parts.length > 1)
        divided.push(() => this.#observeParts(root, change.path, parts, owner === "others" ? undefined : turn, owner));
      else if (owner === "others" || parts[0]?.by === "user") foreign.push({ root, ...change });
      else own.push({ root, ...change, ...(owner === "shared" ? { shared: true } : {}) });
    }
    const { found, release } = await this.deps.files.fetch(
      root,
      files.flatMap(({ before, after }) => [before, after].flatMap(state => state?.oid ?? [])),
    );
    roots.addGone(
      files.flatMap(file => (file.before === undefined || found.has(file.before.oid) ? [] : [placeOf(root, file)])),
    );
    try {
      if (own.length > 0) await review.observe(own, turn);
      if (foreign.length > 0) await review.observe(foreign);
      for (const observe of divided) await observe();
    } finally {
      release();
    }
  }

  /** `turn`: of the agent's parts. Undefined: another session's agent made them. */
  async #observeParts(
    root: string,
    name: string,
    parts: readonly ChangePart[],
    turn: number | undefined,
    owner: ReturnType<typeof ownerOf>,
  ): Promise<void> {
    for (const { by, before, after } of parts) {
      const change: ObservedChange = {
        root,
        path: name,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        ...(owner === "shared" ? { shared: true } : {}),
      };
      await this.deps.review.observe([change], by === "agent" ? turn : undefined);
    }
  }

  async #store(root: string, state: DiskFile): Promise<StoredState> {
    return state && { mode: state.mode, oid: await this.deps.snapshots.write(root, state.bytes) };
  }
}

function partsIn(change: FileChange, head: HeadChanges): ReturnType<typeof partsOfMove> {
  const { before, after } = change;
  if (head === "unclear") return { parts: [{ by: "agent", before, after }], isUnclear: true };
  return partsOfMove(change, head.get(change.path) ?? []);
}
