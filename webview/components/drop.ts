/**
 * Drag and drop on the page: an overlay lists the accepted types during a drag, and `Drops` receives the dropped items.
 */
import { attachableParts, mayAttach, OTHER_FILES } from "../state/attachable-data";
import { create } from "./dom";
import { texts } from "../view-model/text/chat-texts";

export interface Drops {
  uris(uris: readonly string[]): void;
  images(files: readonly File[]): void;
  /** `why` is a sentence for the user. */
  notTaken(why: string): void;
}

export function acceptDrops(root: HTMLElement, drops: Drops): void {
  const overlay = create(
    "div",
    { className: "symposium-drop", attributes: { "aria-hidden": "true" } },
    create("p", { text: texts.drop }),
    create("p", { className: "symposium-drop-more", text: texts.dropMore }),
  );
  const show = (shown: boolean) => {
    overlay.hidden = !shown;
  };
  const types = ({ dataTransfer }: DragEvent) => dataTransfer?.types ?? [];
  show(false);
  root.append(overlay);
  const over = (event: DragEvent) => {
    if (!mayAttach(types(event))) return;
    // Marks the page as a drop target.
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    show(true);
  };
  root.addEventListener("dragenter", over, { capture: true });
  root.addEventListener("dragover", over, { capture: true });
  root.addEventListener(
    "dragleave",
    event => {
      const to = event.relatedTarget;
      if (!(to instanceof Node) || !root.contains(to)) show(false);
    },
    { capture: true },
  );
  root.addEventListener("dragend", () => show(false), { capture: true });
  root.addEventListener(
    "drop",
    event => {
      show(false);
      const { dataTransfer } = event;
      if (!dataTransfer || !mayAttach(dataTransfer.types)) return;
      const { uris, images, others } = attachableParts(type => dataTransfer.getData(type), [...dataTransfer.files]);
      // A link to a web page is text, which the prompt accepts.
      if (uris.length + images.length + others.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      if (uris.length > 0) drops.uris(uris);
      if (images.length > 0) drops.images(images);
      if (others.length > 0) drops.notTaken(OTHER_FILES);
    },
    { capture: true },
  );
}
