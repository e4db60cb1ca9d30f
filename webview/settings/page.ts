/**
 * The settings page: what happens goes through the pure step, is drawn, and then what follows from it is done.
 *
 * Invariant: one thing after the other; a page that was never told anything says that it is ready, and waits.
 */
import type { SettingsToHost } from "../../src/protocol/settings-view";
import type { Clock } from "../page-clock";
import { emptyModel, step, type Effect, type Happened, type Model } from "./model";
import type { Piece } from "./piece";
import { render } from "./render-page";

export interface PageWorld {
  show(pieces: readonly Piece[]): void;
  /** The element with this id, as the next; one that is not there is none's concern. */
  focus(id: string): void;
  scrollTo(id: string): void;
  post(message: SettingsToHost): void;
  /** At once, for a screen reader. */
  say(text: string): void;
  save(): void;
  /** The first view is on screen. */
  begun(): void;
  readonly clock: Clock;
}

export class SettingsPage {
  #model: Model;

  constructor(
    private readonly world: PageWorld,
    unfolded: readonly string[],
  ) {
    this.#model = emptyModel(unfolded);
    world.show(render(this.#model));
    world.post({ type: "ready" });
  }

  get model(): Model {
    return this.#model;
  }

  happen(happened: Happened): void {
    const before = this.#model;
    const [after, effects] = step(before, happened, this.world.clock.now());
    this.#model = after;
    if (after !== before) this.world.show(render(after));
    if (before.view === undefined && after.view !== undefined) this.world.begun();
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "post":
        return this.world.post(effect.message);
      case "say":
        return this.world.say(effect.text);
      case "focus":
        return this.world.focus(effect.id);
      case "scroll":
        return this.world.scrollTo(effect.id);
      case "save":
        return this.world.save();
      case "wake":
        return this.world.clock.after(effect.ms, () => this.happen({ kind: "woke" }));
    }
  }
}
