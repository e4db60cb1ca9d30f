/**
 * The settings page: applies the pure `step` to each event, draws the result and then executes the effects.
 *
 * Invariants:
 * - Events are handled one at a time.
 * - A new page posts `ready` and waits for a view.
 */
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import type { Clock } from "../page-clock";
import { emptyModel, step, type Effect, type SettingsEvent, type Model } from "./model";
import type { Piece } from "./element-tree";
import { render } from "./render-page";

export interface PageDeps {
  show(pieces: readonly Piece[]): void;
  /** Focuses the element with this id; no effect if it does not exist. */
  focus(id: string): void;
  scrollTo(id: string): void;
  post(message: SettingsToHost): void;
  /** Announces the text immediately to screen readers. */
  report(text: string): void;
  save(): void;
  /** Called once, when the first view is on screen. */
  onStart(): void;
  readonly clock: Clock;
}

export class SettingsPage {
  #model: Model;

  constructor(
    private readonly deps: PageDeps,
    unfolded: readonly string[],
    query: string,
  ) {
    this.#model = emptyModel(unfolded, query);
    deps.show(render(this.#model));
    deps.post({ type: "ready" });
  }

  get model(): Model {
    return this.#model;
  }

  happen(happened: SettingsEvent): void {
    const before = this.#model;
    const [after, effects] = step(before, happened, this.deps.clock.now());
    this.#model = after;
    if (after !== before) this.deps.show(render(after));
    if (before.view === undefined && after.view !== undefined) this.deps.onStart();
    for (const effect of effects) this.#execute(effect);
  }

  #execute(effect: Effect): void {
    switch (effect.kind) {
      case "post":
        return this.deps.post(effect.message);
      case "announce":
        return this.deps.report(effect.text);
      case "focus":
        return this.deps.focus(effect.id);
      case "scroll":
        return this.deps.scrollTo(effect.id);
      case "save":
        return this.deps.save();
      case "wake":
        return this.deps.clock.after(effect.ms, () => this.happen({ kind: "woke" }));
    }
  }
}
