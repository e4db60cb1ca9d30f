/**
 * Suggestions of files, symbols and other context for a mention that starts with `@`.
 *
 * Invariants:
 * - The search query is the text between the `@` and the caret.
 * - Results for an earlier query are shown only while they still match.
 * - A closed list opens again only when the text changes.
 */
import type { Mention } from "../../src/protocol/chat/attachments";
import { caretIn } from "./caret";
import { mentionAt, optionOf, filterMentions, type TypedMention } from "../view-model/tab/mentions";
import { OptionList } from "./suggestion-list";
import { texts } from "../view-model/text/chat-texts";

export interface MentionListener {
  /** Starts a search. `offer` receives the results, in one or more calls. */
  searched(query: string): void;
  /** The mention replaces this range of the prompt's text. */
  chosen(mention: Mention, from: number, to: number): void;
}

export class MentionList {
  readonly element: HTMLElement;
  readonly #list: OptionList;
  /** The mention at the caret; `undefined` while the list is closed. */
  #typed: TypedMention | undefined;
  #offered: { readonly query: string; readonly mentions: readonly Mention[] } = { query: "", mentions: [] };
  #closedAt: string | undefined;

  constructor(
    private readonly prompt: HTMLElement,
    private readonly listener: MentionListener,
  ) {
    this.#list = new OptionList(prompt, texts.mentions, {
      chosen: key => this.#chosen(key),
      closed: () => {
        this.#closedAt = prompt.textContent ?? "";
        this.typed();
      },
      acceptsEnter: () => true,
    });
    this.element = this.#list.element;
    prompt.addEventListener("blur", () => this.#close());
    // The caret can move without a change of the text.
    prompt.addEventListener("keyup", () => this.typed());
    prompt.addEventListener("click", () => this.typed());
  }

  /** Call after any possible change of the prompt's text. */
  typed(): void {
    const text = this.prompt.textContent ?? "";
    if (text !== this.#closedAt) this.#closedAt = undefined;
    const caret =
      document.activeElement === this.prompt && this.#closedAt === undefined ? caretIn(this.prompt) : undefined;
    const now = caret === undefined ? undefined : mentionAt(text, caret);
    if (now === undefined) return this.#close();
    const before = this.#typed;
    if (before?.from === now.from && before.query === now.query) return;
    this.#typed = now;
    if (before?.from !== now.from) this.#offered = { query: "", mentions: [] };
    this.#show("first");
    this.listener.searched(now.query);
  }

  offer(query: string, mentions: readonly Mention[]): void {
    if (this.#typed?.query !== query) return;
    // Further results for the same query keep the selection.
    const isSameQuery = this.#offered.query === query;
    this.#offered = { query, mentions };
    this.#show(isSameQuery ? "same" : "first");
  }

  #close(): void {
    this.#typed = undefined;
    this.#offered = { query: "", mentions: [] };
    this.#list.show([], "first");
  }

  #fitting(): readonly Mention[] {
    return this.#typed === undefined
      ? []
      : filterMentions(this.#offered.mentions, this.#offered.query, this.#typed.query);
  }

  #show(point: "first" | "same"): void {
    this.#list.show(this.#fitting().map(optionOf), point);
  }

  #chosen(key: string): void {
    const mention = this.#fitting().find(each => optionOf(each).key === key);
    const typed = this.#typed;
    if (mention === undefined || typed === undefined) return;
    this.#close();
    this.listener.chosen(mention, typed.from, typed.from + 1 + typed.query.length);
  }
}
