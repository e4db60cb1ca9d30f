import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type ChatEvent, type Conversation, type Entry } from "../src/protocol/chat";
import { answer, type Position } from "../src/protocol/delivery";
import type { HostToPage, PageToHost, TabId, TabPosition } from "../src/protocol/webview";
import { ASK_AGAIN_MS, SILENCE_MS } from "./page-asking";
import { turnOf, type Effect, type Happening, type Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";

const ELIZA = { id: "elizacp", name: "Eliza" };

/** One session of the sidecar: it lives as long as the boot. */
class Session {
  readonly events: ChatEvent[] = [];
  constructor(public conversation: Conversation) {}
  emit(event: ChatEvent): number {
    this.conversation = applyEvent(this.conversation, event);
    return this.events.push(event);
  }
}

/** The page, and a host with its sidecar, joined by a wire that the test breaks. */
class World {
  page: Page;
  now = 0;
  readonly toPage: HostToPage[] = [];
  readonly toHost: PageToHost[] = [];
  readonly inputs = new Map<TabId, string>();
  saved: unknown = undefined;
  readonly submitted: string[] = [];
  #made = 0;
  #boot = 1;
  #running = true;
  #tabs: TabId[] = [];
  #sessions = new Map<TabId, Session>();

  /** Begins with two tabs that are live. */
  constructor() {
    this.page = this.#open();
    this.settle();
    this.do({ kind: "received", message: { type: "openTab" } });
    this.settle();
  }

  // The page.
  #open(): Page {
    this.inputs.clear();
    const [page, effects] = openPage(restored(this.saved), this.now, this.now);
    this.page = page;
    effects.forEach(effect => this.#carryOut(effect));
    return this.page;
  }
  do(happening: Happening): void {
    const [page, effects] = step(this.page, happening, this.now);
    this.page = page;
    effects.forEach(effect => this.#carryOut(effect));
    this.saved = JSON.parse(JSON.stringify(saved(this.page)));
  }
  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "post": this.toHost.push(effect.message); return;
      case "openOne": return this.do({ kind: "opened", tabId: `t${++this.#made}` });
      case "fill": this.inputs.set(effect.tabId, effect.text); return;
      default: return;
    }
  }
  reload(losesPosted: boolean): void {
    if (losesPosted) this.toHost.splice(0, this.toHost.length, ...this.toHost.filter(({ type }) => type === "close-tab"));
    this.toPage.length = 0;
    this.now += 1;
    this.#open();
  }
  submit(text: string): void {
    const tabId = this.page.selected;
    if (tabId === undefined) return;
    this.submitted.push(text);
    const whole = this.page.tabs.get(tabId)!.drafts.text + text;
    this.do({ kind: "typed", tabId, text: whole });
    this.do({ kind: "submitted", tabId, messageId: `m${++this.#made}`, text: whole });
  }
  tick(ms: number): void { this.now += ms; this.do({ kind: "ticked" }); }

  // The host.
  handle(message: PageToHost): void {
    switch (message.type) {
      case "new-tab": return this.#newTab({ tabId: message.tabId, asked: 0, shown: [] });
      case "close-tab": this.#tabs = this.#tabs.filter(id => id !== message.tabId); this.#sessions.delete(message.tabId); return;
      case "webview-ready":
        message.tabs.forEach(tab => this.#newTab(tab));
        this.state();
        return message.tabs.forEach(tab => this.#replay(tab));
      case "prompt": return this.#prompt(message);
      default: return;
    }
  }
  state(): void {
    this.toPage.push({ type: "state", agents: [ELIZA], currentAgentId: ELIZA.id, tabs: [...this.#tabs], sidecar: this.#running ? { state: "running" } : { state: "restarting", message: "Restarting." } });
  }
  #newTab({ tabId, shown }: TabPosition): void {
    if (!this.#tabs.includes(tabId)) this.#tabs.push(tabId);
    if (this.#running && !this.#sessions.has(tabId)) this.#sessions.set(tabId, new Session({ ...emptyConversation(ELIZA, "/"), entries: shown }));
  }
  #replay({ tabId, at, asked }: TabPosition): void {
    const session = this.#sessions.get(tabId);
    if (!session) return;
    const last = session.events.length;
    const reply = answer(at, { bootId: this.bootId, first: Math.max(1, last - 4), last });
    if (reply.kind === "snapshot") this.toPage.push({ type: "snapshot", tabId, bootId: this.bootId, seq: last, asked, conversation: session.conversation });
    else session.events.slice(reply.after).forEach((event, i) => this.#event(tabId, reply.after + i + 1, event));
  }
  #prompt({ tabId, messageId, text }: Extract<PageToHost, { type: "prompt" }>): void {
    const session = this.#sessions.get(tabId);
    const known = session?.conversation.entries.some(({ id }) => id === messageId);
    if (known) return;
    if (!session || session.conversation.turn.state !== "idle") { this.toPage.push({ type: "failed", tabId, messageId, message: "Not now." }); return; }
    this.emit(tabId, { type: "upsert", entry: { kind: "user", id: messageId, text } });
    this.emit(tabId, { type: "turn", turn: { state: "running", messageId } });
  }
  get bootId(): string { return `b${this.#boot}`; }
  #event(tabId: TabId, seq: number, event: ChatEvent): void { this.toPage.push({ type: "event", tabId, bootId: this.bootId, seq, event }); }
  emit(tabId: TabId, event: ChatEvent): void {
    const session = this.#sessions.get(tabId);
    if (session) this.#event(tabId, session.emit(event), event);
  }
  /** The agent says something, in whichever tab comes at `n`; the turn that it belongs to runs or is over. */
  say(n: number, text: string, ends: boolean): void {
    const tabId = this.#tabs[n % Math.max(1, this.#tabs.length)];
    const conversation = tabId === undefined ? undefined : this.#sessions.get(tabId)?.conversation;
    if (tabId === undefined || !conversation) return;
    const last = conversation.entries.at(-1);
    if (last?.kind === "agent" && !last.interrupted) this.emit(tabId, { type: "append", id: last.id, offset: last.text.length, text });
    else this.emit(tabId, { type: "upsert", entry: { kind: "agent", id: `a${++this.#made}`, text } });
    if (ends) this.emit(tabId, { type: "turn", turn: { state: "idle" } });
  }
  die(): void { this.#running = false; this.#sessions.clear(); this.state(); }
  start(): void { if (!this.#running) { this.#boot++; this.#running = true; this.state(); } }
  /** A sidecar takes longer to start than a message to arrive: what its predecessor said has come by then. */
  startSlowly(): void {
    for (const message of this.toPage.splice(0)) this.do({ kind: "received", message });
    for (const message of this.toHost.splice(0)) this.handle(message);
    this.start();
  }
  conversation(tabId: TabId): Conversation | undefined { return this.#sessions.get(tabId)?.conversation; }
  get tabs(): readonly TabId[] { return this.#tabs; }

  /** From now on nothing is lost: both sides talk until they are quiet. */
  settle(): void {
    this.start();
    this.toPage.push({ type: "askAgain" });
    for (let rounds = 0; rounds < 60; rounds++) {
      for (let n = 0; this.toPage.length + this.toHost.length > 0; n++) {
        ok(n < 5_000, "page and host talk for ever");
        const message = this.toHost.shift();
        if (message) this.handle(message);
        const reply = this.toPage.shift();
        if (reply) this.do({ kind: "received", message: reply });
      }
      if (rounds > 3 && [...this.page.tabs.values()].every(tab => tab.phase === "live" && turnOf(tab) === (this.conversation(tab.tabId)?.turn.state ?? "idle"))) return;
      this.tick(ASK_AGAIN_MS);
    }
  }
}

const textOf = (entries: readonly Entry[]) => entries.flatMap(entry => "text" in entry && entry.kind !== "notice" ? [entry.text] : []).join("");
const shownLength = (page: Page) => new Map([...page.tabs].map(([id, tab]) => [id, textOf(tab.conversation.entries).length]));

const span = fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 5 }));
const common = [
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("say" as const), n: fc.nat(3), text: fc.string({ minLength: 1, maxLength: 3 }), ends: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("submit" as const), text: fc.string({ minLength: 1, maxLength: 4 }).filter(text => text.trim() !== "") }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("deliver" as const, "listen" as const), span }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("drop" as const, "repeat" as const), span }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("die" as const, "reload" as const, "crashOfThePage" as const, "openTab" as const, "closeTab" as const, "tick" as const, "longTick" as const) }) },
];
const fastStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("start" as const) }) };
const reorder = { weight: 1, arbitrary: fc.record({ kind: fc.constant("reorder" as const), span }) };
const slowStart = { weight: 1, arbitrary: fc.record({ kind: fc.constant("startSlowly" as const) }) };
const faithful = fc.oneof(...common, slowStart);
const move = fc.oneof(...common, reorder, fastStart);
type Move = (typeof move | typeof faithful) extends fc.Arbitrary<infer M> ? M : never;

