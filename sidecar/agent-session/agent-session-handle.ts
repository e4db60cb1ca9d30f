/**
 * Handle of an agent's session across its consecutive openings, for chat sessions and sessions of the model picker.
 *
 *   closed ── begin ──▶ opening ── opened ──▶ open ── end ──▶ closed
 *
 * Invariants:
 * - Each opening has a number. Messages of an ended or replaced opening are late.
 * - The signal of an opening aborts when the opening is replaced or ends. At the end, its session is closed first.
 */
import type { Lease } from "../agents/pool";

/** `id` is the agent's id of the session. */
export interface OpenAgentSession {
  readonly lease: Lease;
  readonly id: string;
}

export class AgentSessionHandle {
  #opening = 0;
  #abandoned = new AbortController();
  #session: OpenAgentSession | undefined;

  /** Number of the current opening. */
  get opening(): number {
    return this.#opening;
  }

  /** Undefined unless open. */
  get session(): OpenAgentSession | undefined {
    return this.#session;
  }

  isCurrent(opening: number): boolean {
    return opening === this.#opening;
  }

  begin(): { readonly opening: number; readonly abandoned: AbortSignal } {
    this.#abandoned.abort();
    this.#abandoned = new AbortController();
    return { opening: ++this.#opening, abandoned: this.#abandoned.signal };
  }

  opened(session: OpenAgentSession): void {
    this.#session = session;
  }

  /** `close` receives the session if it is open. */
  end(close: (session: OpenAgentSession) => void): void {
    this.#opening++;
    if (this.#session) close(this.#session);
    this.#session = undefined;
    this.#abandoned.abort();
  }
}

/** Closes a session at its agent and releases the agent's process. */
export function closeSession({ lease, id }: OpenAgentSession): void {
  lease.connection.leave(id);
  lease.release();
}
