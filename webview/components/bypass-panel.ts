/** The actions that run without asking, and the buttons that end this. Rendered as text. */
import type { BypassView } from "../view-model/tab/dock-view";
import { texts } from "../view-model/text/chat-texts";
import { create, setText } from "./dom";

export class BypassPanel {
  readonly element = create("div", {
    className: "symposium-bypassed",
    attributes: { role: "group", "aria-label": texts.bypassed },
  });
  readonly #text = create("p");
  readonly #end = button(texts.askAgain, texts.askAgainTooltip);
  readonly #settings = button(texts.openSettings, "");

  constructor(listener: { readonly settingsWanted: () => void; readonly ended: () => void }) {
    this.#end.addEventListener("click", listener.ended);
    this.#settings.addEventListener("click", listener.settingsWanted);
    this.element.append(this.#text, create("div", { className: "symposium-form-buttons" }, this.#end, this.#settings));
  }

  show({ tooltip, endsHere, isSet }: BypassView): void {
    setText(this.#text, tooltip);
    this.#end.hidden = !endsHere;
    this.#settings.hidden = !isSet;
  }
}

function button(text: string, title: string): HTMLButtonElement {
  return create("button", {
    className: "symposium-button symposium-plain",
    text,
    attributes: { type: "button", title },
  });
}