function make(world: World, m: Move): void {
  switch (m.kind) {
    case "say": return world.say(m.n, m.text, m.ends);
    case "submit": return world.submit(m.text);
    case "listen": return world.toHost.splice(0, m.span[1]).forEach(message => world.handle(message));
    case "deliver": return world.toPage.splice(0, m.span[1]).forEach(message => world.do({ kind: "received", message }));
    case "drop": world.toPage.splice(...m.span); return;
    case "repeat": world.toPage.push(...world.toPage.slice(m.span[0], m.span[0] + m.span[1])); return;
    case "reorder": world.toPage.splice(m.span[0], 0, ...world.toPage.splice(...m.span).reverse()); return;
    case "die": return world.die();
    case "start": case "startSlowly": return world[m.kind]();
    case "reload": return world.reload(false);
    case "crashOfThePage": return world.reload(true);
    case "openTab": return world.do({ kind: "received", message: { type: "openTab" } });
    case "closeTab": return world.page.tabs.size > 2 && world.page.selected !== undefined ? world.do({ kind: "closed", tabId: world.page.selected }) : undefined;
    case "tick": return world.tick(600);
    case "longTick": return world.tick(SILENCE_MS);
  }
}

suite("page state", () => {
  test("however the wire breaks, in the end each tab shows what its session is, once and in order", () =>
    fc.assert(fc.property(fc.array(move, { minLength: 10, maxLength: 90 }), moves => {
      const world = new World();
      moves.forEach(m => make(world, m));
      world.settle();
      for (const tab of world.page.tabs.values()) {
        const conversation = world.conversation(tab.tabId);
        ok(conversation, "a tab of the page without a session");
        deepEqual(tab.conversation, conversation);
        equal(tab.bootId, world.bootId);
      }
    }), { numRuns: 800 }));

  test("what is shown is never taken back, neither by a reload nor by a sidecar that died", () =>
    fc.assert(fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
      const world = new World();
      let before = shownLength(world.page);
      for (const m of moves) {
        make(world, m);
        const after = shownLength(world.page);
        for (const [id, length] of after) ok(length >= (before.get(id) ?? 0), `${m.kind} took something back`);
        before = after;
      }
    }), { numRuns: 800 }));

  test("no prompt is lost: it is in a conversation, on its way, or a draft", () =>
    fc.assert(fc.property(fc.array(faithful, { minLength: 10, maxLength: 90 }), moves => {
      const world = new World();
      for (const m of moves) if (m.kind !== "closeTab") make(world, m);
      world.startSlowly();
      world.settle();
      const everything = [...world.page.tabs.values()].flatMap(tab => [...tab.conversation.entries.flatMap(entry => entry.kind === "user" ? [entry.text] : []), ...tab.drafts.onTheWay.map(({ text }) => text), tab.drafts.text]);
      for (const text of world.submitted) ok(everything.some(whole => whole.includes(text)), `lost: ${text}`);
    }), { numRuns: 500 }));
});

