/** One line below a prompt for each extension that changed it, which opens to the added text. Rendered as text. */
import type { Addition } from "../../src/protocol/chat/chat";
import { additionView } from "../view-model/cards/additions";
import { texts } from "../view-model/text/chat-texts";
import { create, freshId } from "./dom";
import { fold } from "./fold";

export function promptAdditions(additions: readonly Addition[], disabled: (extensionId: string) => void): HTMLElement {
  return create(
    "ul",
    { className: "symposium-additions", attributes: { role: "list", "aria-label": texts.additions } },
    ...additions.map(addition => item(addition, disabled)),
  );
}

function item(addition: Addition, disabled: (extensionId: string) => void): HTMLElement {
  const { extensionId, summary, text } = additionView(addition),
    about = create("span", { text: summary, attributes: { id: freshId() } }),
    content = create("pre", { text, attributes: { id: freshId(), tabindex: "0", "aria-labelledby": about.id } }),
    open = button(texts.showAddition, about.id),
    turnOff = button(texts.disableExtensions, about.id);
  fold(open, content);
  turnOff.title = texts.disableExtensionTooltip;
  turnOff.addEventListener("click", () => disabled(extensionId));
  return create(
    "li",
    {},
    create("p", {}, create("span", {}, about), create("span", {}, open, separator(), turnOff)),
    content,
  );
}

function button(text: string, descriptionId: string): HTMLButtonElement {
  return create("button", {
    className: "symposium-text-button",
    text,
    attributes: { type: "button", "aria-describedby": descriptionId },
  });
}

function separator(): HTMLElement {
  return create("span", { className: "symposium-separator", text: "·", attributes: { "aria-hidden": "true" } });
}
