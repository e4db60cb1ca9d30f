/**
 * First screen of a tab, above its empty conversation: agents, suggested prompts and enabled extensions.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - An unchanged element is not touched, and a row keeps its element, so that progress does not move the focus.
 */
import type { FirstScreenView, OfferView } from "../view-model/tab/first-screen";
import { texts } from "../view-model/text/chat-texts";
import { AgentPicture } from "./agent-picture";
import { create, freshId, setText } from "./dom";

export interface FirstScreenListener {
  agentChosen(agentId: string): void;
  moreAgentsWanted(): void;
  demoStarted(): void;
  suggested(text: string): void;
  extensionsDisabled(ids: readonly string[]): void;
  extensionsPreviewed(): void;
}

interface Row {
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly picture: AgentPicture;
  readonly name: HTMLElement;
  readonly about: HTMLElement;
}

export class FirstScreen {
  readonly #heading = create("h2", { text: texts.firstScreenHeading, attributes: { id: freshId() } });
  readonly element = create("section", {
    className: "symposium-first",
    attributes: { "aria-labelledby": this.#heading.id },
  });
  readonly #agents = create("ul", {
    className: "symposium-first-agents",
    attributes: { role: "list", "aria-label": texts.firstScreenAgents },
  });
  readonly #demo: HTMLButtonElement;
  readonly #suggestions = create("ul", {
    className: "symposium-first-suggestions",
    attributes: { role: "list", "aria-label": texts.suggestions },
  });
  readonly #extensionNames = create("span");
  readonly #disable: HTMLButtonElement;
  readonly #extensions: HTMLElement;
  readonly #rows = new Map<string, Row>();
  #shown: FirstScreenView | undefined;

  constructor(private readonly listener: FirstScreenListener) {
    this.#demo = linkButton(texts.firstScreenDemo, texts.firstScreenDemoTooltip, () => listener.demoStarted());
    this.#disable = linkButton(texts.disableExtensions, "", () =>
      listener.extensionsDisabled(this.#shown?.extensions?.ids ?? []),
    );
    this.#extensions = create(
      "p",
      { className: "symposium-first-extensions" },
      this.#extensionNames,
      create(
        "span",
        {},
        linkButton(texts.previewExtensions, texts.previewExtensionsTooltip, () => listener.extensionsPreviewed()),
        separator(),
        this.#disable,
      ),
    );
    this.element.append(
      this.#heading,
      create("p", { className: "symposium-first-about", text: texts.firstScreenAbout }),
      this.#agents,
      create(
        "p",
        { className: "symposium-first-more" },
        linkButton(texts.firstScreenMore, texts.firstScreenMoreTooltip, () => listener.moreAgentsWanted()),
        separator(),
        this.#demo,
      ),
      this.#suggestions,
      this.#extensions,
    );
    this.element.hidden = true;
    this.#agents.addEventListener("keydown", event => this.#moveFocus(event));
  }

  show(view: FirstScreenView | undefined): void {
    this.element.hidden = view === undefined;
    if (view === undefined || JSON.stringify(view) === JSON.stringify(this.#shown)) return;
    const before = this.#shown;
    this.#shown = view;
    this.#showAgents(view.agents);
    setChosen(this.#demo, view.isDemo);
    if (JSON.stringify(before?.suggestions) !== JSON.stringify(view.suggestions)) this.#showSuggestions(view);
    this.#extensions.hidden = view.extensions === undefined;
    setText(this.#extensionNames, view.extensions?.text ?? "");
    this.#disable.title = view.extensions?.tooltip ?? "";
  }

  #showAgents(agents: readonly OfferView[]): void {
    this.#agents.hidden = agents.length === 0;
    for (const [id, { element }] of this.#rows)
      if (!agents.some(agent => agent.id === id)) {
        element.remove();
        this.#rows.delete(id);
      }
    agents.forEach((agent, i) => {
      const row = this.#rows.get(agent.id) ?? this.#createRow(agent.id);
      update(row, agent);
      if (this.#agents.children[i] !== row.element)
        this.#agents.insertBefore(row.element, this.#agents.children[i] ?? null);
    });
  }

  #createRow(id: string): Row {
    const picture = new AgentPicture(),
      name = create("span", { className: "symposium-first-name" }),
      about = create("span", { className: "symposium-first-state" });
    const button = create(
      "button",
      { className: "symposium-first-agent", attributes: { type: "button" } },
      picture.element,
      name,
      about,
      create("span", { className: "symposium-chevron", attributes: { "aria-hidden": "true" } }),
    );
    button.addEventListener("click", () => this.listener.agentChosen(id));
    const row: Row = { element: create("li", {}, button), button, picture, name, about };
    this.#rows.set(id, row);
    return row;
  }

  #showSuggestions({ suggestions }: FirstScreenView): void {
    const focused = [...this.#suggestions.children].findIndex(item => item.contains(document.activeElement));
    this.#suggestions.hidden = suggestions.length === 0;
    this.#suggestions.replaceChildren(
      ...suggestions.map(text =>
        create(
          "li",
          {},
          linkButton(text, text, () => this.listener.suggested(text)),
        ),
      ),
    );
    if (focused !== -1) this.#suggestions.children[focused]?.querySelector("button")?.focus();
  }

  /** Arrow keys, Home and End move between the agents. */
  #moveFocus(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const buttons = [...this.#agents.querySelectorAll("button")],
      at = buttons.findIndex(button => button === document.activeElement),
      next = destination(event.key, at, buttons.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  }
}

function destination(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, last);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

function update(row: Row, { name, about, tooltip, picture, isChosen, isInstalling }: OfferView): void {
  setText(row.name, name);
  setText(row.about, about);
  row.button.title = tooltip;
  setChosen(row.button, isChosen);
  row.button.toggleAttribute("data-installing", isInstalling);
  row.picture.show(picture);
}

/** Marks the agent of the tab. */
function setChosen(button: HTMLButtonElement, isChosen: boolean): void {
  if (isChosen) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

function linkButton(text: string, title: string, act: () => void): HTMLButtonElement {
  const button = create("button", { className: "symposium-text-button", text, attributes: { type: "button", title } });
  button.addEventListener("click", act);
  return button;
}

function separator(): HTMLElement {
  return create("span", { className: "symposium-first-separator", text: "·", attributes: { "aria-hidden": "true" } });
}
