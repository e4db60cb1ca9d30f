/** The last recorded states of a session's roots, and what the snapshots do not contain. */
import { existsSync } from "node:fs";
import type { ReviewLimit } from "../../src/protocol/review/review";
import type { RecordedRoot } from "./review-log";
import { limitsOf, MAX_LISTED_PATHS } from "./running-turn";
import type { Oid } from "./snapshots/file-state";
import type { HeadPosition } from "./snapshots/head-log";
import { isWithin } from "./snapshots/repository";
import type { Snapshot } from "./snapshots/snapshot-store";

interface RootState {
  readonly tree: Oid;
  readonly head: HeadPosition;
}

export class RecordedRoots {
  readonly #states = new Map<string, RootState>();
  #skipped: ReadonlySet<string> = new Set();
  /** Roots with changes in this turn that cannot be read. */
  readonly #lost = new Set<string>();
  /** Roots that were removed in this turn, and whose files are known. */
  readonly #removed = new Set<string>();
  /** Absolute paths of changed files whose earlier contents are missing. */
  readonly #gone = new Set<string>();
  #limits: readonly ReviewLimit[] = [];

  /** Files and folders that the snapshots do not contain. */
  get limits(): readonly ReviewLimit[] {
    return this.#limits;
  }

  /** A turn begins with this snapshot. Returns the states for the log, if there are any. */
  begin(snapshot: Snapshot): readonly RecordedRoot[] | undefined {
    for (const each of [this.#states, this.#lost, this.#removed, this.#gone]) each.clear();
    return this.set(snapshot);
  }

  /** Replaces the states by those of the snapshot. */
  set(snapshot: Snapshot): readonly RecordedRoot[] | undefined {
    this.#limits = [
      ...limitsOf(snapshot).filter(limit => limit.kind !== "skipped" || !this.#removed.has(limit.root)),
      ...[...this.#lost].map(root => ({ kind: "skipped", root, why: "failed" }) as const),
      ...this.#goneFiles(),
    ];
    if (snapshot.kind === "unavailable") return undefined;
    this.#skipped = new Set(snapshot.skipped.flatMap(({ root }) => (this.#removed.has(root) ? [] : [root])));
    for (const { root, tree, head } of snapshot.roots) this.#states.set(root, { tree, head });
    return snapshot.roots.map(({ root, tree }) => ({ root, tree }));
  }

  /** The last state of a root. */
  at(root: string): RootState | undefined {
    return this.#states.get(root);
  }

  /** A root without an earlier state in this turn is recorded from now on. */
  isSkipped(root: string): boolean {
    return this.#skipped.has(root) && !this.#states.has(root);
  }

  /** The changes of the root are lost, for example with the objects of the user's repository. */
  lose(root: string): void {
    this.#lost.add(root);
  }

  /** Recorded roots that the snapshot does not contain. `removed`: their folder does not exist any more. */
  missingIn(snapshot: Snapshot): { readonly removed: readonly string[]; readonly merged: readonly string[] } {
    const present = new Set(snapshot.kind === "recorded" ? snapshot.roots.map(({ root }) => root) : []),
      missing = [...this.#states.keys()].filter(root => !present.has(root) && !this.#skipped.has(root));
    return {
      removed: missing.filter(root => !existsSync(root)),
      merged: missing.filter(root => existsSync(root)),
    };
  }

  /** The files of a removed root are recorded as deleted. */
  remove(root: string): void {
    this.#removed.add(root);
    this.#states.delete(root);
  }

  /** Changed files whose earlier contents are missing. */
  addGone(files: readonly string[]): void {
    for (const file of files) this.#gone.add(file);
  }

  /** The innermost recorded root, or without git one of the folders. */
  rootOf(file: string, folders: readonly string[]): string | undefined {
    const roots = this.#states.size > 0 ? [...this.#states.keys()] : folders;
    return roots.filter(root => isWithin(root, file)).sort((a, b) => b.length - a.length)[0];
  }

  #goneFiles(): readonly ReviewLimit[] {
    const paths = [...this.#gone];
    return paths.length === 0 ? [] : [{ kind: "gone", count: paths.length, paths: paths.slice(0, MAX_LISTED_PATHS) }];
  }
}