/** A page that was told the state, with one tab whose snapshot has come. */
function livePage(conversation: Partial<Conversation> = {}, now = 0): Page {
  let page = run(openPage(emptyPage, 100, now)[0], { kind: "received", message: stateMessage(["t1"]) }, now).page;
  page = run(page, { kind: "received", message: { type: "snapshot", tabId: "t1", bootId: "b1", seq: 0, asked: 999, conversation: { ...emptyConversation(ELIZA, "/w"), ...conversation } } }, now).page;
  return page;
}
function stateMessage(tabs: readonly TabId[], rest: Partial<Extract<HostToPage, { type: "state" }>> = {}): HostToPage {
  return { type: "state", agents: [ELIZA, { id: "gem", name: "Gemini" }], currentAgentId: ELIZA.id, tabs, sidecar: { state: "running" }, ...rest };
}
function run(page: Page, happening: Happening, now = 0): { readonly page: Page; readonly effects: readonly Effect[]; readonly posts: readonly PageToHost[] } {
  const [after, effects] = step(page, happening, now);
  return { page: after, effects, posts: effects.flatMap(effect => effect.kind === "post" ? [effect.message] : []) };
}
const tabOf = (page: Page, tabId = "t1") => page.tabs.get(tabId)!;
const event = (seq: number, event: ChatEvent, bootId = "b1"): Happening => ({ kind: "received", message: { type: "event", tabId: "t1", bootId, seq, event } });
const running: ChatEvent = { type: "turn", turn: { state: "running", messageId: "m" } };

