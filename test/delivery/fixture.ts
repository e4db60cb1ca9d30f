/**
 * Connects the production code of page, host and sidecar. VS Code, the two pipes, the agent and the time advance only
 * under the test's control. All messages are recorded and compared with the screen.
 */
import { deepEqual, equal, fail, ok } from "node:assert/strict";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { windowed } from "../../src/protocol/chat/conversation-window";
import { MemoryJournal } from "../../sidecar/testing/sessions/memory-journal";
import { turnOf, type Tab } from "../../webview/state/page-model";
import type { Voice } from "./agent";
import { TestHost } from "./host";
import { PromptLog } from "./prompt-log";
import { drained, marksIn, newClock } from "./clock-and-marks";
import { TestSidecar } from "./sidecar";
import type { TestPage } from "./page";
import { TestWebview } from "./webview";

/** Each direction of each connection. */
export type Way = "toPage" | "toHost" | "toSidecar" | "fromSidecar";
export const WAYS: readonly Way[] = ["toHost", "toSidecar", "fromSidecar", "toPage"];

/** Time limit until all programs are idle. */
const TIMEOUT_MS = 60_000;

const isCounted = ({ message }: { readonly message: HostToPage }) =>
  message.type === "event" || message.type === "snapshot";
const isRepeatable = (message: PageToHost) => message.type === "webviewReady" || message.type === "prompt";

export class Fixture {
  readonly clock = newClock();
  readonly webview: TestWebview;
  host: TestHost;
  sidecar: TestSidecar | undefined;
  readonly problems: string[] = [];
  /** For each tab, the content of the last frame. */
  readonly screen = new Map<string, readonly string[]>();
  /** For each tab, the longest content of earlier pages, which every later page shows again. */
  readonly #shownBefore = new Map<string, readonly string[]>();
  /** The page of the last frame. */
  #drawnPage: TestPage | undefined;
  /** The sidecars' journal. */
  readonly #journal = new MemoryJournal();
  /** All agent sessions so far, with the sidecar that received their output. */
  readonly #agentSessions: { readonly voice: Voice; readonly sidecar: TestSidecar | undefined }[] = [];
  readonly #promptLog = new PromptLog();
  #tools = new Map<Voice, { readonly id: string; readonly title: string; version: number }[]>();
  #marks = 0;
  /** Number of prompts that reached an agent. */
  #turns = 0;
  #tabs = 0;
  /** Whether the extension host was killed and VS Code has not started another host yet. */
  #isHostDead = false;

