/**
 * The latest published diagnostics of a bounded number of files. The files with the oldest publications are evicted.
 */
import type { JsonObject } from "../../rpc/json";

/** `at`: time of publication on the injected clock. */
export interface Published {
  readonly at: number;
  readonly diagnostics: readonly JsonObject[];
}

/** Maximum number of files, and of diagnostics per file. */
const MAX_FILES = 1_000,
  MAX_OF_FILE = 500;

export class PublishedDiagnostics {
  readonly #all = new Map<string, Published>();

  get(file: string): Published | undefined {
    return this.#all.get(file);
  }

  /** Files with at least one diagnostic. */
  get files(): readonly string[] {
    return [...this.#all].filter(([, { diagnostics }]) => diagnostics.length > 0).map(([file]) => file);
  }

  keep(file: string, at: number, diagnostics: readonly JsonObject[]): void {
    this.#all.delete(file);
    this.#all.set(file, { at, diagnostics: diagnostics.slice(0, MAX_OF_FILE) });
    const [oldest] = this.#all.keys();
    if (this.#all.size > MAX_FILES && oldest !== undefined) this.#all.delete(oldest);
  }
}
