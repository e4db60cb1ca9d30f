import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isSame, type Attachment } from "../../src/protocol/chat/attachments";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type Entry,
  type QueuedPrompt,
} from "../../src/protocol/chat/chat";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import { answer } from "../../src/protocol/chat/delivery";
import type { HostToPage, PageToHost, TabId, TabPosition } from "../../src/protocol/page/host-to-page";
import { ASK_AGAIN_MS, SILENCE_MS } from "./page-requests";
import { turnOf, type Effect, type UiEvent, type Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { restored } from "./saved-page";
import { propertyRuns } from "../../src/protocol/testing/property-runs";

const ELIZA = { id: "elizacp", name: "Eliza" };

/** A session of the sidecar. When the sidecar exits, only its conversation remains in the journal. */
class Session {
  readonly events: ChatEvent[] = [];
  constructor(public conversation: Conversation) {}
  emit(event: ChatEvent): number {
    this.conversation = applyEvent(this.conversation, event);
    return this.events.push(event);
  }
}

/** The page, and a host with its sidecar, with an unreliable connection. */
class Fixture {
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
  #sessions = new Map<TabId, Session>();
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
      equal(this.inputs.get(tabId) ?? "", drafts.text, `what the input shows after ${event.kind}`);
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
  submit(some: string): void {
    const tabId = this.page.selected;
    if (tabId === undefined) return;
    const text = `${some}#${++this.#made};`;
    this.submitted.push(text);
    const whole = this.page.tabs.get(tabId)!.drafts.text + text;
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
    const messageId = this.page.tabs.get(tabId)!.conversation.queue?.prompts.at(-1)?.messageId;
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
    if (this.#running && !this.#sessions.has(tabId)) this.#sessions.set(tabId, new Session(this.#stored(tabId)));
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
        ok(n < 5_000, "page and host do not become idle");
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

const textOf = (entries: readonly Entry[]) =>
  entries.flatMap(entry => ("text" in entry && entry.kind !== "notice" ? [entry.text] : [])).join("");
const shownLength = (page: Page) =>
  new Map([...page.tabs].map(([id, tab]) => [id, textOf(tab.conversation.entries).length]));

const span = fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 5 }));
const common = [
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      n: fc.nat(3),
      text: fc.string({ minLength: 1, maxLength: 3 }),
      ends: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      text: fc.string({ minLength: 1, maxLength: 4 }).filter(text => text.trim() !== ""),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("queued" as const),
      act: fc.constantFrom("edit" as const, "edit" as const, "sendQueued" as const, "stop" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("attach" as const),
      by: fc.constantFrom("user" as const, "host" as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("deliver" as const, "listen" as const), span }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("drop" as const, "repeat" as const), span }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "die" as const,
        "reload" as const,
        "crashOfThePage" as const,
        "openTab" as const,
        "closeTab" as const,
        "tick" as const,
        "longTick" as const,
      ),
    }),
  },
];
const fastStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("start" as const) }) };
const reorder = { weight: 1, arbitrary: fc.record({ kind: fc.constant("reorder" as const), span }) };
const slowStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("startSlowly" as const) }) };
const faithful = fc.oneof(...common, slowStart);
const move = fc.oneof(...common, reorder, fastStart);
type Move = typeof move | typeof faithful extends fc.Arbitrary<infer M> ? M : never;

function create(fixture: Fixture, m: Move): void {
  switch (m.kind) {
    case "say":
      return fixture.report(m.n, m.text, m.ends);
    case "submit":
      return fixture.submit(m.text);
    case "queued":
      return fixture.queued(m.act);
    case "attach":
      return fixture.attach(m.by);
    case "listen":
      return fixture.toHost.splice(0, m.span[1]).forEach(message => fixture.handle(message));
    case "deliver":
      return fixture.toPage.splice(0, m.span[1]).forEach(message => fixture.do({ kind: "received", message }));
    case "drop":
      fixture.toPage.splice(...m.span);
      return;
    case "repeat":
      fixture.toPage.push(...fixture.toPage.slice(m.span[0], m.span[0] + m.span[1]));
      return;
    case "reorder":
      fixture.toPage.splice(m.span[0], 0, ...fixture.toPage.splice(...m.span).reverse());
      return;
    case "die":
      return fixture.die();
    case "start":
    case "startSlowly":
      return fixture[m.kind]();
    case "reload":
      return fixture.reload(false);
    case "crashOfThePage":
      return fixture.reload(true);
    case "openTab":
      return fixture.do({ kind: "received", message: { type: "openTab" } });
    case "closeTab":
      return fixture.page.tabs.size > 2 && fixture.page.selected !== undefined
        ? fixture.do({ kind: "closed", tabId: fixture.page.selected })
        : undefined;
    case "tick":
      return fixture.tick(600);
    case "longTick":
      return fixture.tick(SILENCE_MS);
  }
}

suite("page state", () => {
  test("shows each session completely, once and in order after any connection failures (property)", () =>
    fc.assert(
      fc.property(fc.array(move, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new Fixture();
        moves.forEach(m => create(fixture, m));
        fixture.settle();
        for (const tab of fixture.page.tabs.values()) {
          const conversation = fixture.conversation(tab.tabId);
          ok(conversation, "each tab of the page has a session");
          deepEqual(tab.conversation, conversation);
          equal(tab.bootId, fixture.bootId);
        }
      }),
      { numRuns: propertyRuns(800) },
    ));

  test("never removes displayed content on a sidecar exit, and shows it again after a reload (property)", () =>
    fc.assert(
      fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new Fixture();
        let before = shownLength(fixture.page);
        const longest = new Map(before);
        for (const m of moves) {
          create(fixture, m);
          const after = shownLength(fixture.page);
          for (const [id, length] of after) {
            const isEmptied = m.kind === "reload" || m.kind === "crashOfThePage";
            ok(isEmptied || length >= (before.get(id) ?? 0), `${m.kind} removed displayed content`);
            longest.set(id, Math.max(length, longest.get(id) ?? 0));
          }
          before = after;
        }
        fixture.startSlowly();
        fixture.settle();
        for (const [id, length] of shownLength(fixture.page))
          ok(length >= (longest.get(id) ?? 0), "displayed content is missing at the end");
      }),
      { numRuns: propertyRuns(800) },
    ));

  test("never loses typed text or attachments (property)", () =>
    fc.assert(
      fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
        const fixture = new Fixture();
        for (const m of moves) if (m.kind !== "closeTab") create(fixture, m);
        fixture.startSlowly();
        fixture.settle();
        const everything = [...fixture.page.tabs.values()].flatMap(({ conversation, drafts }) => [
          ...conversation.entries.filter(entry => entry.kind === "user"),
          ...(conversation.queue?.prompts ?? []),
          ...drafts.onTheWay,
          ...drafts.takenBack,
          drafts,
        ]);
        for (const text of fixture.submitted)
          ok(
            everything.some(whole => whole.text.includes(text)),
            `lost: ${text}`,
          );
        for (const attachment of fixture.attached)
          ok(
            everything.some(({ attachments = [] }) => attachments.some(each => isSame(each, attachment))),
            `lost: ${JSON.stringify(attachment)}`,
          );
      }),
      { numRuns: propertyRuns(500) },
    ));
});
