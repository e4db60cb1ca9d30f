/**
 * Symposium's additions to one tab's prompt: chips, command list, mention list and its button, Enter key
 * handling, and pasted images.
 *
 * Invariant: a prompt with text is sent by a click on the chat widget's button, so that the widget clears the input and
 * records the prompt. The button ignores a prompt without text, which is therefore submitted directly.
 */
import type { Mention } from "../../src/protocol/chat/attachments";
import type { TabId } from "../../src/protocol/page/host-to-page";
import type { UserActionHandlers } from "../view-model/tab/user-action-handlers";
import { caretIn, write } from "./caret";
import { Chips } from "./chips";
import { CommandList } from "./command-list";
import { create } from "./dom";
import { icon } from "./icons";
import { pastesImages } from "../state/attachable-data";
import { MentionList } from "./mention-list";
import { meaningOfKey } from "./prompt-keys";
import type { TabView } from "../view-model/tab/tab-view";
import { texts } from "../view-model/text/chat-texts";

/** The chat widget's elements of one prompt. */
export interface PromptElements {
  /** The editable element. */
  readonly input: HTMLElement;
  /** `box` has the prompt's border; `area` contains `box`. */
  readonly box: Element | null;
  readonly area: Element | null;
  readonly sendButton: HTMLElement | null;
}

export class Composer {
  /** Opens the list of mentions, like a typed `@`. */
  readonly mentionButton = create(
    "button",
    {
      className: "symposium-more symposium-mention",
      attributes: { type: "button", "aria-label": texts.addContext, title: texts.addContextTooltip },
    },
    icon("mention"),
  );
  readonly #chips: Chips;
  readonly #commands: CommandList;
  readonly #mentions: MentionList;
  #hasAttachments = false;
  #requireModifier = false;

  /** `fill` sets the text of the prompt. */
  constructor(
    private readonly elements: PromptElements,
    private readonly tabId: TabId,
    private readonly acts: UserActionHandlers,
    fill: (text: string) => void,
  ) {
    const { input: prompt, box, area, sendButton } = elements;
    this.#chips = new Chips({
      removed: attachment => acts.detached(tabId, attachment),
      opened: attachment => acts.attachmentOpened(tabId, attachment),
      focusPrompt: () => prompt.focus(),
    });
    this.#commands = new CommandList(prompt, fill);
    this.#mentions = new MentionList(prompt, {
      searched: query => acts.searched(tabId, query),
      chosen: (mention, from, to) => this.#mentioned(mention, from, to),
    });
    this.mentionButton.addEventListener("click", () => this.#startMention());
    area?.prepend(
      create("div", { className: "symposium-completion" }, ...this.#commands.elements, this.#mentions.element),
    );
    prompt.parentElement?.before(this.#chips.element);
    // Registered after the lists, so that the lists handle keys first.
    prompt.parentElement?.addEventListener("keydown", event => this.#keyPressed(event), { capture: true });
    prompt.parentElement?.addEventListener("paste", event => this.#pasted(event), { capture: true });
    box?.addEventListener(
      "click",
      ({ target }) => {
        if (target instanceof Node && sendButton?.contains(target) && this.#isBlank()) this.acts.submitted(tabId, "");
      },
      { capture: true },
    );
  }

  /** Call after any possible change of the prompt's text. */
  typed(): void {
    this.#commands.typed();
    this.#mentions.typed();
    this.#showSendable();
  }

  #showSendable(): void {
    this.elements.box?.classList.toggle("symposium-sendable", this.#hasAttachments || !this.#isBlank());
  }

  show({ attachments, commands, requireModifier }: TabView): void {
    this.#chips.show(attachments);
    this.#hasAttachments = attachments.length > 0;
    this.#showSendable();
    this.#commands.set(commands);
    this.#requireModifier = requireModifier;
  }

  offer(query: string, mentions: readonly Mention[]): void {
    this.#mentions.offer(query, mentions);
  }

  #isBlank(): boolean {
    return (this.elements.input.textContent ?? "").trim() === "";
  }

  /** Inserts an `@` at the caret, or at the end of a prompt without the focus. */
  #startMention(): void {
    const { input } = this.elements,
      text = input.textContent ?? "",
      at = caretIn(input) ?? text.length;
    write(input, at, at, at === 0 || /\s/.test(text.charAt(at - 1)) ? "@" : " @");
  }

  #mentioned({ name, adds }: Mention, from: number, to: number): void {
    write(this.elements.input, from, to, `@${name} `);
    if (adds.kind === "attachment") this.acts.attached(this.tabId, [adds.attachment]);
    else this.acts.requestContext(this.tabId, adds.source);
  }

  #keyPressed(event: KeyboardEvent): void {
    if (event.target !== this.elements.input) return;
    const meaning = meaningOfKey(event, this.#requireModifier);
    if (meaning === undefined) return;
    // The browser inserts the line break, so the widget must not handle the key.
    event.stopImmediatePropagation();
    if (meaning === "line") return;
    event.preventDefault();
    if (this.#isBlank()) this.acts.submitted(this.tabId, "");
    else this.elements.sendButton?.click();
  }

  #pasted(event: ClipboardEvent): void {
    const { clipboardData } = event;
    const files = [...(clipboardData?.files ?? [])];
    if (!pastesImages(clipboardData?.getData("text/plain") ?? "", files)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.acts.imagesGiven(
      this.tabId,
      files.filter(({ type }) => type.startsWith("image/")),
    );
  }
}
