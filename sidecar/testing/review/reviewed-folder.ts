/** A folder in memory with a review. */
import { ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import type { FileContent } from "../../review/file-version";
import { MissingContent, type ReviewFiles } from "../../review/review-contents";
import type { FileId } from "../../review/review-decision";
import type { StoredState } from "../../review/review-log";
import { SessionReview } from "../../review/session-review";
import { sameState } from "../../review/snapshots/file-state";

const ROOT = "/w";
export const at = (path: string): FileId => ({ root: ROOT, path }),
  file = (bytes: string): FileContent => ({ mode: "100644", bytes });

/** A folder, contents by their ids, and the review of a session in it. */
export class ReviewedFolder implements ReviewFiles {
  readonly contents = new Map<string, string>();
  readonly files = new Map<string, StoredState>();
  log = "";
  /** Number of lines that the log can still store. */
  free = Infinity;
  /** Sentence with which the next write is refused. */
  refusal: string | undefined;
  ids = 0;
  /** Steps of operations. */
  readonly progress: string[] = [];
  review = this.opened();

  opened(): SessionReview {
    return new SessionReview(
      this.log,
      line => {
        if (this.free-- < 1) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        this.log += line;
      },
      this,
      () => `operation ${++this.ids}`,
      (done, total) => this.progress.push(`${done}/${total}`),
    );
  }
  reopen(): void {
    this.review = this.opened();
  }

  fetch(_root: string, oids: readonly string[]) {
    const found = new Set(oids.filter(oid => this.contents.has(oid)));
    return Promise.resolve({ found, release: () => undefined });
  }
  read(_root: string, oid: string): Promise<string> {
    const bytes = this.contents.get(oid);
    return bytes === undefined ? Promise.reject(new MissingContent()) : Promise.resolve(bytes);
  }
  write(_root: string, bytes: string): Promise<string> {
    return Promise.resolve(this.#stored(bytes));
  }
  current(_root: string, path: string): Promise<StoredState> {
    return Promise.resolve(this.files.get(path));
  }
  restore(_root: string, path: string, state: StoredState, expected: StoredState): Promise<string | undefined> {
    const isOccupied = [...this.files].some(
        ([name, other]) => other !== undefined && (name.startsWith(`${path}/`) || path.startsWith(`${name}/`)),
      ),
      refusal = state !== undefined && isOccupied ? "The name is not free." : this.refusal;
    this.refusal = undefined;
    ok(sameState(this.files.get(path), expected));
    if (refusal === undefined) this.files.set(path, state);
    return Promise.resolve(refusal);
  }

  keep(): void {
    // Nothing is ever removed.
  }

  #stored(bytes: string): string {
    const oid = createHash("sha1").update(bytes, "latin1").digest("hex");
    this.contents.set(oid, bytes);
    return oid;
  }
  /** Changes a file outside the review. */
  put(path: string, content: FileContent) {
    const before = this.files.get(path),
      after = content && { mode: content.mode, oid: this.#stored(content.bytes) };
    this.files.set(path, after);
    return { ...at(path), ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }
  agent(turn: number, path: string, content: FileContent): Promise<void> {
    return this.review.observe([this.put(path, content)], turn);
  }
  bytes(path: string): string | undefined {
    const state = this.files.get(path);
    return state && this.contents.get(state.oid);
  }
  get disk(): readonly (readonly [string, string | undefined])[] {
    return [...this.files.keys()].map(path => [path, this.bytes(path)]);
  }
  get unreviewed(): readonly (readonly [string, number, number])[] {
    return this.review.files.flatMap(({ path, reviewed, last, added, removed }) =>
      sameState(reviewed, last) ? [] : [[path, added, removed]],
    );
  }
}