  constructor(private readonly congestedAt: number) {
    this.host = this.#newHost();
    const hidden = (): void => {
      if (!this.#isHostDead) this.host.page.hidden();
    };
    this.webview = new TestWebview(
      { received: message => this.#received(message), hidden },
      {
        clock: this.clock,
        tabId: () => `tab ${++this.#tabs}`,
        drawn: (tabId, marks) => this.#drawn(tabId, marks),
        problem: what => this.problems.push(what),
      },
    );
  }

  #received(message: PageToHost): void {
    if (!this.#isHostDead) this.host.page.receive(message);
  }

  // --- the agent

  report(tab: number, count: number): void {
    const voice = this.#voice(tab);
    for (let i = 0; voice && i < count; i++) voice.report(`${this.#mark("w", voice)} `);
  }

  /** Starts a tool call, or updates or ends a running call. */
  tool(tab: number, what: "begin" | "change" | "end"): void {
    const voice = this.#voice(tab);
    if (!voice) return;
    const running = this.#tools.get(voice) ?? [];
    this.#tools.set(voice, running);
    const [first] = running;
    if (what === "begin" || !first) {
      const title = this.#mark("k", voice);
      running.push({ id: title, title, version: 0 });
      return voice.tool({
        sessionUpdate: "tool_call",
        toolCallId: title,
        title,
        status: "pending",
        rawInput: { of: title },
      });
    }
    if (what === "end") running.shift();
    voice.tool({
      sessionUpdate: "tool_call_update",
      toolCallId: first.id,
      status: what === "end" ? "completed" : "in_progress",
      content: [{ type: "content", content: { type: "text", text: `version ${++first.version}` } }],
    });
  }

  endTurn(tab: number): void {
    this.#voice(tab)?.endTurn();
  }

  // --- the user

  prompt(tab: number): void {
    const { page } = this.webview,
      chosen = this.#tab(tab);
    if (!page || !chosen) return;
    const mark = `p${++this.#marks}`;
    this.#promptLog.prompt(chosen.tabId, [...marksIn(chosen.drafts.text), mark]);
    const text = [chosen.drafts.text, mark].filter(part => part !== "").join(" ");
    page.happen({ kind: "submitted", tabId: chosen.tabId, messageId: `message ${mark}`, text });
    const after = page.state.tabs.get(chosen.tabId);
    if (page.state.sidecar.state === "failed" && after?.remark) this.#promptLog.returnable(marksIn(text));
  }

  /** The user cancels the turn. Queued prompts then wait for the user. */
  stop(tab: number): void {
    const chosen = this.#tab(tab);
    if (!chosen) return;
    this.#promptLog.stop(chosen.tabId);
    this.#promptLog.returnable(chosen.drafts.onTheWay.flatMap(({ text }) => marksIn(text)));
    this.webview.page?.happen({ kind: "stopped", tabId: chosen.tabId });
  }

  sendQueued(tab: number): void {
    const chosen = this.#tab(tab);
    if (chosen) this.webview.page?.happen({ kind: "acted", tabId: chosen.tabId, action: { kind: "sendQueued" } });
  }

  /** The user removes all prompts that the queue shows. */
  clearQueue(tab: number): void {
    const chosen = this.#tab(tab),
      prompts = chosen?.conversation.queue?.prompts ?? [];
    if (!chosen || prompts.length === 0) return;
    for (const { text } of prompts) this.#promptLog.drop(marksIn(text));
    const action = { kind: "clearQueue", messageIds: prompts.map(({ messageId }) => messageId) } as const;
    this.webview.page?.happen({ kind: "acted", tabId: chosen.tabId, action });
  }

  /** The user removes one of the queued prompts. */
  withdraw(tab: number, which: number, to: "edit" | "drop"): void {
    const chosen = this.#tab(tab),
      prompts = chosen?.conversation.queue?.prompts ?? [];
    const prompt = prompts[which % prompts.length];
    if (!chosen || !prompt) return;
    if (to === "drop") this.#promptLog.drop(marksIn(prompt.text));
    else this.#promptLog.returnable(marksIn(prompt.text));
    this.webview.page?.happen({ kind: "withdrawn", tabId: chosen.tabId, messageId: prompt.messageId, to });
  }

  #tab(tab: number): Tab | undefined {
    const all = [...(this.webview.page?.state.tabs.values() ?? [])];
    return all[tab % all.length];
  }

  openTab(): void {
    if ((this.webview.page?.state.tabs.size ?? 0) < 3) this.webview.page?.open();
  }

  closeTab(tab: number): void {
    const tabs = [...(this.webview.page?.state.tabs.keys() ?? [])];
    const tabId = tabs[tab % tabs.length];
    if (tabId === undefined || tabs.length < 2) return;
    this.webview.page?.happen({ kind: "closed", tabId });
    this.screen.delete(tabId);
    this.#promptLog.close(tabId);
  }

  restart(): void {
    this.#promptLog.stopAll();
    this.host.chat.restartSidecar();
  }

  // --- failures

  async deliver(way: Way, max: number): Promise<void> {
    for (let i = 0; i < max; i++) {
      const line = this.#line(way);
      if (!line || line.length === 0) return;
      line.deliver();
      await drained();
    }
  }

  async flow(rounds: number): Promise<void> {
    for (let i = 0; i < rounds && WAYS.some(way => this.#line(way)?.length); i++)
      for (const way of WAYS) await this.deliver(way, 1);
  }

  drop(from: number, max: number): void {
    for (const { settle } of this.webview.toPage.lose(from, max, isCounted)) settle(true);
  }

  repeat(way: "toPage" | "toHost", from: number, max: number): void {
    if (way === "toPage") this.webview.toPage.echo(from, max, isCounted);
    else this.webview.toHost.stutter(from, max, isRepeatable);
  }

  /** Queued prompts then wait for the user, in every tab. */
  kill(arrives: number): Promise<void> {
    this.#promptLog.stopAll();
    return this.sidecar?.kill(arrives) ?? Promise.resolve();
  }

  /** Queued prompts then wait for the user, in every tab. */
  async agentDies(): Promise<void> {
    this.#promptLog.stopAll();
    await this.sidecar?.agentDies();
    await drained();
  }

  /** The command “Developer: Reload Window”: another extension host, and a page that restores its state. */
  async reloadWindow(): Promise<void> {
    await this.webview.hide(0, 0);
    await this.#replaceHost();
    this.webview.show();
  }

  /** F5 in the browser: another window, extension host and sidecar, with the data stored by VS Code and the browser. */
  async reloadPage(): Promise<void> {
    this.webview.reloadWindow();
    await this.#replaceHost();
  }

  /** Kills the extension host. Its page stays on the screen, and its messages are lost. */
  async hostDies(): Promise<void> {
    if (this.#isHostDead) return;
    this.#isHostDead = true;
    this.webview.toHost.cut(0);
    for (const { settle } of this.webview.toPage.cut(0)) settle(false);
    await this.kill(0);
  }

  /** VS Code has started another extension host. */
  async hostReturns(): Promise<void> {
    if (!this.#isHostDead) return;
    this.webview.rebuild();
    await this.#replaceHost();
  }

  async #replaceHost(): Promise<void> {
    await this.kill(0);
    await this.host.supervisor.dispose();
    this.sidecar = undefined;
    this.#isHostDead = false;
    this.host = this.#newHost();
  }

  async tick(ms: number): Promise<void> {
    const { asked } = this.webview;
    for (let remaining = ms; remaining > 0; remaining -= 250) {
      this.clock.advance(Math.min(remaining, 250));
      await drained();
    }
    if (this.webview.asked - asked > 2 + ms / 1_000)
      this.problems.push(`the page asked ${this.webview.asked - asked} times in ${ms} ms`);
  }

  // --- the end

  /**
   * Ends all losses, and checks that all messages are shown. Afterwards, only the user may trigger messages. Returns
   * the milliseconds until all programs were idle.
   */
  async finish(): Promise<number> {
    const { toPage, toHost } = this.webview;
    const before = { sent: toPage.sent + toHost.sent, asked: this.webview.asked, turns: this.#turns };
    const inFlight = WAYS.reduce((sum, way) => sum + (this.#line(way)?.length ?? 0), toPage.length);
    await this.hostReturns();
    this.webview.show();
    this.webview.load(0);
    const took = await this.#untilIdle();
    const idleTabs = this.webview.page?.state.tabs.values() ?? [];
    for (const { tabId, drafts } of idleTabs) this.#promptLog.checkDraft(tabId, marksIn(drafts.text));
    const tabs = this.webview.page?.state.tabs.size ?? 0;
    for (let tab = 0; tab < tabs; tab++) this.prompt(tab);
    await this.#untilIdle();
    const sent = toPage.sent + toHost.sent - before.sent,
      asked = this.webview.asked - before.asked,
      turns = this.#turns - before.turns;
    await this.#showEarlier();
    await this.#check();
    // Queued prompts are now sent one by one.
    ok(
      asked <= 6 + 6 * tabs && sent <= 30 + 20 * tabs + 10 * turns + 2 * inFlight,
      `${sent} messages, ${asked} askings until all was quiet, for ${tabs} tabs, ${turns} turns and ${inFlight} messages under way`,
    );
    return took;
  }

  /** The user scrolls up to the start of each conversation. */
  async #showEarlier(): Promise<void> {
    const shortened = () =>
      [...(this.webview.page?.state.tabs.values() ?? [])].filter(tab => tab.conversation.omitted !== undefined);
    for (let [tab] = shortened(); tab !== undefined; [tab] = shortened()) {
      const { tabId, conversation } = tab;
      this.webview.page?.happen({ kind: "acted", tabId, action: { kind: "showEarlier" } });
      await this.#untilIdle();
      const { omitted } = this.webview.page?.state.tabs.get(tabId)?.conversation ?? {};
      ok((omitted?.count ?? 0) < (conversation.omitted?.count ?? 0), "no earlier entries arrived");
    }
  }

  async #untilIdle(): Promise<number> {
    for (let waited = 0; ; waited += 100) {
      await this.flow(1_000);
      equal(this.problems.join("\n"), "");
      const { page } = this.webview;
      if (this.host.supervisor.phase.kind === "failed") this.restart();
      for (const { voice } of this.#agentSessions) if (voice.endTurn()) await drained();
      for (const tab of page?.state.tabs.values() ?? [])
        if (tab.conversation.queue?.held && turnOf(tab) === "idle")
          page?.happen({ kind: "acted", tabId: tab.tabId, action: { kind: "sendQueued" } });
      if (this.#isIdle()) return waited;
      if (waited > TIMEOUT_MS) fail(`it does not come to rest: ${this.#describe()}`);
      await this.tick(100);
    }
  }

  #isIdle(): boolean {
    const page = this.webview.page;
    return (
      page !== undefined &&
      page.isDrawn &&
      WAYS.every(way => this.#line(way)?.length === 0) &&
      this.host.supervisor.phase.kind === "running" &&
      page.state.sidecar.state === "running" &&
      [...page.state.tabs.values()].every(
        tab =>
          tab.phase === "live" &&
          tab.asking.kind !== "missing" &&
          turnOf(tab) === "idle" &&
          tab.drafts.takenBack.length === 0 &&
          (tab.conversation.queue?.prompts.length ?? 0) === 0,
      )
    );
  }

  async #check(): Promise<void> {
    const { page } = this.webview,
      { sidecar } = this;
    ok(page && sidecar);
    const conversations = await sidecar.conversations();
    for (const [tabId, tab] of page.state.tabs) {
      const shown = this.screen.get(tabId) ?? [];
      this.#promptLog.check(tabId, shown.filter(isPrompt));
      const missing = (this.#shownBefore.get(tabId) ?? []).filter(mark => !isPrompt(mark) && !shown.includes(mark));
      deepEqual(missing, [], "what an earlier page has shown");
      equal(tab.drafts.text, "");
      const last = shown.findLast(isPrompt);
      const conversation = conversations.find(({ entries }) =>
        entries.some(entry => entry.kind === "user" && marksIn(entry.text).at(-1) === last),
      );
      // The sidecar answers with the newest entries only.
      deepEqual(
        windowed(tab.conversation, conversation?.omitted?.count ?? 0),
        conversation,
        "the page shows what the sidecar has",
      );
      for (const { voice, sidecar: receiver } of this.#agentSessions.filter(({ voice }) => voice.tabId === tabId)) {
        const seen = shown.filter(mark => voice.texts.includes(mark));
        const all: boolean = receiver === sidecar && voice.isOpen;
        deepEqual(
          seen,
          all ? voice.texts : voice.texts.slice(0, seen.length),
          all ? "everything that was said" : "what was said to a sidecar that is gone, up to its end",
        );
      }
    }
    equal(sidecar.openSessions, page.state.tabs.size, "sessions for tabs");
  }

  /** Checked for every frame: no duplicates, correct order, and no visible content disappears. */
  #drawn(tabId: string, marks: readonly string[]): void {
    if (this.#drawnPage !== this.webview.page) this.#startPage();
    const before = this.screen.get(tabId)?.filter(mark => !isPrompt(mark)) ?? [];
    const texts = marks.filter(mark => !isPrompt(mark));
    const problem =
      !isRising(texts) || !this.#promptLog.isInOrder(tabId, marks.filter(isPrompt))
        ? "twice or out of order"
        : !isContinued(before, texts)
          ? "taken back, or put in between"
          : undefined;
    if (problem !== undefined) this.problems.push(`${problem} in ${tabId}: ${before.join(" ")} → ${marks.join(" ")}`);
    this.screen.set(tabId, marks);
  }

  /** A new page is empty until its first snapshots. */
  #startPage(): void {
    this.#drawnPage = this.webview.page;
    for (const [tabId, marks] of this.screen)
      if (marks.length > (this.#shownBefore.get(tabId)?.length ?? 0)) this.#shownBefore.set(tabId, marks);
    this.screen.clear();
  }

  #newHost(): TestHost {
    return new TestHost({
      clock: this.clock,
      postMessage: message => this.webview.postMessage(message),
      problem: what => this.problems.push(what),
      launch: handlers => {
        const prompted = new Set<string>();
        const sidecar: TestSidecar = new TestSidecar({
          clock: this.clock,
          journal: this.#journal,
          handlers,
          congestedAt: this.congestedAt,
          problem: what => this.problems.push(what),
          prompted: text => {
            if (prompted.has(text)) this.problems.push(`the agent was prompted twice with ${text}`);
            prompted.add(text);
            this.#turns++;
            return this.#promptLog.tabOf(marksIn(text)) ?? "closed";
          },
          spoke: voice => {
            if (!this.#agentSessions.some(item => item.voice === voice)) this.#agentSessions.push({ voice, sidecar });
          },
        });
        return (this.sidecar = sidecar);
      },
    });
  }

  #line(way: Way): { readonly length: number; deliver(): void } | undefined {
    switch (way) {
      case "toPage":
        return this.webview.state === "running" ? this.webview.toPage : undefined;
      case "toHost":
        return this.webview.toHost;
      case "toSidecar":
        return this.sidecar?.toSidecar;
      case "fromSidecar":
        return this.sidecar?.toHost;
    }
  }

  #voice(tab: number): Voice | undefined {
    const open = this.sidecar?.isAlive ? [...this.sidecar.voices.values()].filter(voice => voice.isOpen) : [];
    return open[tab % open.length];
  }

  #mark(kind: "w" | "k", voice: Voice): string {
    const mark = `${kind}${++this.#marks}`;
    voice.texts.push(mark);
    return mark;
  }

  #describe(): string {
    const { page } = this.webview;
    return JSON.stringify({
      view: this.webview.state,
      supervisor: this.host.supervisor.phase,
      sidecar: page?.state.sidecar,
      tabs: [...(page?.state.tabs.values() ?? [])].map(({ tabId, phase, asking, seen, drafts, conversation }) => ({
        tabId,
        phase,
        asking,
        seen,
        drafts,
        turn: conversation.turn,
      })),
    });
  }
}

const isPrompt = (mark: string) => mark.startsWith("p");
const isRising = (marks: readonly string[]) =>
  marks.every((mark, i) => i === 0 || Number(mark.slice(1)) > Number(marks[i - 1]?.slice(1)));

/** Whether each mark is still there, except at the start of the list, where a window adds and removes marks. */
function isContinued(before: readonly string[], after: readonly string[]): boolean {
  const removed = after[0] === undefined ? 0 : before.indexOf(after[0]),
    [remaining, shown] =
      removed === -1 ? [before, after.slice(after.indexOf(before[0] ?? ""))] : [before.slice(removed), after];
  return remaining.every((mark, i) => shown[i] === mark);
}
