/** The user of the page. A `tab` is an index, which may be larger than the number of tabs. */
import type { Tab } from "../../webview/state/page-model";
import { marksIn } from "./clock-and-marks";
import type { PromptLog } from "./prompt-log";
import type { Screen } from "./screen";
import type { TestWebview } from "./webview";

export interface UserDeps {
  readonly webview: TestWebview;
  readonly promptLog: PromptLog;
  readonly screen: Screen;
  /** Text of a prompt that identifies it. */
  newMark(): string;
}

export class TestUser {
  constructor(private readonly deps: UserDeps) {}

  prompt(tab: number): void {
    const { page } = this.deps.webview,
      chosen = this.#tab(tab);
    if (!page || !chosen) return;
    const mark = this.deps.newMark();
    this.deps.promptLog.prompt(chosen.tabId, [...marksIn(chosen.drafts.text), mark]);
    const text = [chosen.drafts.text, mark].filter(part => part !== "").join(" ");
    page.happen({ kind: "submitted", tabId: chosen.tabId, messageId: `message ${mark}`, text });
    const after = page.state.tabs.get(chosen.tabId);
    if (page.state.sidecar.state === "failed" && after?.remark) this.deps.promptLog.returnable(marksIn(text));
  }

  /** The user cancels the turn. Queued prompts then wait for the user. */
  stop(tab: number): void {
    const chosen = this.#tab(tab);
    if (!chosen) return;
    this.deps.promptLog.stop(chosen.tabId);
    this.deps.promptLog.returnable(chosen.drafts.onTheWay.flatMap(({ text }) => marksIn(text)));
    this.deps.webview.page?.happen({ kind: "stopped", tabId: chosen.tabId });
  }

  sendQueued(tab: number): void {
    const chosen = this.#tab(tab);
    if (chosen) this.deps.webview.page?.happen({ kind: "acted", tabId: chosen.tabId, action: { kind: "sendQueued" } });
  }

  /** The user removes all prompts that the queue shows. */
  clearQueue(tab: number): void {
    const chosen = this.#tab(tab),
      prompts = chosen?.conversation.queue?.prompts ?? [];
    if (!chosen || prompts.length === 0) return;
    for (const { text } of prompts) this.deps.promptLog.drop(marksIn(text));
    const action = { kind: "clearQueue", messageIds: prompts.map(({ messageId }) => messageId) } as const;
    this.deps.webview.page?.happen({ kind: "acted", tabId: chosen.tabId, action });
  }

  /** The user removes one of the queued prompts. */
  withdraw(tab: number, which: number, to: "edit" | "drop"): void {
    const chosen = this.#tab(tab),
      prompts = chosen?.conversation.queue?.prompts ?? [];
    const prompt = prompts[which % prompts.length];
    if (!chosen || !prompt) return;
    if (to === "drop") this.deps.promptLog.drop(marksIn(prompt.text));
    else this.deps.promptLog.returnable(marksIn(prompt.text));
    this.deps.webview.page?.happen({ kind: "withdrawn", tabId: chosen.tabId, messageId: prompt.messageId, to });
  }

  #tab(tab: number): Tab | undefined {
    const all = [...(this.deps.webview.page?.state.tabs.values() ?? [])];
    return all[tab % all.length];
  }

  openTab(): void {
    if ((this.deps.webview.page?.state.tabs.size ?? 0) < 3) this.deps.webview.page?.open();
  }

  closeTab(tab: number): void {
    const tabs = [...(this.deps.webview.page?.state.tabs.keys() ?? [])];
    const tabId = tabs[tab % tabs.length];
    if (tabId === undefined || tabs.length < 2) return;
    this.deps.webview.page?.happen({ kind: "closed", tabId });
    this.deps.screen.close(tabId);
    this.deps.promptLog.close(tabId);
  }
}