suite("page state, one by one", () => {
  test("a first page without tabs asks, and opens a tab only when the host has none", () => {
    const [page, effects] = openPage(emptyPage, 100, 0);
    deepEqual(effects, [{ kind: "post", message: { type: "webview-ready", tabs: [] } }]);
    ok(run(page, { kind: "received", message: stateMessage([]) }).effects.some(({ kind }) => kind === "openOne"));
    const { effects: opened, posts } = run(page, { kind: "received", message: stateMessage(["t1"]) });
    ok(!opened.some(({ kind }) => kind === "openOne"));
    deepEqual(posts, [{ type: "webview-ready", tabs: [{ tabId: "t1", asked: 101, shown: [], agentId: "elizacp" }], losses: 0 }]);
  });

  test("a host that does not answer is asked again after a second", () => {
    const [page] = openPage(emptyPage, 100, 0);
    equal(run(page, { kind: "ticked" }, ASK_AGAIN_MS - 1).posts.length, 0);
    equal(run(page, { kind: "ticked" }, ASK_AGAIN_MS).posts.length, 1);
  });

  test("a page that follows another shows what that one showed, and asks above it", () => {
    const before = run(livePage({ entries: [{ kind: "agent", id: "a", text: "hi" }] }), { kind: "typed", tabId: "t1", text: "half a sen" }).page;
    const [page, effects] = openPage(restored(JSON.parse(JSON.stringify(saved(before)))), 0, 0);
    deepEqual(tabOf(page).conversation.entries, [{ kind: "agent", id: "a", text: "hi" }]);
    equal(tabOf(page).phase, "restored");
    ok(tabOf(page).seen.asked > tabOf(before).seen.asked);
    ok(effects.some(effect => effect.kind === "fill" && effect.text === "half a sen"));
  });

  test("while an asking is open a gap asks no second time, and silence asks again, ever more slowly", () => {
    const gap = run(livePage(), event(5, running));
    equal(gap.posts.length, 1);
    equal(run(gap.page, event(6, running)).posts.length, 0);
    const again = run(gap.page, { kind: "ticked" }, 1_000);
    equal(again.posts.length, 1);
    equal(run(again.page, { kind: "ticked" }, 2_500).posts.length, 0);
    equal(run(again.page, { kind: "ticked" }, 3_000).posts.length, 1);
  });

  test("a turn that is silent for three seconds is asked after; an idle tab is left alone", () => {
    equal(run(livePage(), { kind: "ticked" }, 60_000).posts.length, 0);
    const busy = run(livePage(), event(1, running)).page;
    equal(run(busy, { kind: "ticked" }, SILENCE_MS - 1).posts.length, 0);
    const { posts, page } = run(busy, { kind: "ticked" }, SILENCE_MS);
    deepEqual(posts.map(post => post.type === "webview-ready" && post.tabs.map(({ at }): Position | undefined => at)), [[{ bootId: "b1", seq: 1 }]]);
    equal(run(page, { kind: "ticked" }, SILENCE_MS + 1).posts.length, 0);
  });

  test("without a sidecar nothing is asked, and what was running is marked", () => {
    const busy = run(run(livePage(), event(1, { type: "upsert", entry: { kind: "agent", id: "a", text: "so" } })).page, event(2, running)).page;
    const dead = run(busy, { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }) }).page;
    deepEqual(tabOf(dead).conversation.entries, [{ kind: "agent", id: "a", text: "so", interrupted: true }]);
    equal(turnOf(tabOf(dead)), "idle");
    equal(run(dead, { kind: "ticked" }, 60_000).posts.length, 0);
    const back = run(dead, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(back.posts.map(({ type }) => type), ["webview-ready"]);
  });

  test("a page says back how many losses it has heard of, and nothing of them when it starts", () => {
    const losses = (posts: readonly PageToHost[]) => posts.map(post => post.type === "webview-ready" ? post.losses : post.type);
    const [start, effects] = openPage(saved(livePage()), 0, 0);
    deepEqual(losses(effects.flatMap(effect => effect.kind === "post" ? [effect.message] : [])), [undefined]);
    deepEqual(losses(run(start, { kind: "received", message: { type: "askAgain" } }).posts), [0]);
    const told = run(start, { kind: "received", message: stateMessage(["t1"], { losses: 2 }) }).page;
    deepEqual(losses(run(told, { kind: "received", message: { type: "askAgain" } }).posts), [2]);
  });

  test("what was marked needs a snapshot, even when the sidecar turns out to live", () => {
    const page = livePage({ entries: [{ kind: "agent", id: "a", text: "so" }], turn: { state: "running", messageId: "m" } });
    const dead = run(page, { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }) }).page;
    const { posts } = run(dead, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(posts.map(post => post.type === "webview-ready" && post.tabs.map(({ at }) => at)), [[undefined]]);
  });

  test("an event of another boot marks what is shown; one of the boot that a saved page came from does not", () => {
    const page = livePage({ entries: [{ kind: "agent", id: "a", text: "so" }], turn: { state: "running", messageId: "m" } });
    const over = run(page, event(1, running, "b2"));
    deepEqual(tabOf(over.page).conversation.entries, [{ kind: "agent", id: "a", text: "so", interrupted: true }]);
    equal(over.posts.length, 1);
    const [next] = openPage(saved(page), 0, 0);
    deepEqual(tabOf(run(next, event(1, running)).page).conversation.entries, [{ kind: "agent", id: "a", text: "so" }]);
  });

  test("a prompt to a tab that is busy, or without a sidecar, is refused, and stays in the input", () => {
    const busy = run(livePage(), event(1, running)).page;
    const down = run(livePage(), { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "failed", message: "It failed.", actions: [] } }) }).page;
    for (const page of [busy, down]) {
      const refused = run(page, { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
      deepEqual(refused.effects[0], { kind: "fill", tabId: "t1", text: "hello" });
      equal(refused.posts.length, 0);
      equal(tabOf(refused.page).drafts.text, "hello");
      ok(tabOf(refused.page).remark);
    }
  });

  test("why a prompt was refused is said only as long as it is true", () => {
    const submitted = { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" } as const;
    const waiting = run(run(livePage(), event(1, running)).page, submitted).page;
    const ended = run(waiting, event(2, { type: "turn", turn: { state: "idle" } })).page;
    const without = run(run(livePage(), { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "failed", message: "It failed.", actions: [] } }) }).page, submitted).page;
    const back = run(without, { kind: "received", message: stateMessage(["t1"]) }).page;
    deepEqual([waiting, ended, without, back].map(page => tabOf(page).remark !== undefined), [true, false, true, false]);
    deepEqual([ended, back].map(page => tabOf(page).drafts.text), ["hello", "hello"]);
  });

  test("a prompt under way makes the tab busy, and comes back when its request fails", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    equal(turnOf(tabOf(sent.page)), "starting");
    const failed = run(sent.page, { kind: "received", message: { type: "failed", tabId: "t1", messageId: "m1", message: "No." } });
    ok(failed.effects.some(effect => effect.kind === "fill" && effect.text === "hello"));
    equal(turnOf(tabOf(failed.page)), "idle");
  });

  test("a prompt under way stays there when something else of its tab fails", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    for (const messageId of [undefined, "m0"]) {
      const failed = run(sent.page, { kind: "received", message: { type: "failed", tabId: "t1", message: "No.", ...(messageId === undefined ? {} : { messageId }) } });
      deepEqual(failed.effects, [{ kind: "show", tabId: "t1" }]);
      deepEqual([tabOf(failed.page).drafts, tabOf(failed.page).remark], [{ text: "", onTheWay: [{ messageId: "m1", text: "hello" }] }, { tone: "error", text: "No." }]);
    }
  });

  test("a tab that gets no session at all gives back what is on its way to it", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    const [next] = openPage(restored(JSON.parse(JSON.stringify(saved(sent.page)))), 0, 0);
    const failed = run(next, { kind: "received", message: { type: "failed", tabId: "t1", message: "No." } });
    ok(failed.effects.some(effect => effect.kind === "fill" && effect.text === "hello"));
  });

  test("a failed prompt leaves an answer alone that is under way", () => {
    const question: Entry = { kind: "permission", id: "p", agent: "Eliza", toolEntryId: "x", title: "?", toolKind: "other", content: [], options: [] };
    const answered = run(livePage({ entries: [question] }), { kind: "answered", tabId: "t1", permissionId: "p", choice: { kind: "option", optionId: "o" } });
    const failed = (rest: object) => run(answered.page, { kind: "received", message: { type: "failed", tabId: "t1", message: "No.", ...rest } });
    deepEqual([tabOf(failed({ messageId: "m1" }).page).answering.length, tabOf(failed({}).page).answering.length], [1, 0]);
  });

  test("a prompt that a snapshot does not contain is sent again under its id", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    const [next] = openPage(saved(sent.page), 0, 0);
    const snapshot = (entries: readonly Entry[]): Happening => ({ kind: "received", message: { type: "snapshot", tabId: "t1", bootId: "b1", seq: 3, asked: 9_999, conversation: { ...emptyConversation(ELIZA, "/"), entries } } });
    deepEqual(run(next, snapshot([])).posts, [{ type: "prompt", tabId: "t1", messageId: "m1", text: "hello" }]);
    const has = run(next, snapshot([{ kind: "user", id: "m1", text: "hello" }]));
    deepEqual([has.posts, tabOf(has.page).drafts.onTheWay], [[], []]);
  });

  test("a state that was under way does not open a closed tab again", () => {
    const page = run(livePage(), { kind: "closed", tabId: "t1" }).page;
    equal(run(page, { kind: "received", message: stateMessage(["t1"]) }).page.tabs.size, 0);
  });

  test("the host's selection counts when it changes, not when it is repeated", () => {
    const two = run(livePage(), { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t1" }) }).page;
    const mine = run(two, { kind: "selected", tabId: "t2" }).page;
    equal(run(mine, { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t1" }) }).page.selected, "t2");
    const moved = run(run(mine, { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t2" }) }).page, { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t1" }) });
    equal(moved.page.selected, "t1");
    ok(moved.effects.some(effect => effect.kind === "select" && effect.tabId === "t1"));
  });

  test("everything that came is acknowledged once, when it is on screen", () => {
    const page = run(run(livePage(), event(1, running)).page, event(1, running)).page;
    const drawn = run(page, { kind: "drawn" });
    deepEqual(drawn.posts, [{ type: "ack", handled: 3 }]);
    equal(run(drawn.page, { kind: "drawn" }).posts.length, 0);
  });

  test("an eleventh tab is refused with a sentence", () => {
    const page = run(livePage(), { kind: "received", message: stateMessage(Array.from({ length: 14 }, (_, i) => `t${i}`)) }).page;
    equal(page.tabs.size, 10);
    const refused = run(page, { kind: "received", message: { type: "openTab" } });
    ok(!refused.effects.some(({ kind }) => kind === "openOne"));
    ok(tabOf(refused.page, refused.page.selected).remark);
  });

  test("a snapshot from before the sidecar died, which comes again after it, takes nothing back", () => {
    const asking = run(livePage(), { kind: "received", message: { type: "askAgain" } }).page;
    const snapshot = (page: Page): Happening => ({ kind: "received", message: { type: "snapshot", tabId: "t1", bootId: "b1", seq: 1, asked: tabOf(page).seen.asked, conversation: emptyConversation(ELIZA, "/w") } });
    const shown = run(run(asking, snapshot(asking)).page, event(2, { type: "upsert", entry: { kind: "user", id: "m1", text: "hello" } })).page;
    const dead = run(shown, { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }) }).page;
    const late = run(dead, snapshot(asking)).page;
    deepEqual(tabOf(late).conversation.entries, [{ kind: "user", id: "m1", text: "hello" }]);
    const back = run(late, { kind: "received", message: stateMessage(["t1"]) }).page;
    equal(tabOf(run(back, snapshot(back)).page).phase, "live");
  });

  const form: Entry = { kind: "elicitation", id: "e", agent: "Eliza", message: "Who?", ask: { mode: "form", fields: [{ type: "text", name: "who", title: "Who", required: true }] } };
  const filledIn: Happening = { kind: "elicitationAnswered", tabId: "t1", elicitationId: "e", choice: { kind: "accept", values: { who: "me" } } };

  test("a form that was filled in goes to the host, may be given again after five seconds, and is forgotten when the sidecar has it", () => {
    const answered = run(livePage({ entries: [form] }), filledIn);
    deepEqual(answered.posts, [{ type: "answer-elicitation", tabId: "t1", elicitationId: "e", choice: { kind: "accept", values: { who: "me" } } }]);
    deepEqual(tabOf(answered.page).answering, [{ entryId: "e", since: 0 }]);
    equal(tabOf(run(answered.page, event(1, { type: "title", title: "still open" })).page).answering.length, 1);
    equal(tabOf(run(answered.page, { kind: "ticked" }, 5_000).page).answering.length, 0);
    equal(tabOf(run(answered.page, event(1, { type: "upsert", entry: { ...form, answered: { kind: "accepted" } } })).page).answering.length, 0);
  });

  test("what was filled in is in nothing that the page keeps", () =>
    ok(!JSON.stringify(saved(run(livePage({ entries: [form] }), { ...filledIn, choice: { kind: "accept", values: { who: "a secret" } } }).page)).includes("a secret")));

  test("a control that is chosen in a tab that is live goes to the host", () => {
    const chosen: Happening = { kind: "controlChosen", tabId: "t1", controlId: "model", value: "large" };
    const live = livePage();
    deepEqual(run(live, chosen).posts, [{ type: "set-option", tabId: "t1", controlId: "model", value: "large" }]);
    equal(run(live, chosen).page, live);
    const [restoredPage] = openPage(saved(live), 0, 0);
    deepEqual(run(restoredPage, chosen).posts, []);
    const restarting = run(live, { kind: "received", message: { type: "state", agents: [ELIZA], currentAgentId: ELIZA.id, tabs: ["t1"], sidecar: { state: "restarting", message: "Restarting." } } }).page;
    deepEqual(run(restarting, chosen).posts, []);
  });

  test("what terminals printed outlives the page and the sidecar with the tool call that shows it; none seems to run on", () => {
    const tool: Entry = { kind: "tool", id: "x", toolCallId: "c", title: "Run", toolKind: "execute", status: "completed", content: [{ kind: "terminal", terminalId: "t" }], locations: [] };
    const terminal = { terminalId: "t", command: "make", cwd: "/w", output: "done\n", isCut: false };
    const page = run(livePage({ entries: [tool] }), event(1, { type: "terminal", terminal })).page;
    const printed = { ...tool, content: [{ kind: "terminal", terminalId: "t", output: "done\n" }] };
    deepEqual(saved(page).tabs[0]?.entries, [printed]);
    const dead = run(page, { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }) }).page;
    deepEqual(tabOf(dead).conversation.terminals, [{ ...terminal, exit: {} }]);
    const asked = run(dead, { kind: "received", message: stateMessage(["t1"]) }).posts.flatMap(message => message.type === "webview-ready" ? message.tabs : []);
    deepEqual(asked[0]?.shown, [printed]);
  });

  test("the last prompt is sent again under an id of its own, and what is typed meanwhile stays; never while the agent answers", () => {
    const again: Happening = { kind: "actionChosen", tabId: "t1", action: "sendAgain", messageId: "m9" };
    const asked = livePage({ entries: [{ kind: "user", id: "m1", text: "first" }, { kind: "user", id: "m2", text: "second" }, { kind: "agent", id: "a", text: "half an" }] });
    const sent = run(run(asked, { kind: "typed", tabId: "t1", text: "draft" }).page, again);
    deepEqual(sent.posts, [{ type: "prompt", tabId: "t1", messageId: "m9", text: "second" }]);
    deepEqual(tabOf(sent.page).drafts, { text: "draft", onTheWay: [{ messageId: "m9", text: "second" }] });
    deepEqual(run(sent.page, { ...again, messageId: "m10" }).posts, []);
    deepEqual(run(livePage(), again).posts, []);
    deepEqual(run(asked, { ...again, action: "showLogs" }).posts, [{ type: "action", tabId: "t1", action: "showLogs" }]);
    const dead = run(asked, { kind: "received", message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }) }).page;
    deepEqual(run(dead, again).posts, []);
  });

  test("a change and a terminal are opened as the page has them; a terminal that it does not have is not", () => {
    const page = livePage({ terminals: [{ terminalId: "x", command: "make", cwd: "/w", output: "done", isCut: false, exit: { code: 0 } }] });
    deepEqual(run(page, { kind: "diffWanted", tabId: "t1", path: "/w/a", newText: "new" }).posts, [{ type: "open-diff", tabId: "t1", path: "/w/a", newText: "new" }]);
    deepEqual(run(page, { kind: "terminalWanted", tabId: "t1", terminalId: "x" }).posts, [{ type: "open-terminal", tabId: "t1", command: "make", output: "done", exit: { code: 0 } }]);
    deepEqual(run(page, { kind: "terminalWanted", tabId: "t1", terminalId: "y" }).posts, []);
  });

  test("controls and usage are what the session says, also in a snapshot, and none while it is unknown", () => {
    const controls = [{ kind: "switch", id: "s", name: "S", category: "", value: true }] as const, usage = { used: 1, size: 2 };
    const page = run(run(livePage(), event(1, { type: "controls", controls })).page, event(2, { type: "usage", usage })).page;
    deepEqual([tabOf(page).conversation.controls, tabOf(page).conversation.usage], [controls, usage]);
    deepEqual(tabOf(openPage(saved(page), 0, 0)[0]).conversation.controls, []);
  });

  test("an answer under way may be given again after five seconds, and is forgotten when the sidecar has it", () => {
    const question: Entry = { kind: "permission", id: "p", agent: "Eliza", toolEntryId: "x", title: "?", toolKind: "other", content: [], options: [] };
    const answered = run(livePage({ entries: [question] }), { kind: "answered", tabId: "t1", permissionId: "p", choice: { kind: "option", optionId: "o" } });
    deepEqual(answered.posts, [{ type: "answer-permission", tabId: "t1", permissionId: "p", choice: { kind: "option", optionId: "o" } }]);
    equal(tabOf(answered.page).answering.length, 1);
    equal(tabOf(run(answered.page, { kind: "ticked" }, 5_000).page).answering.length, 0);
    const confirmed = run(answered.page, event(1, { type: "upsert", entry: { ...question, answered: { kind: "cancelled", why: "." } } }));
    equal(tabOf(confirmed.page).answering.length, 0);
  });
});
