/** Reads and stores the contents of reviewed files. */
import * as l10n from "@vscode/l10n";
import type { FileReview, FileStep } from "./file-review";
import { isText, type FileContent } from "./file-version";
import type { ReviewedFile, StoredState } from "./review-log";
import { lineEdits } from "../../src/protocol/review/line-edits";

/** Contents and files of one session. `root`: absolute path of a folder; `path`: of a file in it, with `/`. */
export interface ReviewFiles {
  /** The content with this id, one character per byte. Rejects with `MissingContent`. */
  read(root: string, oid: string): Promise<string>;
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

export class ReviewContents {
  constructor(private readonly files: Pick<ReviewFiles, "read" | "write">) {}

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
    return state && { mode: state.mode, bytes: await this.files.read(root, state.oid) };
  }

  async store(root: string, content: FileContent): Promise<StoredState> {
    return content && { mode: content.mode, oid: await this.files.write(root, content.bytes) };
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
