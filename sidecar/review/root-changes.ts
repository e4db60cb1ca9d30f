/** The changed files of a session's roots, from the trees of their snapshots. */
import type { RecordedRoots } from "./recorded-roots";
import type { FileChange, Oid } from "./snapshots/file-state";
import type { RenamedFile } from "./snapshots/renames";
import type { Snapshot, SnapshotStore } from "./snapshots/snapshot-store";

export class RootChanges {
  /** `failed` logs an error. */
  constructor(
    private readonly snapshots: Pick<SnapshotStore, "changes" | "removed">,
    private readonly roots: RecordedRoots,
    private readonly failed: (what: string, error: unknown) => void,
  ) {}

  /**
   * The changes from the last snapshot to this one, by root. A root has none if its objects are lost, for example with
   * the user's repository. `hasRemoved`: a root of the last snapshot is no root any more.
   */
  async in(
    snapshot: Snapshot,
  ): Promise<{ readonly changes: ReadonlyMap<string, readonly FileChange[]>; readonly hasRemoved: boolean }> {
    const { removed, merged } = this.roots.missingIn(snapshot),
      changes = new Map<string, readonly FileChange[]>();
    for (const { root, tree } of snapshot.kind === "recorded" ? snapshot.roots : [])
      if (!this.roots.isSkipped(root)) changes.set(root, await this.#since(root, tree));
    for (const root of snapshot.kind === "recorded" ? removed : [])
      changes.set(root, await this.removed(root, this.roots.at(root)?.tree));
    return { changes, hasRemoved: removed.length + merged.length > 0 };
  }

  /** The files of a root whose folder was removed, as deleted. */
  async removed(root: string, tree: Oid | undefined): Promise<readonly FileChange[]> {
    if (tree === undefined) return [];
    try {
      const files = await this.snapshots.removed(root, tree);
      this.roots.remove(root);
      return files;
    } catch (error) {
      return this.#lose(root, error);
    }
  }

  /**
   * The differences of two trees. A renamed file is deleted at one path and created at another. Rejects with `GitError`
   * if an object is missing.
   */
  async between(root: string, before: Oid | undefined, after: Oid): Promise<readonly FileChange[]> {
    const { files } = await this.snapshots.changes(root, before, after);
    return files.flatMap((file: FileChange | RenamedFile) =>
      "from" in file
        ? [
            { path: file.from, before: file.before },
            { path: file.path, after: file.after },
          ]
        : [file],
    );
  }

  /** Like `between`, but without changes if an object is missing. */
  async known(root: string, before: Oid | undefined, after: Oid): Promise<readonly FileChange[]> {
    return this.between(root, before, after).catch((error: unknown) => this.#lose(root, error));
  }

  #since(root: string, tree: Oid): Promise<readonly FileChange[]> {
    return this.known(root, this.roots.at(root)?.tree, tree);
  }

  #lose(root: string, error: unknown): readonly FileChange[] {
    this.failed("A folder could not be compared with the start of the turn", error);
    this.roots.lose(root);
    return [];
  }
}
