/**
 * Reports the user's saves to the sidecar, which tells the user's changes from the agent's by them.
 *
 * Invariants:
 * - A save waits for the sidecar for at most `MAX_WAIT_MS`.
 * - Saves of an agent's text are not reported.
 * - A save never starts a sidecar.
 */
import type { Clock } from "../clock";
import type { Log } from "../log";
import type { SidecarClient } from "../sidecar/client";

export const MAX_WAIT_MS = 1_000;

export interface SaveReportDeps {
  readonly clock: Clock;
  readonly log: Log;
  running(): SidecarClient | undefined;
  /** Whether the editor saves this file for an agent now. */
  isAgentSave(file: string): boolean;
}

export class SaveReports {
  constructor(private readonly deps: SaveReportDeps) {}

  /** Resolves when the sidecar is prepared for the save, or does not respond. Never rejects. */
  async saving(file: string): Promise<void> {
    let timer: { dispose(): void } | undefined;
    const expired = new Promise<void>(resolve => {
      timer = this.deps.clock.after(MAX_WAIT_MS, resolve);
    });
    await Promise.race([this.#report(file, "saving"), expired]);
    timer?.dispose();
  }

  saved(file: string): Promise<void> {
    return this.#report(file, "saved");
  }

  /** Reports a write that is the user's, but no save of the editor. */
  async during(file: string, write: () => Promise<void>): Promise<void> {
    await this.saving(file);
    try {
      await write();
    } finally {
      await this.saved(file);
    }
  }

  async #report(path: string, state: "saving" | "saved"): Promise<void> {
    const client = this.deps.running();
    if (client === undefined || this.deps.isAgentSave(path)) return;
    try {
      await client.request("review/save", { path, state });
    } catch (error) {
      this.deps.log.debug("sidecar", "Could not report a save", { path, error });
    }
  }
}
