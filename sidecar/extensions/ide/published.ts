/**
 * The diagnostics that a language server has published last, of a bounded number of files: those that it has said
 * nothing of for longest go.
 */
import type { JsonObject } from "../../rpc/json";

/** `at`: when, on the clock of the world. */
export interface Published {
  readonly at: number;
  readonly diagnostics: readonly JsonObject[];
}

/** Files, and diagnostics of each. */
const MOST_FILES = 1_000,
  MOST_OF_FILE = 500;

export class PublishedDiagnostics {
  readonly #all = new Map<string, Published>();

  get(file: string): Published | undefined {
    return this.#all.get(file);
  }

  /** In which something is wrong. */
  get files(): readonly string[] {
    return [...this.#all].filter(([, { diagnostics }]) => diagnostics.length > 0).map(([file]) => file);
  }

  keep(file: string, at: number, diagnostics: readonly JsonObject[]): void {
    this.#all.delete(file);
    this.#all.set(file, { at, diagnostics: diagnostics.slice(0, MOST_OF_FILE) });
    const [oldest] = this.#all.keys();
    if (this.#all.size > MOST_FILES && oldest !== undefined) this.#all.delete(oldest);
  }
}
