/**
 * One tab's prompt, as far as it is ours and not mynah's: the chips above its text, the lists of commands and of
 * mentions, what Enter means, and what is pasted.
 *
 * Invariant: with words in it a prompt is sent by mynah's own button, so that mynah empties it and knows what was sent;
 * without words mynah would do nothing.
 */
import type { Mention } from "../../src/protocol/attachments";
import type { TabId } from "../../src/protocol/webview";
import type { Acts } from "../view-model/user-actions";
import { write } from "./caret";
import { Chips } from "./chips";
import { CommandList } from "./command-list";
import { make } from "./dom";
import { pastesImages } from "../state/dropped";
import { MentionList } from "./mention-list";
import { meaningOfKey } from "./prompt-keys";
import type { TabView } from "../view-model/tab-view";

export class Composer {
  readonly #chips: Chips;
  readonly #commands: CommandList;
  readonly #mentions: MentionList;
  readonly #box: Element | null;
  #requireModifier = false;

  /** `prompt` is mynah's input; `fill` puts a text into it. */
  constructor(
    private readonly prompt: HTMLElement,
    private readonly tabId: TabId,
    private readonly acts: Acts,
    fill: (text: string) => void,
  ) {
    this.#box = prompt.closest(".mynah-chat-prompt");
    this.#chips = new Chips(
      attachment => acts.detached(tabId, attachment),
      () => prompt.focus(),
    );
    this.#commands = new CommandList(prompt, fill);
    this.#mentions = new MentionList(prompt, {
      searched: query => acts.searched(tabId, query),
      chosen: (mention, from, to) => this.#mentioned(mention, from, to),
    });
    prompt
      .closest(".mynah-chat-prompt-wrapper")
      ?.prepend(make("div", { className: "symposium-completion" }, ...this.#commands.elements, this.#mentions.element));
    prompt.parentElement?.before(this.#chips.element);
    // After the lists, which come first to the keys, and before mynah.
    prompt.parentElement?.addEventListener("keydown", event => this.#pressed(event), { capture: true });
    prompt.parentElement?.addEventListener("paste", event => this.#pasted(event), { capture: true });
    this.#box?.addEventListener(
      "click",
      ({ target }) => {
        if (target instanceof Element && target.closest(".mynah-chat-prompt-button") && this.#isBlank())
          this.acts.submitted(tabId, "");
      },
      { capture: true },
    );
  }

  /** The text of the prompt may have changed. */
  typed(): void {
    this.#commands.typed();
    this.#mentions.typed();
  }

  show({ attachments, commands, requireModifier }: TabView): void {
    this.#chips.show(attachments);
    this.#box?.classList.toggle("symposium-sendable", attachments.length > 0);
    this.#commands.set(commands);
    this.#requireModifier = requireModifier;
  }

  offer(query: string, mentions: readonly Mention[]): void {
    this.#mentions.offer(query, mentions);
  }

  #isBlank(): boolean {
    return (this.prompt.textContent ?? "").trim() === "";
  }

  #mentioned({ name, adds }: Mention, from: number, to: number): void {
    write(this.prompt, from, to, `@${name} `);
    if (adds.kind === "attachment") this.acts.attached(this.tabId, [adds.attachment]);
    else this.acts.wanted(this.tabId, adds.want);
  }

  #pressed(event: KeyboardEvent): void {
    if (event.target !== this.prompt) return;
    const meaning = meaningOfKey(event, this.#requireModifier);
    if (meaning === undefined) return;
    // mynah must not take it for its own; that a line begins is the browser's doing.
    event.stopImmediatePropagation();
    if (meaning === "line") return;
    event.preventDefault();
    if (this.#isBlank()) this.acts.submitted(this.tabId, "");
    else this.#box?.querySelector<HTMLElement>(".mynah-chat-prompt-button")?.click();
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
