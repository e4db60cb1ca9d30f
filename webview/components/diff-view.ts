/**
 * The changed lines of a file, with their numbers.
 *
 * Invariants:
 * - Text is set as text. For a decision of the user, hidden characters are visible and no line is omitted.
 * - A long diff is drawn in part until the user wants all of it.
 */
import * as l10n from "@vscode/l10n";
import type { ShownDiff } from "../view-model/cards/card";
import { numberedHunks, type DiffLine, type Hunk } from "../view-model/cards/diff-lines";
import { fileAddress } from "../view-model/cards/tool-content";
import { readableText, visibleText } from "../../src/protocol/text/visible-text";
import { texts } from "../view-model/text/chat-texts";
import { create } from "./dom";
import { fileLink } from "./line-parts";

/** Number of lines before the user wants all. */
const FIRST_LINES = 12;
/** Maximum number of lines in a card; *Open Diff* shows all. */
const MAX_LINES = 2_000;
const MARK = { same: " ", added: "+", removed: "−" } as const;

/** Colored lines of a file; `undefined`: in one color. */
export type Highlight = (lines: readonly string[], path: string) => readonly Node[] | undefined;

export class DiffView {
  readonly element = create("div", { className: "symposium-diff" });
  #shown: ShownDiff | undefined;

  constructor(
    private readonly openDiff: () => void,
    private readonly highlight: Highlight,
  ) {}

  show(shown: ShownDiff): void {
    const before = this.#shown;
    if (before?.diff === shown.diff && before.line === shown.line && before.extent === shown.extent) return;
    this.#shown = shown;
    this.#draw(shown, shown.extent === "whole" ? Infinity : FIRST_LINES);
  }

  #draw(shown: ShownDiff, maxLines: number): void {
    const hunks = numberedHunks(shown.diff, shown.line),
      total = hunks.reduce((sum, hunk) => sum + hunk.length, 0),
      limit = Math.min(maxLines, shown.extent === "whole" ? Infinity : MAX_LINES);
    let left = limit;
    const rows: HTMLElement[] = [];
    for (const [i, hunk] of hunks.entries()) {
      if (left <= 0) break;
      if (i > 0) rows.push(create("div", { className: "symposium-diff-gap", text: "⋯" }));
      rows.push(...this.#rows(hunk.slice(0, left), shown));
      left -= hunk.length;
    }
    this.element.replaceChildren(
      ...(shown.isNamed ? [] : [this.#head(shown)]),
      create(
        "div",
        {
          className: "symposium-diff-lines",
          attributes: { tabindex: "0", role: "region", "aria-label": l10n.t`Changes of ${visibleText(shown.name)}` },
        },
        ...rows,
      ),
      ...(total > limit
        ? [limit < MAX_LINES ? this.#showButton(shown, Math.min(total, MAX_LINES)) : rest(total - limit)]
        : []),
    );
  }

  #rows(hunk: Hunk, { diff, extent }: ShownDiff): readonly HTMLElement[] {
    const textOf = extent === "whole" ? visibleText : readableText,
      colored = new Map<DiffLine, Node>();
    // Each side of the change is code by itself.
    for (const side of ["removed", "added"] as const) {
      const lines = hunk.filter(({ kind }) => kind === "same" || kind === side),
        nodes = this.highlight(
          lines.map(({ text }) => textOf(text)),
          diff.path,
        );
      for (const [i, line] of lines.entries()) {
        const node = nodes?.[i];
        if (node) colored.set(line, node);
      }
    }
    return hunk.map(line => lineRow(line, colored.get(line) ?? document.createTextNode(textOf(line.text))));
  }

  #head({ name, diff }: ShownDiff): HTMLElement {
    const open = create("button", {
      className: "symposium-text-button",
      text: texts.openDiff,
      attributes: { type: "button", "aria-label": l10n.t`Open Diff: ${visibleText(name)}` },
    });
    open.addEventListener("click", this.openDiff);
    return create(
      "div",
      { className: "symposium-line" },
      create(
        "span",
        { className: "symposium-line-words symposium-line-file" },
        fileLink(visibleText(name), fileAddress({ path: diff.path })),
      ),
      open,
    );
  }

  #showButton(shown: ShownDiff, count: number): HTMLElement {
    const button = create("button", {
      className: "symposium-text-button",
      text: l10n.t`Show ${count} Lines`,
      attributes: { type: "button" },
    });
    button.addEventListener("click", () => {
      this.#draw(shown, count);
      this.element.querySelector<HTMLElement>(".symposium-diff-lines")?.focus();
    });
    return button;
  }
}

const rest = (count: number): HTMLElement =>
  create("p", { className: "symposium-note", text: l10n.t`${count} more lines are in the diff.` });

function lineRow({ kind, number }: DiffLine, text: Node): HTMLElement {
  const row = create(
    "div",
    { className: "symposium-diff-line" },
    ...(number === undefined
      ? []
      : [
          create("span", {
            className: "symposium-diff-number",
            text: String(number),
            attributes: { "aria-hidden": "true" },
          }),
        ]),
    create("span", { className: "symposium-diff-mark", text: MARK[kind] }),
    create("span", { className: "symposium-diff-text hljs" }, text),
  );
  row.dataset["kind"] = kind;
  return row;
}
