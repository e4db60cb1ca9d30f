/**
 * Expires for a tool that neither says nor does anything. A compiler may be silent for an hour; it uses CPU time, and a
 * tool that hangs does not.
 *
 *   armed ── limit passed ──▶ measuring ── said something since, or works ──▶ armed
 *                                 └─ silent, and its processes used next to no CPU time ──▶ expired
 *
 * Invariants: it expires at most once, and not after `end`; where the system does not tell the CPU time, the silence
 * alone counts.
 */
import type { Clock } from "../rpc/clock";

/** A process that only waits (a spinner, a poll of the network) stays below this part of one CPU. */
const WORKING_SHARE = 0.01;

/** Pure. CPU seconds of all processes of the tool, measured `ms` apart; undefined: the system did not tell. */
export function isWorking(before: number, now: number | undefined, ms: number): boolean {
  if (now === undefined) return false;
  // Less than before: processes have ended, which took the time that they had used with them.
  return now < before || now - before >= (ms / 1000) * WORKING_SHARE;
}

export interface ToolWatchDeps {
  readonly clock: Clock;
  /** Silence that is allowed without any work. */
  readonly quietMs: number;
  /** CPU seconds that the tool's processes have used so far. Never rejects. */
  readonly cpuSeconds: () => Promise<number | undefined>;
  readonly expired: () => void;
}

export class ToolWatch {
  #heardAt: number;
  #measured: { readonly at: number; readonly cpu: number };
  #alarm: Disposable | undefined;
  #state: "armed" | "measuring" | "ended" = "armed";

  constructor(private readonly deps: ToolWatchDeps) {
    this.#heardAt = deps.clock.now();
    this.#measured = { at: this.#heardAt, cpu: 0 };
    this.#arm(deps.quietMs);
  }

  /** The tool said something. */
  heard(): void {
    this.#heardAt = this.deps.clock.now();
  }

  end(): void {
    this.#state = "ended";
    this.#alarm?.[Symbol.dispose]();
  }

  #arm(ms: number): void {
    this.#state = "armed";
    this.#alarm = this.deps.clock.after(ms, () => void this.#measure());
  }

  async #measure(): Promise<void> {
    const { clock, quietMs, cpuSeconds, expired } = this.deps;
    this.#state = "measuring";
    const cpu = await cpuSeconds();
    if (this.#state !== "measuring") return;
    const at = clock.now(),
      works = isWorking(this.#measured.cpu, cpu, at - this.#measured.at),
      silentMs = at - this.#heardAt;
    if (cpu !== undefined) this.#measured = { at, cpu };
    if (works) return this.#arm(quietMs);
    if (silentMs < quietMs) return this.#arm(quietMs - silentMs);
    this.#state = "ended";
    expired();
  }
}
