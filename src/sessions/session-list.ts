/**
 * Loads the list of sessions from the sidecar.
 *
 *     idle ─wanted▶ loading ─wanted▶ outdated ─received, failed▶ loading …
 *      ▲ received, failed │
 *      └──────────────────┘
 *
 * Invariants:
 * - One request at a time. A change during a request causes one further request.
 * - A failure keeps the loaded sessions.
 */
import { SidecarExited } from "../errors";
import type { Log } from "../log";
import type { SessionSummary } from "../protocol/sessions/sessions";
import { assertNever } from "../protocol/wire/wire";
import { errorMessage } from "../protocol/wire/errors";
import type { SidecarClient } from "../sidecar/client";

/** `problem`: a sentence for the user. */
export interface ListContent {
  readonly sessions: readonly SessionSummary[];
  readonly problem?: string;
}

/** `content` is undefined before the first response. */
export interface ListState {
  readonly kind: "idle" | "loading" | "outdated";
  readonly content: ListContent | undefined;
}

export type ListEvent =
  | { readonly kind: "wanted" }
  | { readonly kind: "received"; readonly sessions: readonly SessionSummary[] }
  /** Without a `problem`, the next sidecar will be asked. */
  | { readonly kind: "failed"; readonly problem: string | undefined };

export type ListEffect = "load" | "show";

export function step(state: ListState, event: ListEvent): readonly [ListState, readonly ListEffect[]] {
  switch (event.kind) {
    case "wanted":
      return state.kind === "idle" ? [{ ...state, kind: "loading" }, ["load"]] : [{ ...state, kind: "outdated" }, []];
    case "received":
      return settled(state, { sessions: event.sessions });
    case "failed":
      return settled(
        state,
        event.problem === undefined
          ? state.content
          : { sessions: state.content?.sessions ?? [], problem: event.problem },
      );
    default:
      return assertNever(event, "list event");
  }
}

function settled(state: ListState, content: ListContent | undefined): readonly [ListState, readonly ListEffect[]] {
  return state.kind === "outdated"
    ? [{ kind: "loading", content }, ["show", "load"]]
    : [{ kind: "idle", content }, ["show"]];
}

export interface SessionListDeps {
  client(): Promise<SidecarClient>;
  /** Called after each response. */
  show(content: ListContent | undefined): void;
  readonly log: Log;
}

export class SessionList {
  #state: ListState = { kind: "idle", content: undefined };

  constructor(private readonly deps: SessionListDeps) {}

  get content(): ListContent | undefined {
    return this.#state.content;
  }

  /** Loads the list, and starts the sidecar if required. */
  load(): void {
    this.#post({ kind: "wanted" });
  }

  #post(event: ListEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects)
      if (effect === "show") this.deps.show(state.content);
      else void this.#request();
  }

  async #request(): Promise<void> {
    try {
      const client = await this.deps.client();
      this.#post({ kind: "received", ...(await client.request("sessions/list", {})) });
    } catch (error) {
      this.deps.log.warn("sidecar", "Could not list the sessions", { error });
      const problem = error instanceof SidecarExited ? undefined : errorMessage(error);
      this.#post({ kind: "failed", problem });
    }
  }
}
