/**
 * Adds to the cards of one tab: heads of code blocks, and inline code that opens a file or a symbol.
 *
 * Invariants:
 * - A growing card is not visited, except for its completed blocks of code.
 * - A card is visited after each of its changes, also after those that mynah-ui delays.
 * - Inline code becomes a link only after the host has found the file.
 */
import * as l10n from "@vscode/l10n";
import type { CodeFiles, FoundFile } from "../../src/protocol/page/host-to-page";
import { codeHead } from "../components/code-head";
import { create } from "../components/dom";
import type { Card } from "../view-model/cards/card";
import { fileMention, filesOfCode } from "../view-model/text/file-names";
import { symbolMention } from "../view-model/text/symbol-names";
import { selectors } from "./selectors";

export interface CodeHandlers {
  insert(code: string): void;
  apply(code: string, files: CodeFiles): void;
  filesNamed(names: readonly string[]): void;
  openSymbol(name: string): void;
}

type Files = ReadonlyMap<string, FoundFile>;

const HEAD = ":scope > .symposium-code-head";
const WRAPPED = "wrap-code-block";
/** Kinds of cards with text of the agent about the workspace. */
const ANSWERS: ReadonlySet<Card["kind"]> = new Set(["answer", "message", "subagent"]);
/** Kinds without buttons: a question is decided first, and a prompt is the user's. */
const BARE: ReadonlySet<Card["kind"]> = new Set(["permission", "elicitation", "prompt"]);

export class CardCode {
  #cards: ReadonlyMap<string, Card> = new Map();
  #files: Files = new Map();
  /** Code that scrolls has a tab stop. */
  readonly #sizes = new ResizeObserver(changes => {
    for (const { target } of changes) {
      const isFocusable = target.scrollWidth > target.clientWidth;
      // Growing code reports each of its sizes.
      if (isFocusable === target.hasAttribute("tabindex")) continue;
      if (isFocusable) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });

  constructor(
    private readonly root: Element,
    private readonly handlers: CodeHandlers,
  ) {
    new MutationObserver(records => this.#changed(records)).observe(root, { childList: true, subtree: true });
    root.addEventListener("click", event => {
      if (document.getSelection()?.isCollapsed !== false) this.#openSymbol(event);
    });
    root.addEventListener("keydown", event => {
      if (event instanceof KeyboardEvent && (event.key === "Enter" || event.key === " ")) this.#openSymbol(event);
    });
  }

  mount(cards: readonly Card[], files: Files): void {
    const ended = cards.filter(card => !card.growing && this.#cards.get(card.key)?.growing === true);
    this.#cards = new Map(cards.map(card => [card.key, card]));
    for (const { key } of ended) {
      const element = this.root.querySelector(`${selectors.outerCard}[messageid="${CSS.escape(key)}"]`);
      if (element) this.#visit([element]);
    }
    if (files === this.#files) return;
    this.#files = files;
    for (const code of this.root.querySelectorAll<HTMLElement>("code[data-file]")) this.#link(code);
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
    const names: string[] = [];
    for (const element of elements) {
      const card = this.#cards.get(element.getAttribute("messageid") ?? "");
      if (card === undefined) continue;
      for (const block of element.querySelectorAll<HTMLElement>(selectors.codeBlock)) {
        const code = block.querySelector("pre");
        if (code) this.#sizes.observe(code);
        if (!BARE.has(card.kind) && !(card.growing && isLast(block)) && !block.querySelector(HEAD))
          this.#addHead(block, card);
      }
      if (ANSWERS.has(card.kind) && !card.growing) names.push(...this.#visitInline(element));
    }
    if (names.length > 0) this.handlers.filesNamed(names);
  }

  /** Returns names of possible files. */
  #visitInline(element: Element): readonly string[] {
    const names: string[] = [],
      symbols = new Set<string>();
    for (const code of element.querySelectorAll<HTMLElement>(selectors.newInlineCode)) {
      if (code.closest("a")) continue;
      code.dataset["visited"] = "";
      const text = code.textContent ?? "",
        file = fileMention(text),
        symbol = symbolMention(text);
      if (file !== undefined) {
        code.dataset["file"] = file;
        if (!this.#link(code)) names.push(file);
      }
      if (symbol === undefined || code.querySelector("a")) continue;
      markSymbol(code, symbol, symbols.has(symbol));
      symbols.add(symbol);
    }
    return names;
  }

  /** Whether the file is known. */
  #link(code: HTMLElement): boolean {
    const found = this.#files.get(code.dataset["file"] ?? "");
    if (found === undefined) return false;
    delete code.dataset["file"];
    unmarkSymbol(code);
    // For styles: a `:has()` would be evaluated for each inline code.
    code.closest(selectors.inlineCode)?.classList.add("symposium-file-name");
    code.replaceChildren(
      create("a", {
        className: "symposium-file",
        text: code.textContent ?? "",
        attributes: { href: found.href, title: l10n.t`Open ${found.place}` },
      }),
    );
    return true;
  }

  #openSymbol(event: Event): void {
    const symbol = event.target instanceof Element ? event.target.closest<HTMLElement>(".symposium-symbol") : null;
    if (symbol === null || !this.root.contains(symbol)) return;
    event.preventDefault();
    this.handlers.openSymbol(symbol.dataset["symbol"] ?? "");
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

/** `isRepeated`: an earlier mention in the card has the tab stop. */
function markSymbol(code: HTMLElement, name: string, isRepeated: boolean): void {
  code.classList.add("symposium-symbol");
  code.dataset["symbol"] = name;
  code.tabIndex = isRepeated ? -1 : 0;
  code.setAttribute("role", "button");
  code.title = l10n.t`Go to Symbol ${name}`;
}

function unmarkSymbol(code: HTMLElement): void {
  code.classList.remove("symposium-symbol");
  for (const name of ["data-symbol", "tabindex", "role", "title"]) code.removeAttribute(name);
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
