/**
 * Watches a tool, and expires when the tool produces no output and uses no CPU time. A silent compiler uses CPU time; a
 * tool that hangs does not.
 *
 *   armed ── limit passed ──▶ measuring ── recent output, or CPU time used ──▶ armed
 *                                 └─ no output, and next to no CPU time used ──▶ expired
 *
 * Invariants:
 * - Expires at most once, and never after `end`.
 * - Where CPU time is unavailable, only output counts.
 */
import type { Clock } from "../rpc/clock";

/** Share of one CPU. A process that only waits (a spinner, network polling) stays below this share. */
const WORKING_SHARE = 0.01;

/** Pure. Compares CPU seconds of all processes of the tool, measured `ms` apart. Undefined: unavailable. */
export function isWorking(before: number, now: number | undefined, ms: number): boolean {
  if (now === undefined) return false;
  // A lower value means that processes have exited, which removes their CPU time from the sum.
  return now < before || now - before >= (ms / 1000) * WORKING_SHARE;
}

export interface ToolWatchDeps {
  readonly clock: Clock;
  /** Maximum time without output and CPU usage. */
  readonly quietMs: number;
  /** CPU seconds used so far by the tool's processes. Never rejects. */
  readonly cpuSeconds: () => Promise<number | undefined>;
  readonly expired: () => void;
}

export class ToolWatchdog {
  #lastOutputAt: number;
  #measured: { readonly at: number; readonly cpu: number };
  #timer: Disposable | undefined;
  #state: "armed" | "measuring" | "ended" = "armed";

  constructor(private readonly deps: ToolWatchDeps) {
    this.#lastOutputAt = deps.clock.now();
    this.#measured = { at: this.#lastOutputAt, cpu: 0 };
    this.#arm(deps.quietMs);
  }

  /** Reports output of the tool. */
  onEvent(): void {
    this.#lastOutputAt = this.deps.clock.now();
  }

  end(): void {
    this.#state = "ended";
    this.#timer?.[Symbol.dispose]();
  }

  #arm(ms: number): void {
    this.#state = "armed";
    this.#timer = this.deps.clock.after(ms, () => void this.#measure());
  }

  async #measure(): Promise<void> {
    const { clock, quietMs, cpuSeconds, expired } = this.deps;
    this.#state = "measuring";
    const cpu = await cpuSeconds();
    if (this.#state !== "measuring") return;
    const at = clock.now(),
      works = isWorking(this.#measured.cpu, cpu, at - this.#measured.at),
      silentMs = at - this.#lastOutputAt;
    if (cpu !== undefined) this.#measured = { at, cpu };
    if (works) return this.#arm(quietMs);
    if (silentMs < quietMs) return this.#arm(quietMs - silentMs);
    this.#state = "ended";
    expired();
  }
}
