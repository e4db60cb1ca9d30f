/** The page with a host and a sidecar, over a connection that tests interrupt, for its property tests. */
import { type Attachment } from "../../src/protocol/chat/attachments";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type QueuedPrompt,
} from "../../src/protocol/chat/chat";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import { answer } from "../../src/protocol/chat/delivery";
import type { HostToPage, PageToHost, TabId, TabPosition } from "../../src/protocol/page/host-to-page";
import { ASK_AGAIN_MS } from "../state/page-requests";
import { turnOf, type Effect, type UiEvent, type Page, type Tab } from "../state/page-model";
import { openPage, saved, step } from "../state/page-state";
import { restored } from "../state/saved-page";
import { ELIZA } from "./live-page";

/** A session of the sidecar. When the sidecar exits, only its conversation remains in the journal. */
class StoredSession {
  readonly events: ChatEvent[] = [];
  constructor(public conversation: Conversation) {}
  emit(event: ChatEvent): number {
    this.conversation = applyEvent(this.conversation, event);
    return this.events.push(event);
  }
}

/** The page, and a host with its sidecar, with an unreliable connection. */
export class UnreliablePage {
  page: Page;
  now = 0;
  readonly toPage: HostToPage[] = [];
  readonly toHost: PageToHost[] = [];
  readonly inputs = new Map<TabId, string>();
  saved: unknown = undefined;
  readonly submitted: string[] = [];
  readonly attached: Attachment[] = [];
  #made = 0;
  #boot = 1;
  #running = true;
  #tabs: TabId[] = [];
  #sessions = new Map<TabId, StoredSession>();
  readonly #journal = new Map<TabId, Conversation>();

  /** Starts with two live tabs. */
  constructor() {
    this.page = this.#open();
    this.settle();
    this.do({ kind: "received", message: { type: "openTab" } });
    this.settle();
  }

