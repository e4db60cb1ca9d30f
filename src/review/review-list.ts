/**
 * The reviews of the window: loads those of the workspace folders, and follows the sidecar's changes.
 *
 *     unknown, idle ─wanted▶ loading ─wanted▶ outdated ─received, failed▶ loading …
 *      ▲        ▲   received │ │
 *      │        └────────────┘ │ failed
 *      └───────────────────────┘
 *
 * Invariants:
 * - One request for the list at a time. The list never starts a sidecar.
 * - A review that the sidecar has changed since its start replaces the one of any response.
 * - A failure and the exit of the sidecar keep the known reviews.
 * - The window forgets that it has a review only after the sidecar has listed all.
 */
import type { Log } from "../log";
import type { Review } from "../protocol/review/review";
import { assertNever } from "../protocol/wire/wire";
import type { SidecarClient } from "../sidecar/client";

export interface ListState {
  /** `unknown`: idle, but the running sidecar has not listed its reviews. */
  readonly kind: "unknown" | "idle" | "loading" | "outdated";
  readonly listed: readonly Review[];
  /** Changed since the start of the sidecar, by id. */
  readonly changed: ReadonlyMap<string, Review>;
}

export const EMPTY: ListState = { kind: "unknown", listed: [], changed: new Map() };

export type ListEvent =
  /** `isNew`: the sidecar has just started. */
  | { readonly kind: "wanted"; readonly isNew: boolean }
  | { readonly kind: "received"; readonly reviews: readonly Review[] }
  | { readonly kind: "failed" }
  | { readonly kind: "changed"; readonly review: Review };

/** `remember`: whether the window has something to review is known. */
export type ListEffect = "load" | "show" | "remember";

type Next = readonly [ListState, readonly ListEffect[]];

export function step(state: ListState, event: ListEvent): Next {
  const isLoading = state.kind === "loading" || state.kind === "outdated";
  switch (event.kind) {
    case "wanted": {
      // The request to the previous sidecar fails, or its response is replaced.
      const next = event.isNew ? { listed: reviewsOf(state), changed: new Map<string, Review>() } : state;
      return isLoading ? [{ ...next, kind: "outdated" }, []] : [{ ...next, kind: "loading" }, ["load"]];
    }
    case "received": {
      const next = { ...state, listed: event.reviews };
      return state.kind === "outdated"
        ? [{ ...next, kind: "loading" }, ["show", "load"]]
        : [{ ...next, kind: "idle" }, ["show", "remember"]];
    }
    case "failed":
      return state.kind === "outdated"
        ? [{ ...state, kind: "loading" }, ["show", "load"]]
        : [{ ...state, kind: "unknown" }, ["show"]];
    case "changed": {
      const next = { ...state, changed: new Map([...state.changed, [event.review.id, event.review]]) };
      return [next, state.kind === "idle" || isListed(event.review) ? ["show", "remember"] : ["show"]];
    }
    default:
      return assertNever(event, "list event");
  }
}

/** Whether the review has files, or changes may be missing. Otherwise it has only operations to undo. */
export function isListed({ files, limits }: Review): boolean {
  return files.length + limits.length > 0;
}

/** State of a session in the source control (`scmResourceGroupState`), which selects the items of its menu. */
export function groupState({ limits, operations }: Review): string {
  return [
    "session",
    ...(limits.length === 0 ? [] : ["incomplete"]),
    ...(operations.length === 0 ? [] : ["undoable"]),
  ].join(" ");
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
  /** Whether there is something to review. */
  remember(hasReview: boolean): void;
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

  /** Call it when the workspace folders have changed. */
  foldersChanged(): void {
    if (this.deps.running() !== undefined) this.#post({ kind: "wanted", isNew: false });
  }

  /**
   * Call it when the window has the focus again. Other programs may have changed the files, and other windows the
   * reviews. During a turn, the sidecar records the changes of the files itself.
   */
  async windowFocused(): Promise<void> {
    const client = this.deps.running();
    if (client === undefined) return;
    this.#post({ kind: "wanted", isNew: false });
    for (const { id } of this.reviews.filter(review => isListed(review) && !review.isRunning))
      await client
        .request("review/refresh", { id })
        .catch((error: unknown) => this.deps.log.debug("sidecar", "Could not refresh a review", { id, error }));
  }

  changed(review: Review): void {
    this.#post({ kind: "changed", review });
  }

  #post(event: ListEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects)
      if (effect === "show") this.deps.show(this.reviews);
      else if (effect === "remember") this.deps.remember(this.reviews.some(isListed));
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
