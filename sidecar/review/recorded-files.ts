/** The contents and files of one review, in the snapshot store. */
import * as l10n from "@vscode/l10n";
import type { StoredState } from "./review-log";
import { MissingContent, type ReviewFiles } from "./review-contents";
import { notStored } from "./storage-failure";
import { mapBounded } from "./snapshots/bounded";
import type { Refusal } from "./snapshots/restore";
import type { SnapshotStore } from "./snapshots/snapshot-store";

const PINNED_AT_ONCE = 8;

export class RecordedFiles implements ReviewFiles {
  /** The last pin, so that they are written one after another. */
  #pinned: Promise<unknown> = Promise.resolve();
  /** Contents that are pinned. */
  readonly #pinnedKeys = new Set<string>();
  readonly #fetched = new Map<string, Uint8Array>();

  /** `review`: id of the review. `failed` logs an error. */
  constructor(
    private readonly snapshots: Pick<SnapshotStore, "read" | "readAll" | "write" | "current" | "restore" | "pin">,
    private readonly review: string,
    private readonly failed: (what: string, error: unknown) => void,
  ) {}

  async fetch(
    root: string,
    oids: readonly string[],
  ): Promise<{ readonly found: ReadonlySet<string>; readonly release: () => void }> {
    const fetched = await this.snapshots.readAll(root, oids);
    for (const [oid, bytes] of fetched) this.#fetched.set(keyOf(root, oid), bytes);
    return {
      found: new Set(fetched.keys()),
      release: () => {
        for (const oid of fetched.keys()) this.#fetched.delete(keyOf(root, oid));
      },
    };
  }

  async read(root: string, oid: string): Promise<string> {
    const bytes = this.#fetched.get(keyOf(root, oid)) ?? (await this.snapshots.read(root, oid));
    if (bytes === undefined) throw new MissingContent();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  }

  async write(root: string, bytes: string): Promise<string> {
    try {
      return await this.snapshots.write(root, Buffer.from(bytes, "latin1"));
    } catch (error) {
      throw notStored(error);
    }
  }

  current(root: string, path: string, like: StoredState): Promise<StoredState> {
    return this.snapshots.current(root, path, like);
  }

  async restore(root: string, path: string, state: StoredState, expected: StoredState): Promise<string | undefined> {
    const bytes = state && this.#fetched.get(keyOf(root, state.oid)),
      restored = await this.snapshots.restore(root, path, state, expected, bytes);
    return restored.kind === "refused" ? sentenceOf(restored) : undefined;
  }

  keep(root: string, oids: readonly string[]): void {
    const others = oids.filter(oid => !this.#pinnedKeys.has(keyOf(root, oid)));
    if (others.length === 0) return;
    // A content in memory needs no process that reads it.
    const known = others.flatMap(oid => this.#fetched.get(keyOf(root, oid)) ?? []);
    this.#pinned = this.#pinned.then(async () => {
      try {
        await mapBounded(PINNED_AT_ONCE, known, bytes => this.snapshots.write(root, bytes));
        await this.snapshots.pin(this.review, root, [], others);
        for (const oid of others) this.#pinnedKeys.add(keyOf(root, oid));
      } catch (error) {
        this.failed("Contents of a review could not be kept", error);
      }
    });
  }

  /** Resolves when the contents until now are kept, also if the user's repository loses them. */
  async retained(): Promise<void> {
    await this.#pinned;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pinned;
  }
}

const keyOf = (root: string, oid: string): string => `${root}\0${oid}`;

function sentenceOf(refusal: Refusal): string {
  switch (refusal.why) {
    case "changed":
      return l10n.t("The file was changed at the same time. Try again.");
    case "occupied":
      return l10n.t("A folder or a special file has this name.");
    case "outside":
      return l10n.t("A folder of this path is a link or a file.");
    case "path":
      return l10n.t("This path is not valid on this system.");
    case "missing":
      return new MissingContent().message;
    case "failed":
      return refusal.message;
  }
}
