/**
 * Session details, a panel of the dock.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - Unchanged elements are not touched, so that they keep the focus and the scroll position.
 */
import { detailsView, type ExtensionView, type ShownDetails } from "../view-model/tab/details-view";
import { freshId, create } from "./dom";
import { texts } from "../view-model/text/chat-texts";

export class DetailsPanel {
  readonly panel = create("div", {
    className: "symposium-details",
    attributes: { role: "group", "aria-label": texts.detailsTooltip, tabindex: "0" },
  });
  readonly #facts = create("dl");
  readonly #heading = create("p", {
    className: "symposium-details-heading",
    text: texts.detailsExtensions,
    attributes: { id: freshId() },
  });
  readonly #list = create("ol", { attributes: { "aria-labelledby": this.#heading.id } });
  readonly #none = create("p", { text: texts.detailsNone });
  #shownFacts = "";
  readonly #items = new Map<string, { readonly content: string; readonly element: HTMLElement }>();

  constructor() {
    this.panel.append(this.#facts, this.#heading, this.#list, this.#none);
  }

  show({ details, agent, cwd }: ShownDetails): void {
    if (details === undefined) return;
    const { facts, extensions } = detailsView(details, agent, cwd),
      content = JSON.stringify(facts);
    if (content !== this.#shownFacts)
      this.#facts.replaceChildren(
        ...facts.flatMap(({ name, value }) => [create("dt", { text: name }), create("dd", { text: value })]),
      );
    this.#shownFacts = content;
    this.#none.hidden = extensions.length > 0;
    this.#heading.hidden = this.#list.hidden = extensions.length === 0;
    this.#show(extensions);
  }

  #show(extensions: readonly ExtensionView[]): void {
    for (const id of this.#items.keys())
      if (!extensions.some(view => view.id === id)) {
        this.#items.get(id)?.element.remove();
        this.#items.delete(id);
      }
    extensions.forEach((view, i) => {
      const content = JSON.stringify(view),
        before = this.#items.get(view.id);
      const element = before?.content === content ? before.element : itemOf(view, before?.element);
      if (before && before.element !== element) replace(before.element, element);
      if (this.#list.children[i] !== element) this.#list.insertBefore(element, this.#list.children[i] ?? null);
      this.#items.set(view.id, { content, element });
    });
  }
}

const STATES: Readonly<Record<ExtensionView["state"], string>> = {
  runs: texts.detailsRuns,
  toolsMissing: texts.detailsToolsMissing,
  leftOut: texts.detailsLeftOut,
};

function itemOf({ name, state, sentences, added }: ExtensionView, before: HTMLElement | undefined): HTMLElement {
  const item = create(
    "li",
    { attributes: { "data-state": state } },
    create("span", { className: "symposium-details-name", text: name }),
    create("span", { className: "symposium-details-state", text: ` ${STATES[state]}` }),
    create("ul", {}, ...sentences.map(text => create("li", { text }))),
  );
  if (added === undefined) return item;
  const text = create(
    "details",
    {},
    create("summary", { text: texts.detailsAdded }),
    create("pre", { text: added, attributes: { tabindex: "0", "aria-label": texts.detailsAdded } }),
  );
  text.open = before?.querySelector("details")?.open ?? false;
  item.append(text);
  return item;
}

/** Replaces an element and moves its focus to the corresponding part of `after`. */
function replace(before: HTMLElement, after: HTMLElement): void {
  const focusedTag = before.contains(document.activeElement) ? document.activeElement?.tagName : undefined;
  before.replaceWith(after);
  if (focusedTag !== undefined) after.querySelector<HTMLElement>(focusedTag === "PRE" ? "pre" : "summary")?.focus();
}
