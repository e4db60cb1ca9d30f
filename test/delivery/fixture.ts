/**
 * Connects the production code of page, host and sidecar. VS Code, the two pipes, the agent and the time advance only
 * under the test's control. All messages are recorded and compared with the screen.
 */
import { deepEqual, equal, fail, ok } from "node:assert/strict";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { windowed } from "../../src/protocol/chat/conversation-window";
import { MemoryJournal } from "../../sidecar/testing/sessions/memory-journal";
import { turnOf } from "../../webview/state/page-model";
import type { Voice } from "./agent";
import { TestHost } from "./host";
import { PromptLog } from "./prompt-log";
import { drained, marksIn, newClock } from "./clock-and-marks";
import { TestSidecar } from "./sidecar";
import { TestUser } from "./user";
import { isPrompt, Screen } from "./screen";
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
  readonly user: TestUser;
  host: TestHost;
  sidecar: TestSidecar | undefined;
  readonly problems: string[] = [];
  /** The sidecars' journal. */
  readonly #journal = new MemoryJournal();
  /** All agent sessions so far, with the sidecar that received their output. */
  readonly #agentSessions: { readonly voice: Voice; readonly sidecar: TestSidecar | undefined }[] = [];
  readonly #promptLog = new PromptLog();
  readonly #screen = new Screen(this.#promptLog);
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
        drawn: (tabId, marks) => {
          const problem = this.#screen.draw(this.webview.page, tabId, marks);
          if (problem !== undefined) this.problems.push(problem);
        },
        problem: what => this.problems.push(what),
      },
    );
    this.user = new TestUser({
      webview: this.webview,
      promptLog: this.#promptLog,
      screen: this.#screen,
      newMark: () => `p${++this.#marks}`,
    });
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
    for (let tab = 0; tab < tabs; tab++) this.user.prompt(tab);
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
      const shown = this.#screen.check(tabId);
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
