/**
 * Shows a picture of the conversation in the size of the page, or in its own size. Escape, the button and a click
 * beside the picture close it; the focus then returns to the picture.
 */
import * as l10n from "@vscode/l10n";
import { create } from "./dom";
import { icon } from "./icons";

/** Opens pictures that match the selector with a click, Enter or Space. */
export function zoomPictures(root: HTMLElement, selector: string): void {
  const pictureAt = (event: Event): HTMLImageElement | undefined =>
    event.target instanceof HTMLImageElement && event.target.matches(selector) ? event.target : undefined;
  root.addEventListener("click", event => {
    const picture = pictureAt(event);
    if (picture) open(root, picture);
  });
  root.addEventListener("keydown", event => {
    const picture = event.key === "Enter" || event.key === " " ? pictureAt(event) : undefined;
    if (picture === undefined) return;
    event.preventDefault();
    open(root, picture);
  });
}

function open(root: HTMLElement, { src, alt }: HTMLImageElement): void {
  const close = create(
    "button",
    {
      className: "symposium-lightbox-close",
      attributes: { type: "button", "aria-label": l10n.t("Close"), title: l10n.t("Close") },
    },
    icon("remove"),
  );
  const picture = create("img", { attributes: { src, alt } }),
    frame = create(
      "div",
      { className: "symposium-lightbox-frame", attributes: { tabindex: "0", role: "region", "aria-label": alt } },
      picture,
    ),
    dialog = create(
      "dialog",
      { className: "symposium-lightbox", attributes: { "aria-label": l10n.t`Zoomed picture: ${alt}` } },
      frame,
      close,
    );
  // The browser returns the focus when the dialog closes.
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", event => event.stopPropagation());
  close.addEventListener("click", () => dialog.close());
  frame.addEventListener("click", ({ target }) => {
    if (target === picture) frame.dataset["size"] = frame.dataset["size"] === "own" ? "fit" : "own";
    else dialog.close();
  });
  root.append(dialog);
  dialog.showModal();
}
