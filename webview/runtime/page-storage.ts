/**
 * Stores the page state in two places. VS Code keeps the state of `vscode.setState` while the view is hidden, but
 * flushes it only when idle: every five seconds in a browser, every minute on the desktop. After a window reload that
 * state can be stale. The page therefore also writes synchronously to its origin's storage, and the next page restores
 * the newer copy.
 *
 * Invariants:
 * - `savedAt` increases with each save, even if the system clock is set back.
 * - A page reads only copies of its own workspace.
 * - An editor to which a tab was moved restores no copy of an earlier editor with this tab.
 * - A full or denied storage causes a warning, but the view state is saved nevertheless.
 * - Copies of other workspaces are removed after `RETENTION_MS`, and earlier if the storage is full.
 */
import * as l10n from "@vscode/l10n";
import { emptyPage, restored, type SavedPage } from "../state/saved-page";

export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export interface PageStorageDeps {
  /** VS Code's view state. */
  readonly viewState: { get(): unknown; set(state: unknown): void };
  /** `undefined` if the browser denies storage to embedded pages. */
  readonly storage: TextStorage | undefined;
  /** Id of the page's workspace. If `undefined`, nothing is written to the storage. */
  readonly workspace: string | undefined;
  /** Session of VS Code. If defined, only pages of this session are restored (`symposium.restoreSessions`). */
  readonly session: string | undefined;
  /** Identifies the editor to which the tab was moved. If defined, only pages of this editor are restored. */
  readonly opening: string | undefined;
  /** Milliseconds since 1970. */
  timeOfDay(): number;
  onWarning(message: string, error: unknown): void;
}

/** A copy is usually needed only for seconds, until VS Code has flushed the view state. */
const RETENTION_MS = 7 * 24 * 3600 * 1000;
const PREFIX = "symposium-page/";
const SAVED_AT = /^\{"savedAt":(\d+)/;

export class PageStorage {
  readonly #key: string | undefined;
  #savedAt = 0;
  #unstored: SavedPage | undefined;
  #hasWarned = false;

  constructor(private readonly deps: PageStorageDeps) {
    this.#key = deps.workspace === undefined || deps.storage === undefined ? undefined : PREFIX + deps.workspace;
  }

  /** Returns the newer copy, or an empty page if no copy exists. */
  load(): SavedPage {
    const now = this.deps.timeOfDay();
    this.#remove(key => key !== this.#key && this.#writtenAt(key) < now - RETENTION_MS);
    const state = restored(this.deps.viewState.get()),
      stored = restored(this.#read());
    const newest = (stored.savedAt ?? 0) > (state.savedAt ?? 0) ? stored : state;
    this.#savedAt = newest.savedAt ?? 0;
    const { session, opening } = this.deps,
      isOwn =
        (session === undefined || newest.session === session) && (opening === undefined || newest.opening === opening);
    return isOwn ? newest : emptyPage;
  }

  /** Writes the view state only. `store` writes the storage, which takes 3 ms for 400 kB and 0.2 s for 4 MB. */
  save(page: SavedPage): void {
    this.#savedAt = Math.max(this.deps.timeOfDay(), this.#savedAt + 1);
    const { session, opening } = this.deps;
    this.#unstored = {
      savedAt: this.#savedAt,
      ...(session === undefined ? {} : { session }),
      ...(opening === undefined ? {} : { opening }),
      ...page,
    };
    this.deps.viewState.set(this.#unstored);
  }

  /** Writes the last saved page to the storage. */
  store(): void {
    if (this.#key !== undefined && this.#unstored !== undefined) this.#write(this.#key, JSON.stringify(this.#unstored));
    this.#unstored = undefined;
  }

  #read(): unknown {
    try {
      const text = this.#key === undefined ? null : this.deps.storage?.getItem(this.#key);
      return typeof text === "string" ? JSON.parse(text) : undefined;
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  #write(key: string, text: string): void {
    if (this.#tryWrite(key, text)) return;
    this.#remove(each => each !== key);
    if (this.#tryWrite(key, text)) return;
    this.#remove(each => each === key);
    this.#warn(l10n.t("The storage is full."));
  }

  #tryWrite(key: string, text: string): boolean {
    try {
      this.deps.storage?.setItem(key, text);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes unwanted copies of this extension's pages, and no foreign items. */
  #remove(isUnwanted: (key: string) => boolean): void {
    const { storage } = this.deps;
    if (storage === undefined) return;
    try {
      const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
      for (const key of keys) if (key.startsWith(PREFIX) && isUnwanted(key)) storage.removeItem(key);
    } catch (error) {
      this.#warn(error);
    }
  }

  #writtenAt(key: string): number {
    return Number(SAVED_AT.exec(this.deps.storage?.getItem(key) ?? "")?.[1] ?? 0);
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.deps.onWarning("The browser stores no copy of the chat. A reload may lose the last seconds.", error);
  }
}

/** `undefined` if the browser denies storage to embedded pages. */
export function browserStorage(): TextStorage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
