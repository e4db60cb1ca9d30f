/**
 * Shows the review of an earlier window when this one starts. A file in the workspace's storage says that there is one:
 * VS Code stores the extension's state at the user's end of a remote connection, but reviews are where the files are.
 *
 * Invariants:
 * - Without a recorded review, or in an untrusted workspace, no sidecar is started.
 * - The mark is written only when it changes, one write after another.
 */
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Log } from "../log";

export interface StartupReviewDeps {
  /** The workspace's storage. A window without a workspace has none. */
  readonly folder: string | undefined;
  readonly log: Log;
  isTrusted(): boolean;
  /** The reviews are shown when the sidecar runs. */
  startSidecar(): Promise<unknown>;
}

export class StartupReview {
  /** Undefined until it was written. */
  #isMarked: boolean | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly deps: StartupReviewDeps) {}

  /** Call it when the window has started, and when its workspace is trusted. Never rejects. */
  async show(): Promise<void> {
    const { folder, isTrusted, startSidecar, log } = this.deps;
    if (folder === undefined || !isTrusted()) return;
    try {
      await access(markIn(folder));
    } catch {
      return;
    }
    try {
      await startSidecar();
    } catch (error) {
      log.warn("sidecar", "Could not show the review of an earlier window", { error });
    }
  }

  /** Call it when the reviews are known. Never rejects. */
  remember(hasReview: boolean): Promise<void> {
    const { folder, log } = this.deps;
    if (folder !== undefined)
      this.#last = this.#last
        .then(() => this.#write(folder, hasReview))
        .catch((error: unknown) => log.warn("sidecar", "Could not store that there is a review", { error }));
    return this.#last;
  }

  async #write(folder: string, hasReview: boolean): Promise<void> {
    if (hasReview === this.#isMarked) return;
    if (hasReview) {
      await mkdir(folder, { recursive: true });
      await writeFile(markIn(folder), "");
    } else await rm(markIn(folder), { force: true });
    this.#isMarked = hasReview;
  }
}

const markIn = (folder: string): string => path.join(folder, "has-review");
