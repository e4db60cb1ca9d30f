/**
 * The reviews of the window: loads those of the workspace folders, and follows the sidecar's changes.
 *
 *     idle ─wanted▶ loading ─wanted▶ outdated ─received, failed▶ loading …
 *      ▲ received, failed │
 *      └──────────────────┘
 *
 * Invariants:
 * - One request at a time. The list never starts a sidecar.
 * - A review that the sidecar has changed since its start replaces the one of any response.
 * - A failure and the exit of the sidecar keep the known reviews.
 */
import type { Log } from "../log";
import type { Review } from "../protocol/review/review";
import { assertNever } from "../protocol/wire/wire";
import type { SidecarClient } from "../sidecar/client";

export interface ListState {
  readonly kind: "idle" | "loading" | "outdated";
  readonly listed: readonly Review[];
  /** Changed since the start of the sidecar, by id. */
  readonly changed: ReadonlyMap<string, Review>;
}

export const EMPTY: ListState = { kind: "idle", listed: [], changed: new Map() };

export type ListEvent =
  /** `isNew`: the sidecar has just started. */
  | { readonly kind: "wanted"; readonly isNew: boolean }
  | { readonly kind: "received"; readonly reviews: readonly Review[] }
  | { readonly kind: "failed" }
  | { readonly kind: "changed"; readonly review: Review };

export type ListEffect = "load" | "show";

export function step(state: ListState, event: ListEvent): readonly [ListState, readonly ListEffect[]] {
  switch (event.kind) {
    case "wanted": {
      if (!event.isNew)
        return state.kind === "idle" ? [{ ...state, kind: "loading" }, ["load"]] : [{ ...state, kind: "outdated" }, []];
      // The request to the previous sidecar fails, or its response is replaced.
      const next: ListState = { kind: "loading", listed: reviewsOf(state), changed: new Map() };
      return state.kind === "idle" ? [next, ["load"]] : [{ ...next, kind: "outdated" }, []];
    }
    case "received":
      return settled({ ...state, listed: event.reviews });
    case "failed":
      return settled(state);
    case "changed":
      return [{ ...state, changed: new Map([...state.changed, [event.review.id, event.review]]) }, ["show"]];
    default:
      return assertNever(event, "list event");
  }
}

function settled(state: ListState): readonly [ListState, readonly ListEffect[]] {
  return state.kind === "outdated"
    ? [{ ...state, kind: "loading" }, ["show", "load"]]
    : [{ ...state, kind: "idle" }, ["show"]];
}

/** Whether the review has files, or changes may be missing. Otherwise it has only operations to undo. */
export function isListed({ files, limits }: Review): boolean {
  return files.length + limits.length > 0;
}

/** Reviews with something to review or to undo, the newest first. */
export function reviewsOf({ listed, changed }: ListState): readonly Review[] {
  const all = [...changed.values(), ...listed.filter(({ id }) => !changed.has(id))];
  return all
    .filter(review => isListed(review) || review.operations.length > 0)
    .sort((a, b) => beginOf(b) - beginOf(a) || (a.id < b.id ? -1 : 1));
}

const beginOf = ({ turns }: Review): number => turns[0]?.at ?? 0;

export interface ReviewListDeps {
  /** The running sidecar, if any. */
  running(): SidecarClient | undefined;
  /** Absolute paths of the workspace folders. */
  folders(): readonly string[];
  show(reviews: readonly Review[]): void;
  readonly log: Log;
}

export class ReviewList {
  #state = EMPTY;

  constructor(private readonly deps: ReviewListDeps) {}

  get reviews(): readonly Review[] {
    return reviewsOf(this.#state);
  }

  get(id: string): Review | undefined {
    return this.reviews.find(review => review.id === id);
  }

  /** Call it when a sidecar has started. */
  sidecarStarted(): void {
    this.#post({ kind: "wanted", isNew: true });
  }

  /** Call it when the workspace folders, or reviews of other windows, may have changed. */
  outdated(): void {
    this.#post({ kind: "wanted", isNew: false });
  }

  changed(review: Review): void {
    this.#post({ kind: "changed", review });
  }

  #post(event: ListEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects)
      if (effect === "show") this.deps.show(this.reviews);
      else void this.#request();
  }

  async #request(): Promise<void> {
    const client = this.deps.running();
    if (client === undefined) return this.#post({ kind: "failed" });
    try {
      this.#post({ kind: "received", ...(await client.request("review/list", { folders: this.deps.folders() })) });
    } catch (error) {
      this.deps.log.warn("sidecar", "Could not list the reviews", { error });
      this.#post({ kind: "failed" });
    }
  }
}