  // --- page
  #open(): Page {
    this.inputs.clear();
    const [page, effects] = openPage(restored(this.saved), this.now, this.now);
    this.page = page;
    effects.forEach(effect => this.#carryOut(effect));
    return this.page;
  }
  do(event: UiEvent): void {
    const [page, effects] = step(this.page, event, this.now);
    this.page = page;
    effects.forEach(effect => this.#carryOut(effect));
    this.saved = JSON.parse(JSON.stringify(saved(this.page)));
    for (const { tabId, drafts } of this.page.tabs.values())
      if ((this.inputs.get(tabId) ?? "") !== drafts.text)
        throw new Error(`The input shows another text after ${event.kind}.`);
  }
  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "post":
        this.toHost.push(effect.message);
        return;
      case "openOne":
        return this.do({ kind: "opened", tabId: `t${++this.#made}` });
      case "fill":
        this.inputs.set(effect.tabId, effect.text);
        return;
      default:
        return;
    }
  }
  reload(losesPosted: boolean): void {
    if (losesPosted)
      this.toHost.splice(0, this.toHost.length, ...this.toHost.filter(({ type }) => type === "closeTab"));
    this.toPage.length = 0;
    this.now += 1;
    this.#open();
  }
  get #selectedTab(): Tab | undefined {
    return this.page.selected === undefined ? undefined : this.page.tabs.get(this.page.selected);
  }
  submit(some: string): void {
    const tabId = this.page.selected,
      tab = this.#selectedTab;
    if (tabId === undefined || tab === undefined) return;
    const text = `${some}#${++this.#made};`;
    this.submitted.push(text);
    const whole = tab.drafts.text + text;
    this.type(tabId, whole);
    this.inputs.set(tabId, "");
    this.do({ kind: "submitted", tabId, messageId: `m${++this.#made}`, text: whole });
  }
  type(tabId: TabId, text: string): void {
    this.inputs.set(tabId, text);
    this.do({ kind: "typed", tabId, text });
  }
  /** Adds an attachment: by the user in the selected tab, or by the host in the tab that the page chooses. */
  attach(by: "user" | "host"): void {
    const attachment: Attachment = { kind: "file", path: `/w/f${++this.#made}` };
    const tabId = this.page.selected;
    this.attached.push(attachment);
    if (by === "user" && tabId !== undefined) this.do({ kind: "attached", tabId, attachments: [attachment] });
    else this.do({ kind: "received", message: { type: "attach", attachments: [attachment] } });
  }
  /** Performs an action on the queue of the selected tab. */
  queued(act: "edit" | "sendQueued" | "stop"): void {
    const tabId = this.page.selected;
    if (tabId === undefined) return;
    const messageId = this.#selectedTab?.conversation.queue?.prompts.at(-1)?.messageId;
    if (act === "stop") this.do({ kind: "stopped", tabId });
    else if (act === "sendQueued") this.do({ kind: "acted", tabId, action: { kind: "sendQueued" } });
    else if (messageId !== undefined) this.do({ kind: "withdrawn", tabId, messageId, to: "edit" });
  }
  tick(ms: number): void {
    this.now += ms;
    this.do({ kind: "ticked" });
  }

  // --- host
  handle(message: PageToHost): void {
    switch (message.type) {
      case "newTab":
        return this.#newTab({ tabId: message.tabId, requestNumber: 0 });
      case "closeTab":
        this.#tabs = this.#tabs.filter(id => id !== message.tabId);
        this.#sessions.delete(message.tabId);
        return;
      case "webviewReady":
        message.tabs.forEach(tab => this.#newTab(tab));
        this.state();
        return message.tabs.forEach(tab => this.#replay(tab));
      case "prompt":
        return this.#prompt(message);
      case "cancel":
        return this.#cancel(message.tabId);
      case "withdraw":
        return this.#queue(message.tabId, ({ prompts, held }) => ({
          prompts: prompts.filter(({ messageId }) => messageId !== message.messageId),
          held,
        }));
      case "sendQueued":
        this.#queue(message.tabId, ({ prompts }) => ({ prompts, held: false }));
        return this.#next(message.tabId);
      default:
        return;
    }
  }
  state(): void {
    this.toPage.push({
      type: "state",
      agents: [ELIZA],
      currentAgentId: ELIZA.id,
      tabs: [...this.#tabs],
      sidecar: this.#running ? { state: "running" } : { state: "restarting", message: "Restarting." },
    });
  }
  #newTab({ tabId }: TabPosition): void {
    if (!this.#tabs.includes(tabId)) this.#tabs.push(tabId);
    if (this.#running && !this.#sessions.has(tabId)) this.#sessions.set(tabId, new StoredSession(this.#stored(tabId)));
  }
  #stored(tabId: TabId): Conversation {
    const stored = this.#journal.get(tabId),
      { prompts = [] } = stored?.queue ?? {};
    return {
      ...emptyConversation(ELIZA, "/"),
      ...(stored ? { entries: interrupted(stored, "Symposium was restarted.") } : {}),
      ...(prompts.length === 0 ? {} : { queue: { prompts, held: true } }),
    };
  }
  #replay({ tabId, at, requestNumber }: TabPosition): void {
    const session = this.#sessions.get(tabId);
    if (!session) return;
    const last = session.events.length;
    const reply = answer(at, { bootId: this.bootId, first: Math.max(1, last - 4), last });
    if (reply.kind === "snapshot")
      this.toPage.push({
        type: "snapshot",
        tabId,
        bootId: this.bootId,
        seq: last,
        requestNumber,
        conversation: session.conversation,
      });
    else session.events.slice(reply.after).forEach((event, i) => this.#event(tabId, reply.after + i + 1, event));
  }
  #prompt({ tabId, messageId, text, attachments }: Extract<PageToHost, { type: "prompt" }>): void {
    const session = this.#sessions.get(tabId);
    const prompt = { messageId, text, ...(attachments ? { attachments } : {}) };
    const known =
      session?.conversation.entries.some(({ id }) => id === messageId) ||
      session?.conversation.queue?.prompts.some(waiting => waiting.messageId === messageId);
    if (known) return;
    if (!session || session.conversation.queue?.prompts.length === 3) {
      this.toPage.push({ type: "failed", tabId, messageId, message: "Not now." });
      return;
    }
    if (session.conversation.turn.state !== "idle")
      return this.#queue(tabId, ({ prompts, held }) => ({ prompts: [...prompts, prompt], held }));
    this.#begin(tabId, prompt);
  }
  #begin(tabId: TabId, { messageId, text, attachments }: QueuedPrompt): void {
    this.emit(tabId, {
      type: "upsert",
      entry: { kind: "user", id: messageId, text, ...(attachments ? { attachments } : {}) },
    });
    this.emit(tabId, { type: "turn", turn: { state: "running", messageId } });
  }
  #queue(
    tabId: TabId,
    change: (queue: NonNullable<Conversation["queue"]>) => NonNullable<Conversation["queue"]>,
  ): void {
    const conversation = this.conversation(tabId);
    if (conversation)
      this.emit(tabId, { type: "queue", queue: change(conversation.queue ?? { prompts: [], held: false }) });
  }
  /** Sends the next prompt if the turn has ended and the queue is not held. */
  #next(tabId: TabId): void {
    const { turn, queue } = this.conversation(tabId) ?? {};
    const [prompt, ...prompts] = queue?.prompts ?? [];
    if (turn?.state !== "idle" || queue?.held !== false || !prompt) return;
    this.#begin(tabId, prompt);
    this.#queue(tabId, ({ held }) => ({ prompts, held }));
  }
  #cancel(tabId: TabId): void {
    if (this.conversation(tabId)?.turn.state !== "running") return;
    this.#queue(tabId, ({ prompts }) => ({ prompts, held: prompts.length > 0 }));
    this.emit(tabId, { type: "turn", turn: { state: "idle" } });
  }
  get bootId(): string {
    return `b${this.#boot}`;
  }
  #event(tabId: TabId, seq: number, event: ChatEvent): void {
    this.toPage.push({ type: "event", tabId, bootId: this.bootId, seq, event });
  }
  emit(tabId: TabId, event: ChatEvent): void {
    const session = this.#sessions.get(tabId);
    if (!session) return;
    this.#event(tabId, session.emit(event), event);
    this.#journal.set(tabId, session.conversation);
  }
  /** The agent sends text in tab `n` (modulo the number of tabs), during or after its turn. */
  report(n: number, text: string, ends: boolean): void {
    const tabId = this.#tabs[n % Math.max(1, this.#tabs.length)];
    const conversation = tabId === undefined ? undefined : this.#sessions.get(tabId)?.conversation;
    if (tabId === undefined || !conversation) return;
    const last = conversation.entries.at(-1);
    if (last?.kind === "agent" && !last.interrupted)
      this.emit(tabId, { type: "append", id: last.id, offset: last.text.length, text });
    else this.emit(tabId, { type: "upsert", entry: { kind: "agent", id: `a${++this.#made}`, text } });
    if (!ends) return;
    this.emit(tabId, { type: "turn", turn: { state: "idle" } });
    this.#next(tabId);
  }
  die(): void {
    this.#running = false;
    this.#sessions.clear();
    this.state();
  }
  start(): void {
    if (!this.#running) {
      this.#boot++;
      this.#running = true;
      this.state();
    }
  }
  /** Delivers pending messages first, because a sidecar takes longer to start than a message to arrive. */
  startSlowly(): void {
    for (const message of this.toPage.splice(0)) this.do({ kind: "received", message });
    for (const message of this.toHost.splice(0)) this.handle(message);
    this.start();
  }
  conversation(tabId: TabId): Conversation | undefined {
    return this.#sessions.get(tabId)?.conversation;
  }
  get tabs(): readonly TabId[] {
    return this.#tabs;
  }

  /** Delivers all messages without loss until both sides are idle. */
  settle(): void {
    this.start();
    this.toPage.push({ type: "requestReplay" });
    for (let rounds = 0; rounds < 60; rounds++) {
      for (let n = 0; this.toPage.length + this.toHost.length > 0; n++) {
        if (n >= 5_000) throw new Error("Page and host do not become idle.");
        const message = this.toHost.shift();
        if (message) this.handle(message);
        const reply = this.toPage.shift();
        if (reply) this.do({ kind: "received", message: reply });
      }
      if (
        rounds > 3 &&
        [...this.page.tabs.values()].every(
          tab =>
            tab.phase === "live" &&
            tab.drafts.takenBack.length === 0 &&
            turnOf(tab) === (this.conversation(tab.tabId)?.turn.state ?? "idle"),
        )
      )
        return;
      this.tick(ASK_AGAIN_MS);
    }
  }
}
