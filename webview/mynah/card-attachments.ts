/**
 * Attachments of one tab's prompts. The elements are cached outside the cards and reinserted when a card is redrawn.
 */
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { Card } from "../view-model/cards/card";
import { cardContent } from "./elements";
import { chipView } from "../view-model/tab/chip";
import { chipContent } from "../components/chips";
import { create } from "../components/dom";
import { texts } from "../view-model/text/chat-texts";

interface RenderedAttachments {
  readonly attached: readonly Attachment[];
  readonly element: HTMLElement;
}

export class CardAttachments {
  readonly #rendered = new Map<string, RenderedAttachments>();

  /** Inserts the elements at the end of their cards. */
  mount(list: Element, cards: readonly Card[]): void {
    const withChips = cards.filter(({ attached }) => attached.length > 0);
    const keys = new Set(withChips.map(({ key }) => key));
    for (const [key, { element }] of this.#rendered)
      if (!keys.has(key)) {
        element.remove();
        this.#rendered.delete(key);
      }
    for (const { key, attached } of withChips) {
      const card = cardContent(list, key);
      const { element } = this.#chips(key, attached);
      if (card && element.parentElement !== card) card.append(element);
    }
  }

  #chips(key: string, attached: readonly Attachment[]): RenderedAttachments {
    const before = this.#rendered.get(key);
    if (before?.attached === attached) return before;
    before?.element.remove();
    const rendered = {
      attached,
      element: create(
        "ul",
        { className: "symposium-attached", attributes: { role: "list", "aria-label": texts.attached } },
        ...attached.map(item),
      ),
    };
    this.#rendered.set(key, rendered);
    return rendered;
  }
}

/** Links open through the host (`links.ts`). */
function item(attachment: Attachment): HTMLElement {
  const { about, address } = chipView(attachment);
  const content = chipContent(attachment);
  const chip =
    address === undefined
      ? create("span", { className: "symposium-chip", attributes: { title: about } }, ...content)
      : create("a", { className: "symposium-chip", attributes: { title: about, href: address } }, ...content);
  return create("li", { attributes: { "data-attached": attachment.kind } }, chip);
}
