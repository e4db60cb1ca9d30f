/**
 * Area between a tab's conversation and its prompt: notice about bypassed permissions, current plan, context usage,
 * session details and queued prompts.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - Unchanged elements are not touched.
 * - The user's fold state of the plan persists when the plan changes.
 */
import type { PlanStep, Usage } from "../../src/protocol/chat/chat";
import { DetailsPanel } from "./details-panel";
import { planView, usageView, type BypassView } from "../view-model/tab/dock-view";
import { freshId, create, setText } from "./dom";
import { fold } from "./fold";
import { QueueList, type QueueListener } from "./queue-list";
import type { TabView } from "../view-model/tab/tab-view";
import { texts } from "../view-model/text/chat-texts";

export interface DockListener extends QueueListener {
  followToggled(): void;
  settingsWanted(): void;
}

export class Dock {
  readonly element = create("div", { className: "symposium-dock" });
  readonly #planSteps = create("ol", {
    className: "symposium-plan-steps",
    attributes: { id: freshId(), "aria-label": texts.plan, tabindex: "0" },
  });
  readonly #progress = create("span", { className: "symposium-plan-progress" });
  readonly #current = create("span", { className: "symposium-plan-current" });
  readonly #planButton = create(
    "button",
    { className: "symposium-plan", attributes: { type: "button" } },
    create("span", { className: "symposium-chevron", attributes: { "aria-hidden": "true" } }),
    create("span", { className: "symposium-plan-name", text: `${texts.plan} ` }),
    this.#progress,
    this.#current,
  );
  readonly #ring = create("span", { className: "symposium-ring", attributes: { "aria-hidden": "true" } });
  readonly #usageShort = create("span");
  readonly #usageButton = create(
    "button",
    { className: "symposium-usage", attributes: { type: "button" } },
    this.#ring,
    this.#usageShort,
  );
  readonly #followButton = create("button", {
    className: "symposium-follow",
    text: texts.follow,
    attributes: { type: "button", title: texts.followTooltip },
  });
  readonly #usageFull = create("p", { className: "symposium-usage-full", attributes: { id: freshId() } });
  readonly #bypassText = create("p");
  readonly #bypassButton = create("button", { attributes: { type: "button" } });
  readonly #endBypass = create("button", {
    className: "symposium-ask-again",
    text: texts.askAgain,
    attributes: { type: "button", title: texts.askAgainTooltip },
  });
  readonly #bypass = create(
    "div",
    { className: "symposium-bypassed", attributes: { role: "group" } },
    this.#bypassButton,
    this.#bypassText,
    this.#endBypass,
  );
  readonly #details = new DetailsPanel();
  readonly #queue: QueueList;
  #plan: readonly PlanStep[] | undefined;
  #usage: Usage | undefined;

  constructor(listener: DockListener) {
    this.#queue = new QueueList(listener);
    this.#followButton.addEventListener("click", () => listener.followToggled());
    this.#bypassButton.addEventListener("click", () => listener.settingsWanted());
    this.#endBypass.addEventListener("click", () => listener.acted({ kind: "endBypass" }));
    this.element.append(
      this.#bypass,
      create(
        "div",
        { className: "symposium-dock-line" },
        this.#planButton,
        this.#followButton,
        this.#usageButton,
        this.#details.button,
      ),
      this.#planSteps,
      this.#usageFull,
      this.#details.panel,
      this.#queue.element,
    );
    fold(this.#planButton, this.#planSteps);
    fold(this.#usageButton, this.#usageFull);
    this.#showPlan();
    this.#showUsage();
    this.#showFollowing(undefined);
    this.#showBypass(undefined);
  }

  show({
    plan,
    usage,
    following,
    queue,
    details,
    bypassed,
  }: Pick<TabView, "plan" | "usage" | "following" | "queue" | "details" | "bypassed">): void {
    if (plan !== this.#plan) {
      this.#plan = plan;
      this.#showPlan();
    }
    if (usage !== this.#usage) {
      this.#usage = usage;
      this.#showUsage();
    }
    this.#showFollowing(following);
    this.#showBypass(bypassed);
    this.#details.show(details);
    this.#queue.show(queue);
  }

  #showFollowing(following: boolean | undefined): void {
    this.#followButton.hidden = following === undefined;
    this.#followButton.setAttribute("aria-pressed", String(following ?? false));
  }

  #showBypass(view: BypassView | undefined): void {
    this.#bypass.hidden = view === undefined;
    this.#bypassButton.hidden = view?.isSet !== true;
    this.#bypassText.hidden = view?.isSet === true;
    this.#endBypass.hidden = view?.endsHere !== true;
    const text = view === undefined ? "" : `⚠ ${view.text}`,
      description = view === undefined ? "" : `${view.text}. ${view.tooltip}`;
    for (const label of [this.#bypassButton, this.#bypassText]) {
      setText(label, text);
      label.title = view?.tooltip ?? "";
    }
    this.#bypassButton.setAttribute("aria-label", description);
    this.#bypass.setAttribute("aria-label", description);
  }

  #showPlan(): void {
    this.#planButton.hidden = this.#plan === undefined;
    this.#planSteps.classList.toggle("symposium-none", this.#plan === undefined);
    const view = planView(this.#plan ?? []);
    setText(this.#progress, this.#plan === undefined ? "" : view.progress);
    setText(this.#current, view.current === "" ? "" : ` · ${view.current}`);
    this.#planButton.title = view.current;
    this.#planSteps.replaceChildren(
      ...view.steps.map(({ mark, text, state, spokenText }) =>
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

  #showUsage(): void {
    this.#usageButton.hidden = this.#usage === undefined;
    this.#usageFull.classList.toggle("symposium-none", this.#usage === undefined);
    const view = usageView(this.#usage ?? { used: 0, size: 0 });
    setText(this.#usageShort, view.short);
    setText(this.#usageFull, view.full);
    this.#usageButton.title = view.full;
    this.#usageButton.setAttribute("aria-label", `${view.short}. ${texts.usage}: ${view.full}`);
    this.#usageButton.dataset["tone"] = view.tone;
    this.#ring.hidden = view.part === undefined;
    this.#ring.style.setProperty("--part", String(view.part ?? 0));
  }
}
