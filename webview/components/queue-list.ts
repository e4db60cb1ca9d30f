/**
 * Queued prompts in sending order, a panel of the dock. The first one is sent when the turn ends, unless the queue is
 * held.
 *
 * Invariants:
 * - Content is rendered as text, never as HTML.
 * - A remaining prompt is not recreated, so that its buttons keep the focus.
 */
import type { QueuedPrompt } from "../../src/protocol/chat/chat";
import type { PlainAction } from "../state/page-model";
import { chipContent } from "./chips";
import { freshId, create, setText } from "./dom";
import { looksSame, type QueueView, type ShownPrompt } from "../view-model/tab/queue-view";
import { texts } from "../view-model/text/chat-texts";

export interface QueueListener {
  withdrawn(messageId: string, to: "edit" | "drop"): void;
  acted(action: PlainAction): void;
}

interface Row {
  readonly shown: ShownPrompt;
  readonly element: HTMLElement;
}

export class QueueList {
  readonly element = create("section", { className: "symposium-queue", attributes: { "aria-label": texts.queue } });
  readonly #heading = create("p", { className: "symposium-queue-about" });
  readonly #send = create("button", {
    className: "symposium-queue-send",
    text: texts.sendQueued,
    attributes: { type: "button" },
  });
  readonly #clear = create("button", {
    text: texts.clearQueue,
    attributes: { type: "button", title: texts.clearQueueTooltip },
  });
  readonly #list = create("ol", { className: "symposium-queue-prompts", attributes: { role: "list" } });
  readonly #rows = new Map<string, Row>();
  #shown: QueueView | undefined;
  #waiting: readonly string[] = [];

  constructor(private readonly listener: QueueListener) {
    this.#send.addEventListener("click", () => listener.acted({ kind: "sendQueued" }));
    this.#clear.addEventListener("click", () => listener.acted({ kind: "clearQueue", messageIds: this.#waiting }));
    const head = create("div", { className: "symposium-queue-head" }, this.#heading, this.#send, this.#clear);
    this.element.append(head, this.#list);
  }

  show(queue: QueueView | undefined): void {
    if (looksSame(this.#shown, queue)) return;
    this.#shown = queue;
    const prompts = queue?.prompts ?? [];
    this.#send.hidden = queue?.held !== true;
    this.#waiting = prompts.flatMap(({ prompt, state }) => (state === "waiting" ? [prompt.messageId] : []));
    this.#clear.hidden = this.#waiting.length < 2;
    setText(this.#heading, queue?.held === true ? texts.held : texts.waiting);
    const currentIds = new Set(prompts.map(({ prompt }) => prompt.messageId));
    for (const [id, { element }] of this.#rows)
      if (!currentIds.has(id)) {
        element.remove();
        this.#rows.delete(id);
      }
    prompts.forEach((shown, i) => {
      const row = this.#row(shown);
      const present = this.#list.children[i];
      if (present !== row) this.#list.insertBefore(row, present ?? null);
    });
  }

  #row(shown: ShownPrompt): HTMLElement {
    const { messageId } = shown.prompt;
    const before = this.#rows.get(messageId);
    if (before?.shown.prompt === shown.prompt && before.shown.state === shown.state) return before.element;
    const element = this.#create(shown);
    before?.element.replaceWith(element);
    this.#rows.set(messageId, { shown, element });
    return element;
  }

  #create({ prompt, state }: ShownPrompt): HTMLElement {
    const text = create("span", {
      className: "symposium-queued-text",
      text: prompt.text,
      attributes: { title: prompt.text.slice(0, 1_000) },
    });
    const parts = prompt.text.trim() === "" ? [] : [text];
    const content = create(
      "div",
      { className: "symposium-queued-what", attributes: { id: freshId() } },
      ...parts,
      ...chips(prompt),
    );
    return create(
      "li",
      { className: "symposium-queued", attributes: { "data-state": state } },
      content,
      ...(state === "waiting"
        ? [
            create(
              "span",
              { className: "symposium-queued-acts" },
              this.#button(prompt, "edit", content.id),
              this.#button(prompt, "drop", content.id),
            ),
          ]
        : []),
    );
  }

  #button({ messageId }: QueuedPrompt, to: "edit" | "drop", contentId: string): HTMLElement {
    const button = create("button", {
      text: to === "edit" ? texts.edit : texts.withdraw,
      attributes: {
        type: "button",
        title: to === "edit" ? texts.editTooltip : texts.withdrawTooltip,
        "aria-describedby": contentId,
      },
    });
    button.addEventListener("click", () => this.listener.withdrawn(messageId, to));
    return button;
  }
}

function chips({ attachments = [] }: QueuedPrompt): readonly HTMLElement[] {
  return attachments.map(attachment => create("span", { className: "symposium-chip" }, ...chipContent(attachment)));
}
