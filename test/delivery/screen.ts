/** The content of the tabs on the screen, which is checked for every frame. */
import { deepEqual } from "node:assert/strict";
import type { TestPage } from "./page";
import type { PromptLog } from "./prompt-log";

export class Screen {
  /** For each tab, the content of the last frame. */
  readonly #shown = new Map<string, readonly string[]>();
  /** For each tab, the longest content of earlier pages, which every later page shows again. */
  readonly #shownBefore = new Map<string, readonly string[]>();
  /** The page of the last frame. */
  #drawnPage: TestPage | undefined;

  constructor(private readonly promptLog: PromptLog) {}

  close(tabId: string): void {
    this.#shown.delete(tabId);
  }

  /** Draws a frame. Returns a problem if it has duplicates or a wrong order, or if visible content disappears. */
  draw(page: TestPage | undefined, tabId: string, marks: readonly string[]): string | undefined {
    if (this.#drawnPage !== page) this.#startPage(page);
    const before = this.#shown.get(tabId)?.filter(mark => !isPrompt(mark)) ?? [];
    const texts = marks.filter(mark => !isPrompt(mark));
    const problem =
      !isRising(texts) || !this.promptLog.isInOrder(tabId, marks.filter(isPrompt))
        ? "twice or out of order"
        : !isContinued(before, texts)
          ? "taken back, or put in between"
          : undefined;
    this.#shown.set(tabId, marks);
    return problem && `${problem} in ${tabId}: ${before.join(" ")} → ${marks.join(" ")}`;
  }

  /** Checks the prompts of the tab, and that it shows the content of earlier pages. Returns what it shows. */
  check(tabId: string): readonly string[] {
    const shown = this.#shown.get(tabId) ?? [];
    this.promptLog.check(tabId, shown.filter(isPrompt));
    const missing = (this.#shownBefore.get(tabId) ?? []).filter(mark => !isPrompt(mark) && !shown.includes(mark));
    deepEqual(missing, [], "what an earlier page has shown");
    return shown;
  }

  /** A new page is empty until its first snapshots. */
  #startPage(page: TestPage | undefined): void {
    this.#drawnPage = page;
    for (const [tabId, marks] of this.#shown)
      if (marks.length > (this.#shownBefore.get(tabId)?.length ?? 0)) this.#shownBefore.set(tabId, marks);
    this.#shown.clear();
  }
}

export const isPrompt = (mark: string) => mark.startsWith("p");
const isRising = (marks: readonly string[]) =>
  marks.every((mark, i) => i === 0 || Number(mark.slice(1)) > Number(marks[i - 1]?.slice(1)));

/** Whether each mark is still there, except at the start of the list, where a window adds and removes marks. */
function isContinued(before: readonly string[], after: readonly string[]): boolean {
  const removed = after[0] === undefined ? 0 : before.indexOf(after[0]),
    [remaining, shown] =
      removed === -1 ? [before, after.slice(after.indexOf(before[0] ?? ""))] : [before.slice(removed), after];
  return remaining.every((mark, i) => shown[i] === mark);
}
