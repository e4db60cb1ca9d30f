/**
 * Heads of the code blocks in the cards of one tab.
 *
 * Invariants:
 * - A growing card is not visited, except for its completed blocks of code.
 * - A card is visited after each of its changes, also after those that mynah-ui delays.
 */
import type { CodeFiles } from "../../src/protocol/page/host-to-page";
import { codeHead } from "../components/code-head";
import type { Card } from "../view-model/cards/card";
import { filesOfCode } from "../view-model/text/file-names";
import { selectors } from "./selectors";

export interface CodeHandlers {
  insert(code: string): void;
  apply(code: string, files: CodeFiles): void;
}

const HEAD = ":scope > .symposium-code-head";
const WRAPPED = "wrap-code-block";
/** Kinds of cards with text of the agent about the workspace. */
const ANSWERS: ReadonlySet<Card["kind"]> = new Set(["answer", "message", "subagent"]);
/** Kinds without buttons: a question is decided first, and a prompt is the user's. */
const BARE: ReadonlySet<Card["kind"]> = new Set(["permission", "elicitation", "prompt"]);

export class CardCode {
  #cards: ReadonlyMap<string, Card> = new Map();

  constructor(
    private readonly root: Element,
    private readonly handlers: CodeHandlers,
  ) {
    new MutationObserver(records => this.#changed(records)).observe(root, { childList: true, subtree: true });
  }

  mount(cards: readonly Card[]): void {
    const ended = cards.filter(card => !card.growing && this.#cards.get(card.key)?.growing === true);
    this.#cards = new Map(cards.map(card => [card.key, card]));
    for (const { key } of ended) {
      const element = this.root.querySelector(`${selectors.outerCard}[messageid="${CSS.escape(key)}"]`);
      if (element) this.#visit([element]);
    }
  }

  #changed(records: readonly MutationRecord[]): void {
    const cards = new Set<Element>();
    for (const { target, addedNodes } of records) {
      if (addedNodes.length === 0 || !(target instanceof Element)) continue;
      const card = target.closest(selectors.outerCard);
      if (card) cards.add(card);
      else
        for (const added of addedNodes)
          if (added instanceof Element)
            for (const inner of added.matches(selectors.outerCard)
              ? [added]
              : added.querySelectorAll(selectors.outerCard))
              cards.add(inner);
    }
    if (cards.size > 0) this.#visit([...cards]);
  }

  #visit(elements: readonly Element[]): void {
    for (const element of elements) {
      const card = this.#cards.get(element.getAttribute("messageid") ?? "");
      if (card === undefined || BARE.has(card.kind)) continue;
      for (const block of element.querySelectorAll<HTMLElement>(selectors.codeBlock))
        if (!(card.growing && isLast(block)) && !block.querySelector(HEAD)) this.#addHead(block, card);
    }
  }

  #addHead(block: HTMLElement, { kind }: Card): void {
    const text = (): string => block.querySelector("pre > code")?.textContent ?? "",
      files = (): CodeFiles =>
        filesOfCode({ info: infoOf(block), code: text(), before: block.previousElementSibling?.textContent ?? "" });
    block.prepend(
      codeHead(languageOf(block), block.classList.contains(WRAPPED), {
        code: text,
        wrap: isWrapped => block.classList.toggle(WRAPPED, isWrapped),
        ...(ANSWERS.has(kind)
          ? { insert: code => this.handlers.insert(code), apply: code => this.handlers.apply(code, files()) }
          : {}),
      }),
    );
  }
}

/** Whether the block is at the end of its card, which may still grow. */
const isLast = (block: Element): boolean => {
  for (let each: Element | null = block; each && !each.matches(selectors.cardBody); each = each.parentElement)
    if (each.nextElementSibling) return false;
  return true;
};

const infoOf = (block: Element): string => block.querySelector("pre > code")?.getAttribute("data-info") ?? "";

/** The first word of the info string, without the name of a file. */
function languageOf(block: Element): string {
  const word = /^[\w+#.-]+/.exec(infoOf(block))?.[0] ?? "";
  return word === "text" || /[./]/.test(word) ? "" : word;
}
