/**
 * Area between a tab's conversation and its prompt: a row of parts, and above it the panel of the part that the user
 * has opened.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - Unchanged elements are not touched.
 * - One panel is open at most. It stays open while its part changes, and closes with its part.
 * - A queue that becomes held opens its panel, because it waits for the user.
 */
import type { PlanStep, Usage } from "../../src/protocol/chat/chat";
import { BypassPanel } from "./bypass-panel";
import { DetailsPanel } from "./details-panel";
import { planView, usageView } from "../view-model/tab/dock-view";
import { dockParts, type DockPartId } from "../view-model/tab/dock-parts";
import { DockRow } from "./dock-row";
import { freshId, create, setText } from "./dom";
import { QueueList, type QueueListener } from "./queue-list";
import { ReviewPanel, type ReviewListener } from "./review-panel";
import type { TabView } from "../view-model/tab/tab-view";
import { texts } from "../view-model/text/chat-texts";

export interface DockListener extends QueueListener, ReviewListener {
  followToggled(): void;
  settingsWanted(): void;
}

export class Dock {
  readonly element = create("div", { className: "symposium-dock" });
  readonly #planSteps = create("ol", {
    className: "symposium-plan-steps",
    attributes: { "aria-label": texts.plan, tabindex: "0" },
  });
  readonly #usageFull = create("p", { className: "symposium-usage-full" });
  readonly #bypass: BypassPanel;
  readonly #details = new DetailsPanel();
  readonly #queue: QueueList;
  readonly #review: ReviewPanel;
  readonly #panels: ReadonlyMap<DockPartId, HTMLElement>;
  readonly #row: DockRow;
  #open: DockPartId | undefined;
  #plan: readonly PlanStep[] | undefined;
  #usage: Usage | undefined;
  #isHeld = false;

  constructor(private readonly listener: DockListener) {
    this.#queue = new QueueList(listener);
    this.#review = new ReviewPanel(listener);
    this.#bypass = new BypassPanel({
      settingsWanted: () => listener.settingsWanted(),
      ended: () => listener.acted({ kind: "endBypass" }),
    });
    this.#panels = new Map<DockPartId, HTMLElement>([
      ["bypass", this.#bypass.element],
      ["usage", this.#usageFull],
      ["plan", this.#planSteps],
      ["queue", this.#queue.element],
      ["review", this.#review.element],
      ["details", this.#details.panel],
    ]);
    for (const panel of this.#panels.values()) {
      panel.id = freshId();
      panel.classList.add("symposium-dock-panel");
    }
    this.#row = new DockRow(new Map([...this.#panels].map(([id, panel]) => [id, panel.id])), id => this.#pressed(id));
    this.element.append(...this.#panels.values(), this.#row.element);
    this.element.addEventListener("keydown", event => this.#keyPressed(event));
    this.#setOpen(undefined);
  }

  show(view: TabView): void {
    const { plan, usage, queue, review, details, bypassed } = view;
    this.#showPlan(plan);
    this.#showUsage(usage);
    if (bypassed) this.#bypass.show(bypassed);
    this.#details.show(details);
    this.#queue.show(queue);
    this.#review.show(review);
    const parts = dockParts(view);
    this.#row.show(parts);
    const isHeld = queue?.held === true;
    if (isHeld && !this.#isHeld) this.#setOpen("queue");
    this.#isHeld = isHeld;
    if (this.#open !== undefined && !parts.some(({ id }) => id === this.#open)) this.#setOpen(undefined);
  }

  #pressed(id: DockPartId): void {
    if (id === "follow") this.listener.followToggled();
    else this.#setOpen(id === this.#open ? undefined : id);
  }

  #setOpen(open: DockPartId | undefined): void {
    this.#open = open;
    for (const [id, panel] of this.#panels) panel.hidden = id !== open;
    this.#row.showOpen(open);
  }

  /** Escape closes the panel. */
  #keyPressed(event: KeyboardEvent): void {
    const open = this.#open;
    if (event.key !== "Escape" || open === undefined) return;
    event.preventDefault();
    this.#setOpen(undefined);
    this.#row.focus(open);
  }

  #showPlan(plan: readonly PlanStep[] | undefined): void {
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#planSteps.replaceChildren(
      ...planView(plan ?? []).steps.map(({ mark, text, state, spokenText }) =>
        create(
          "li",
          { attributes: { "data-state": state } },
          create("span", { className: "symposium-mark", text: mark, attributes: { "aria-hidden": "true" } }),
          create("span", { text }),
          create("span", { className: "symposium-unseen", text: `, ${spokenText}` }),
        ),
      ),
    );
  }

  #showUsage(usage: Usage | undefined): void {
    if (usage === this.#usage) return;
    this.#usage = usage;
    setText(this.#usageFull, usage === undefined ? "" : usageView(usage).full);
  }
}
