/**
 * Repeats the request for the sessions that only agents store, while the user looks at the list.
 *
 *     paused ─activated▶ refreshing ─finished▶ waiting ─due▶ refreshing …
 *       ▲  │ requested      │ deactivated        │ deactivated
 *       │  └──▶ finishing ◀─┘                    │
 *       └─ finished ─┴───────────────────────────┘
 *
 * Invariants:
 * - One request at a time.
 * - The pause is at least twenty times as long as the request, so that a slow agent is mostly idle.
 */
import type { Clock } from "../clock";
import { assertNever } from "../protocol/wire/wire";

export const MIN_PAUSE_MS = 1_500;
const PAUSE_FACTOR = 20;

export interface RefreshState {
  readonly kind: "paused" | "refreshing" | "finishing" | "waiting";
}

export type RefreshEvent =
  /** `requested`: by the user, also while the loop is paused. */
  | { readonly kind: "activated" | "deactivated" | "requested" | "due" }
  | { readonly kind: "finished"; readonly durationMs: number };

export type RefreshEffect =
  | { readonly kind: "refresh" | "stopTimer" }
  | { readonly kind: "startTimer"; readonly ms: number };

const REFRESH = { kind: "refresh" } as const,
  STOP_TIMER = { kind: "stopTimer" } as const;

export function step(state: RefreshState, event: RefreshEvent): readonly [RefreshState, readonly RefreshEffect[]] {
  switch (event.kind) {
    case "activated":
      if (state.kind === "paused") return [{ kind: "refreshing" }, [REFRESH]];
      return [state.kind === "finishing" ? { kind: "refreshing" } : state, []];
    case "deactivated":
      if (state.kind === "waiting") return [{ kind: "paused" }, [STOP_TIMER]];
      return [state.kind === "refreshing" ? { kind: "finishing" } : state, []];
    case "requested":
      if (state.kind === "waiting") return [{ kind: "refreshing" }, [STOP_TIMER, REFRESH]];
      return state.kind === "paused" ? [{ kind: "finishing" }, [REFRESH]] : [state, []];
    case "due":
      return state.kind === "waiting" ? [{ kind: "refreshing" }, [REFRESH]] : [state, []];
    case "finished":
      return state.kind === "refreshing"
        ? [{ kind: "waiting" }, [{ kind: "startTimer", ms: Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * event.durationMs) }]]
        : [state.kind === "finishing" ? { kind: "paused" } : state, []];
    default:
      return assertNever(event, "refresh event");
  }
}

export class RefreshLoop {
  #state: RefreshState = { kind: "paused" };
  #timer: { dispose(): void } | undefined;

  /** `refresh` never rejects. */
  constructor(
    private readonly clock: Clock,
    private readonly refresh: () => Promise<void>,
  ) {}

  activate(isActive: boolean): void {
    this.#post({ kind: isActive ? "activated" : "deactivated" });
  }

  /** Requests the sessions now, unless a request is running. */
  request(): void {
    this.#post({ kind: "requested" });
  }

  dispose(): void {
    this.activate(false);
  }

  #post(event: RefreshEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#execute(effect);
  }

  #execute(effect: RefreshEffect): void {
    switch (effect.kind) {
      case "refresh":
        void this.#run();
        return;
      case "startTimer":
        this.#timer = this.clock.after(effect.ms, () => this.#post({ kind: "due" }));
        return;
      case "stopTimer":
        this.#timer?.dispose();
        return;
    }
  }

  async #run(): Promise<void> {
    const startedAt = this.clock.now();
    await this.refresh();
    this.#post({ kind: "finished", durationMs: this.clock.now() - startedAt });
  }
}
