/** The icon of an agent, or the first letter of its name. Decorative: the name is beside it. */
import type { PictureView } from "../view-model/tab/first-screen";
import { create } from "./dom";
import { isPicture, maskOf } from "./picture";

export class AgentPicture {
  readonly element = create("span", { className: "symposium-agent-picture", attributes: { "aria-hidden": "true" } });
  /** Icon or letter. */
  #shown = "";

  show({ icon, letter }: PictureView): void {
    const shown = icon ?? letter;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const mask = icon === undefined ? undefined : maskOf(icon);
    this.element.toggleAttribute("data-mask", mask !== undefined);
    this.element.style.cssText = mask ?? "";
    if (mask !== undefined) this.element.replaceChildren();
    else if (icon !== undefined && isPicture(icon))
      this.element.replaceChildren(create("img", { attributes: { src: icon, alt: "", draggable: "false" } }));
    else this.element.textContent = letter;
  }
}
