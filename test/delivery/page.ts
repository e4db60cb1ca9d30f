/**
 * A page without a browser: the production page, its frames and its saved copy. Effects are executed as in
 * `runtime.ts`.
 */
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { FrameScheduler } from "../../webview/runtime/frame-scheduler";
import type { Effect, UiEvent, Page, Step } from "../../webview/state/page-model";
import { PageStorage, type PageStorageDeps } from "../../webview/runtime/page-storage";
import { openPage, saved, step } from "../../webview/state/page-state";
import { isHostToPage } from "../../webview/state/host-message";
import { viewOf } from "../../webview/view-model/tab/tab-view";
import { marksIn, mortal, type FakeClock } from "./clock-and-marks";

export interface Browser {
  readonly clock: FakeClock;
  /** In milliseconds. Differs between pages, because the creation of a page takes time. */
  timeOfDay(): number;
  post(message: PageToHost): void;
  readonly viewState: PageStorageDeps["viewState"];
  readonly storage: PageStorageDeps["storage"];
  /** A new id for a tab that the page opens by itself. */
  tabId(): string;
  /** Called for each frame with the visible marks of this tab, from top to bottom. */
  drawn(tabId: string, marks: readonly string[]): void;
  problem(what: string): void;
}

const TICK_MS = 500,
  FRAME_MS = 16;

export class TestPage {
  state: Page;
  #isAlive = true;
  readonly #toDraw = new Set<string>();
  readonly #copy: PageStorage;
  readonly #frames: FrameScheduler;
  readonly #clock: ReturnType<typeof mortal>;

  constructor(private readonly browser: Browser) {
    const onWarning = (message: string): void => browser.problem(message);
    this.#copy = new PageStorage({
      ...browser,
      workspace: "w",
      session: undefined,
      opening: undefined,
      timeOfDay: () => browser.clock.now(),
      onWarning,
    });
    this.#clock = mortal(browser.clock, () => this.#isAlive);
    this.#frames = new FrameScheduler(
      () => this.#draw(),
      this.#clock,
      frame => {
        this.#clock.after(FRAME_MS, frame);
      },
    );
    const [page, effects] = openPage(this.#copy.load(), browser.timeOfDay(), browser.clock.now());
    this.state = page;
    effects.forEach(effect => this.#perform(effect));
    this.#tick();
  }

  get isDrawn(): boolean {
    return this.#toDraw.size === 0;
  }
  destroy(): void {
    this.#isAlive = false;
  }

  receive(message: HostToPage): void {
    if (!isHostToPage(message)) return this.browser.problem(`the page ignored ${JSON.stringify(message)}`);
    this.happen({ kind: "received", message });
  }

  happen(event: UiEvent): void {
    if (!this.#isAlive) return;
    this.#apply(step(this.state, event, this.#clock.now()));
  }

  open(): void {
    this.happen({ kind: "opened", tabId: this.browser.tabId() });
  }

  #apply([page, effects]: Step): void {
    this.state = page;
    effects.forEach(effect => this.#perform(effect));
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "post":
        return this.browser.post(effect.message);
      case "openOne":
        return this.open();
      case "save":
      case "saveSoon":
        this.#copy.save(saved(this.state));
        return this.#copy.store();
      case "show":
        this.#toDraw.add(effect.tabId);
        return this.#frames.request();
      case "open":
      case "select":
      case "close":
      case "fill":
      case "focus":
      case "focusQuestion":
      case "focusFind":
      case "offer":
      case "colorCode":
      case "showAgents":
        return;
    }
  }

  #draw(): void {
    for (const tabId of this.#toDraw) {
      const tab = this.state.tabs.get(tabId);
      if (tab)
        this.browser.drawn(
          tabId,
          viewOf(this.state, tab).cards.flatMap(card => marksIn(`${card.header?.text ?? ""} ${card.body}`)),
        );
    }
    this.#toDraw.clear();
    this.happen({ kind: "drawn" });
  }

  #tick(): void {
    this.#clock.after(TICK_MS, () => {
      this.happen({ kind: "ticked" });
      this.#tick();
    });
  }
}
