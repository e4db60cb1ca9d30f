/**
 * Runs the page: passes events to the state machine (`page-state.ts`), executes its effects, draws changes with the
 * next frame and announces them to screen readers.
 *
 * Invariants:
 * - Steps run one at a time, with their effects in order.
 * - A tab that fails to draw does not affect other tabs.
 * - Text chunks of a long answer are announced together, at the latest with the drawing.
 */
import * as l10n from "@vscode/l10n";
import type { PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import type { Accessibility } from "../a11y/a11y";
import type { ChatUi } from "../mynah/chat-ui";
import { drawTabs } from "./draw-changed-tabs";
import type { FrameScheduler } from "./frame-scheduler";
import type { PageMarks } from "./page-marks";
import type { Effect, UiEvent, Page, Step, Tab } from "../state/page-model";
import { step } from "../state/page-state";
import { keyOf } from "../view-model/cards/card";
import type { SaveSchedule } from "../state/save-schedule";
import { viewOf } from "../view-model/tab/tab-view";

export interface Stage {
  readonly ui: Pick<
    ChatUi,
    | "open"
    | "select"
    | "close"
    | "focusPrompt"
    | "focusQuestion"
    | "focusFind"
    | "offer"
    | "fill"
    | "showAgents"
    | "colorCode"
    | "show"
    | "isDrawing"
  >;
  readonly frames: Pick<FrameScheduler, "request">;
  readonly saving: Pick<SaveSchedule, "now" | "soon">;
  readonly accessibility: Accessibility;
  /** Publishes the state of the page for tests and the smoke run. */
  marks(marks: PageMarks): void;
  post(message: PageToHost): void;
  /** Milliseconds of the page's clock. */
  now(): number;
  tabId(): TabId;
}

export class PageRuntime {
  #page: Page;
  /** The page before the first unannounced text chunk. */
  #unannounced: Page | undefined;
  readonly #toDraw = new Set<TabId>();

  constructor(
    private readonly stage: Stage,
    first: Page,
  ) {
    this.#page = first;
  }

  get page(): Page {
    return this.#page;
  }

  /** Applies a step that has already been computed, such as the first one. */
  enter([next, effects]: Step): void {
    this.#page = next;
    for (const effect of effects) this.#execute(effect);
    this.#mark();
  }

  happen(event: UiEvent): void {
    const before = this.#unannounced ?? this.#page;
    this.enter(step(this.#page, event, this.stage.now()));
    this.#unannounced = appendsText(event) ? before : undefined;
    if (this.#unannounced === undefined) this.stage.accessibility.changed(before, this.#page);
  }

  /** Draws each changed tab; called once per frame. */
  draw(): void {
    drawTabs(
      this.#toDraw,
      tabId => {
        const tab = this.#page.tabs.get(tabId);
        if (tab) this.stage.ui.show(tabId, viewOf(this.#page, tab));
      },
      (tabId, error) =>
        this.stage.post({
          type: "log",
          level: "error",
          message: l10n.t("A tab could not be rendered."),
          data: { tabId, why: String(error).slice(0, 1_000) },
        }),
    );
    this.happen({ kind: "drawn" });
    this.stage.accessibility.drawn(
      this.#page,
      this.#page.selected === undefined || !this.stage.ui.isDrawing(this.#page.selected),
    );
  }

  /** Call when a drawing of several frames has finished. */
  complete(): void {
    this.stage.accessibility.drawn(this.#page, true);
    this.#mark();
  }

  #execute(effect: Effect): void {
    const { ui, frames, saving } = this.stage;
    switch (effect.kind) {
      case "post":
        return this.stage.post(effect.message);
      case "open":
        return void ui.open(effect.tabId);
      case "openOne":
        return this.#openNewTab();
      case "select":
        return ui.select(effect.tabId);
      case "close":
        return ui.close(effect.tabId);
      case "focus":
        return ui.focusPrompt(effect.tabId);
      case "focusQuestion":
        return ui.focusQuestion(effect.tabId, keyOf(effect.entryId));
      case "focusFind":
        return ui.focusFind(effect.tabId, queryOf(this.#page.tabs.get(effect.tabId)));
      case "offer":
        return ui.offer(effect.tabId, effect.query, effect.mentions);
      case "fill":
        return ui.fill(effect.tabId, effect.text);
      case "showAgents":
        return ui.showAgents(this.#page.agents, this.#page.currentAgentId);
      case "colorCode":
        return ui.colorCode(effect.colors);
      case "save":
        return saving.now();
      case "saveSoon":
        return saving.soon();
      case "show":
        this.#toDraw.add(effect.tabId);
        return frames.request();
    }
  }

  #openNewTab(): void {
    const tabId = this.stage.tabId();
    if (this.stage.ui.open(tabId)) this.happen({ kind: "opened", tabId });
  }

  #mark(): void {
    this.stage.marks({
      page: this.#page,
      isDrawn: tabId => !this.#toDraw.has(tabId) && !this.stage.ui.isDrawing(tabId),
    });
  }
}

const queryOf = (tab: Tab | undefined): string => tab?.find.query ?? "";

/** Whether the event only appends text. An announcement after each chunk would scan the whole answer each time. */
function appendsText(event: UiEvent): boolean {
  return (
    event.kind === "received" &&
    event.message.type === "event" &&
    (event.message.event.type === "append" || event.message.event.type === "terminalOutput")
  );
}
