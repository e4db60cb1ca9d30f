/**
 * Finds the places of edited excerpts in the files of the workspace.
 *
 * Invariants:
 * - Searches run one after another. A newer search for the same entry replaces one that has not started.
 * - A search that fails is reported, and the next one runs.
 * - An excerpt without a place, or with several possible places, is not reported.
 */
import { stat } from "node:fs/promises";
import type { Diff } from "../../src/protocol/chat/diff-places";
import { wholeChange } from "../../src/protocol/chat/whole-change";
import { resolveInWorkspace } from "../permissions/workspace-boundary";
import type { EditorFiles } from "./agent/agent-files";
import type { PlaceSearch } from "./session-model";

const MAX_BYTES = 2 * 1024 * 1024;

/** The text of a file; `undefined` if it cannot be read. Never rejects. */
export type ReadText = (file: string) => Promise<string | undefined>;

export class PlaceFinder {
  readonly #waiting = new Map<string, PlaceSearch>();
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly read: ReadText,
    /** `diffs`: those with a place. */
    private readonly found: (found: PlaceSearch) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Resolves after the search, and never rejects. */
  find(search: PlaceSearch): Promise<void> {
    const key = JSON.stringify([...search.within, search.entryId]);
    this.#waiting.set(key, search);
    this.#last = this.#last.then(() => this.#search(key)).catch(this.failed);
    return this.#last;
  }

  async #search(key: string): Promise<void> {
    const search = this.#waiting.get(key);
    // Replaced by a newer search of the entry, which has run in place of it.
    if (search === undefined) return;
    this.#waiting.delete(key);
    const diffs = await this.#placed(search.diffs);
    if (diffs.length > 0) this.found({ ...search, diffs });
  }

  async #placed(diffs: readonly Diff[]): Promise<readonly Diff[]> {
    /** Texts with the diffs that the files do not have yet, because a later diff is numbered after an earlier one. */
    const texts = new Map<string, string | undefined>(),
      placed: Diff[] = [];
    for (const diff of diffs) {
      const text = texts.has(diff.path) ? texts.get(diff.path) : await this.read(diff.path),
        change = text === undefined ? undefined : wholeChange(text, diff.oldText ?? "", diff.newText);
      texts.set(diff.path, change?.after ?? text);
      if (change !== undefined) placed.push({ ...diff, line: change.line });
    }
    return placed;
  }
}

/**
 * Reads regular files in these folders through the editor, with its unsaved changes and its encodings. Other files are
 * not read, because an agent chooses the paths.
 */
export function textIn(folders: readonly string[], editor: Pick<EditorFiles, "readTextFile">): ReadText {
  return async file => {
    try {
      const { real, isInside } = await resolveInWorkspace(file, folders),
        stats = isInside ? await stat(real) : undefined;
      return stats?.isFile() && stats.size <= MAX_BYTES ? await editor.readTextFile(file) : undefined;
    } catch {
      return undefined;
    }
  };
}
