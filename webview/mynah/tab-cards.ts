/**
 * The cards of one tab: draws those of its view, in several frames if necessary, and moves the window of drawn cards.
 *
 * Invariants:
 * - A drawing keeps the scroll position and the focus.
 * - An unchanged card is not touched.
 */
import { pageClock } from "../page-clock";
import type { Reveal } from "../state/find-model";
import type { Card } from "../view-model/cards/card";
import { CardList, type CardScreen } from "../view-model/cards/card-list";
import { entryKeyOf } from "../view-model/tab/find-view";
import type { TabView } from "../view-model/tab/tab-view";
import type { FocusKeeper } from "./focus-keeper";
import type { TabParts } from "./tab-parts";

export interface TabCardsDeps {
  readonly screen: CardScreen;
  readonly parts: TabParts;
  readonly focus: FocusKeeper;
  /** The latest view of the tab. */
  readonly view: () => TabView | undefined;
  readonly isSelected: () => boolean;
  /** Requests the entries before those of the page. */
  readonly earlierWanted: () => void;
  /** Called when a drawing of several frames has finished. */
  readonly completed: () => void;
}

export class TabCards {
  readonly #list: CardList;
  /** The last view whose cards are all on screen. */
  #complete: TabView | undefined;
  /** The last entry that was scrolled to, or is scrolled to when its card is drawn. */
  #revealed: Reveal | undefined;
  /** Whether the list scrolls to the match when its drawing is complete. */
  #scroll: "keep" | "toMatch" = "keep";

  constructor(private readonly deps: TabCardsDeps) {
    this.#list = new CardList(deps.screen, pageClock);
  }

  get drawn(): readonly Card[] {
    return this.#list.cards;
  }

  /** Whether later cards exist that are not drawn. */
  get isBeforeEnd(): boolean {
    return this.#list.isBeforeEnd;
  }

  /** Whether all cards of the latest view are on screen. */
  get isComplete(): boolean {
    return this.deps.view() === this.#complete;
  }

  /** Whether the tab is visible but not completely drawn. */
  get isDrawing(): boolean {
    return !this.isComplete && this.deps.isSelected();
  }

  /** `around` draws the other parts of the tab. */
  draw(view: TabView, around: () => void): void {
    this.#keepPosition(() => {
      around();
      this.#show(view);
    });
  }

  showEarlier(): void {
    this.#move(view => {
      this.#list.showEarlier(view.cards, view.omitted);
      this.deps.earlierWanted();
    });
  }

  /** Shows earlier cards that exist but are not drawn. */
  extendUp(): void {
    if (this.#list.isShortened) this.showEarlier();
  }

  showLater(): void {
    this.#move(view => this.#list.showLater(view.cards));
  }

  showNewest(): void {
    if (!this.deps.view() || !this.#list.isBeforeEnd) return;
    this.deps.parts.followNewest();
    this.#move(view => this.#list.showNewest(view.cards));
  }

  #move(move: (view: TabView) => void): void {
    const view = this.deps.view();
    if (view)
      this.#keepPosition(() => {
        move(view);
        this.#show(view);
      });
  }

  /** Calls `draw`, which may remove or recreate cards, and keeps the scroll position and the focus. */
  #keepPosition(draw: () => void): void {
    const { focus, parts } = this.deps;
    focus.around(() => {
      const follow = parts.follow();
      draw();
      follow(!this.isDrawing);
      if (this.#scroll === "toMatch" && !this.isDrawing) {
        this.#scroll = "keep";
        parts.scrollToFound();
      }
    });
  }

  #show(view: TabView): void {
    const { parts } = this.deps;
    this.#reveal(view);
    const isWhole = this.#list.draw(view.cards, view.omitted);
    parts.dress(this.#list.cards, view.files);
    parts.markFound(this.#list.cards, view.matches);
    this.#complete = isWhole ? view : undefined;
    if (!isWhole) this.#continue();
  }

  /** Moves the window of cards to a newly revealed entry. */
  #reveal({ reveal, matches, cards }: TabView): void {
    if (reveal === this.#revealed) return;
    this.#revealed = reveal;
    const first = reveal.kind === "shown" ? cards.find(({ key }) => entryKeyOf(key) === matches.current) : undefined;
    if (first === undefined) return this.#list.release();
    this.#list.reveal(first.key, cards);
    this.#scroll = "toMatch";
  }

  /** A drawing that exceeds one frame continues in the next frames, so that key presses are handled between them. */
  #continue(): void {
    requestAnimationFrame(() => {
      if (!this.isDrawing) return;
      const view = this.deps.view();
      if (view) this.#keepPosition(() => this.#show(view));
      if (!this.isDrawing) this.deps.completed();
    });
  }
}
