/** Reads and stores the contents of reviewed files. */
import * as l10n from "@vscode/l10n";
import { grouped } from "./snapshots/bounded";
import type { FileReview, FileStep } from "./file-review";
import { isText, type FileContent } from "./file-version";
import type { ReviewedFile, StoredState } from "./review-log";
import { lineEdits } from "../../src/protocol/review/line-edits";

/** Contents and files of one session. `root`: absolute path of a folder; `path`: of a file in it, with `/`. */
export interface ReviewFiles {
  /** The content with this id, one character per byte. Rejects with `MissingContent`. */
  read(root: string, oid: string): Promise<string>;
  /** Reads contents with one process. They are in memory until `release`. `found`: ids of those that are stored. */
  fetch(
    root: string,
    oids: readonly string[],
  ): Promise<{ readonly found: ReadonlySet<string>; readonly release: () => void }>;
  /** Stores a content, and returns its id. */
  write(root: string, bytes: string): Promise<string>;
  /** The state on disk, whose content is stored. `like`: the last known one; see `RootStore.current`. */
  current(root: string, path: string, like: StoredState): Promise<StoredState>;
  /** Writes or deletes a file that has the state `expected`. Returns a sentence if it did not change. */
  restore(root: string, path: string, state: StoredState, expected: StoredState): Promise<string | undefined>;
  /** Keeps these contents for the review. Never throws. */
  keep(root: string, oids: readonly string[]): void;
}

/** A content that is not stored any more. `message` is for the user. */
export class MissingContent extends Error {
  override readonly name = "MissingContent";
  constructor() {
    super(l10n.t("An earlier content of this file is no longer stored."));
  }
}

export interface RootState {
  readonly root: string;
  readonly state: StoredState;
}

/** All states of a file, which an operation can need. */
export function statesOf({ root, reviewed, last, steps }: ReviewedFile): readonly RootState[] {
  return [reviewed, last, ...steps.flatMap(({ before, after }) => [before, after])].map(state => ({ root, state }));
}

/** Files whose contents are in memory at the same time. */
export const FILES_IN_MEMORY = 100;
/** Files that are read or written at the same time. */
export const FILES_AT_ONCE = 16;

export class ReviewContents {
  /** The states of contents that were read. */
  readonly #stored = new WeakMap<object, StoredState>();

  constructor(private readonly files: Pick<ReviewFiles, "read" | "write" | "fetch">) {}

  /** Reads contents with few processes, and keeps them in memory for the work. */
  async during<T>(contents: readonly RootState[], work: () => Promise<T>): Promise<T> {
    const byRoot = grouped(contents, ({ root }) => root),
      fetched = await Promise.all(
        [...byRoot].map(([root, own]) =>
          this.files.fetch(root, [...new Set(own.flatMap(({ state }) => state?.oid ?? []))]),
        ),
      );
    try {
      return await work();
    } finally {
      for (const { release } of fetched) release();
    }
  }

  /** The file with the contents of all its steps. */
  async reviewOf({ root, reviewed, last, steps }: ReviewedFile): Promise<FileReview> {
    const known = new Map<string, Promise<FileContent>>(),
      read = (state: StoredState): Promise<FileContent> => {
        const key = `${state?.mode} ${state?.oid}`,
          content = known.get(key) ?? this.read(root, state);
        known.set(key, content);
        return content;
      };
    return {
      reviewed: await read(reviewed),
      last: await read(last),
      steps: await Promise.all(
        steps.map(
          async ({ by, before, after }): Promise<FileStep> => ({
            by,
            before: await read(before),
            after: await read(after),
          }),
        ),
      ),
    };
  }

  async read(root: string, state: StoredState): Promise<FileContent> {
    if (state === undefined) return undefined;
    const content = { mode: state.mode, bytes: await this.files.read(root, state.oid) };
    this.#stored.set(content, state);
    return content;
  }

  async store(root: string, content: FileContent): Promise<StoredState> {
    if (content === undefined) return undefined;
    return this.#stored.get(content) ?? { mode: content.mode, oid: await this.files.write(root, content.bytes) };
  }
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** 0 for files without lines. */
export function linesBetween(before: FileContent, after: FileContent): LineCounts {
  const [old, current] = [before?.bytes ?? "", after?.bytes ?? ""];
  if (!isText(old) || !isText(current)) return { added: 0, removed: 0 };
  const edits = lineEdits(old, current);
  return {
    added: edits.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: edits.reduce((sum, { start, end }) => sum + end - start, 0),
  };
}
