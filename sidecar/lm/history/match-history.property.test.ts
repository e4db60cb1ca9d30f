import { ok } from "node:assert/strict";
import fc from "fast-check";
import { Chronicle } from "../fixtures/session-records";
import { SimulatedChat, type Call, type Marks, type SimulatedTurn } from "../fixtures/simulated-chat";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

/** For longer runs: SYMPOSIUM_RUNS=300000 npm run hunt -- 10 sidecar/lm/history/match-history */
const RUNS = propertyRuns(2_000);

/** `i` selects a chat, and `k` a turn, an order or an amount. The few distinct user texts make the chats similar. */
type Action = { readonly i: number; readonly k: number; readonly words: string } & {
  readonly action: (typeof ACTIONS)[number];
};
const ACTIONS = [
  "open",
  "say",
  "say",
  "reply",
  "reply",
  "call",
  "results",
  "results",
  "stop",
  "fail",
  "edit",
  "retry",
  "fork",
  "compact",
  "compact in turn",
  "side",
  "background",
  "sub-agent",
  "switch",
  "restart",
  "again",
  "evict",
] as const;
const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.record({
    action: fc.constantFrom(...ACTIONS),
    i: fc.nat(5),
    k: fc.nat(7),
    words: fc.constantFrom("hi", "go on", "why?"),
  }),
  { minLength: 5, maxLength: 45 },
);

/** Simulates users and models, and tracks the turns in the memory of each session's agent. */
class Editor {
  readonly chronicle = new Chronicle();
  readonly chats: SimulatedChat[] = [];
  readonly #memory = new Map<string, readonly SimulatedTurn[]>();
  readonly #serving = new Map<SimulatedChat, string>();
  readonly #streaming = new Set<SimulatedChat>();
  /** Chats and models that have or had a session. */
  readonly #served = new Set<string>();
  readonly #lastModel = new Map<SimulatedChat, string>();
  readonly #callsOf = new Map<string, string>();
  #turns = 0;
  #calls = 0;

  constructor(private readonly marks: Marks) {}

  do({ action, i, k, words }: Action): void {
    if (action === "open" || this.chats.length === 0) return this.#open(words);
    if (action === "restart") return this.#restart();
    if (action === "evict") return this.chronicle.evict();
    const chat = this.chats[i % this.chats.length]!,
      isStreaming = this.#streaming.has(chat),
      isWaiting = chat.waitsFor.length > 0;
    if (chat.isSubAgent && !["reply", "call", "results", "stop", "fail", "compact in turn"].includes(action)) return;
    switch (action) {
      case "say":
        this.#cut(chat, k);
        return this.#report(chat, words, isWaiting && k !== 7 ? "results" : "next", k === 7);
      case "reply":
        return isStreaming ? this.#reply(chat, `answer ${k % 2}`) : undefined;
      case "call":
        return isStreaming ? this.#call(chat, 1 + (k % 3), k % 2 === 0 ? "" : "looking ") : undefined;
      case "results":
        return isWaiting ? this.#results(chat, k) : undefined;
      case "stop":
        return this.#cut(chat, k);
      case "fail":
        return isStreaming ? this.#cut(chat, 0) : undefined;
      case "edit":
        this.#cut(chat, k);
        this.#drop(chat, k % Math.max(1, chat.turns.length));
        return this.#report(chat, words, "words");
      case "retry": {
        const again = chat.last?.words ?? words;
        this.#cut(chat, k);
        this.#drop(chat, Math.max(0, chat.turns.length - 1));
        return this.#report(chat, again, "words");
      }
      case "fork":
        return isStreaming || isWaiting
          ? undefined
          : void this.chats.push(
              chat.fork(`chat-${this.chats.length}`, k % 3 === 0 ? k % (chat.turns.length + 1) : chat.turns.length),
            );
      case "compact":
        if (!isStreaming && !isWaiting && chat.turns.length > k % 2)
          chat.compacted = { before: chat.turns.length - (k % 2), rounds: undefined };
        return;
      case "compact in turn":
        if (isWaiting) {
          chat.compacted = { before: chat.turns.length - 1, rounds: chat.last!.rounds.length - 1 };
        }
        return;
      case "side":
        return this.#sideRequest(chat.side(k % 2 === 0 ? "title" : "summary"));
      case "background":
        return this.marks === "none" ? undefined : this.#sideRequest(chat.backgroundCompaction());
      case "sub-agent":
        return chat.waitsFor.some(({ id }) => this.#callsOf.has(id)) ? this.#subAgent(chat, words) : undefined;
      case "switch":
        if (!isStreaming && !isWaiting) chat.model = chat.model === "a" ? "b" : "a";
        return;
      case "again":
        return isStreaming && chat.last?.rounds.length === 0 ? this.#again(chat) : undefined;
    }
  }

  #open(words: string): void {
    const n = this.chats.length,
      chat = new SimulatedChat(`conversation-${n}`, `chat-${n}`, this.marks);
    this.chats.push(chat);
    this.#report(chat, words, "words");
  }

  /** Sessions of other models may contain the removed turns. */
  #drop(chat: SimulatedChat, index: number): void {
    chat.drop(index);
    for (const model of ["a", "b"]) this.#served.delete(`${chat.chatSession} ${model}`);
  }

  #report(chat: SimulatedChat, words: string, expected: "words" | "next" | "results", isLate = false): void {
    chat.ask({ id: ++this.#turns, words, rounds: [], isCut: false }, isLate);
    this.#ask(chat, expected);
  }

  /** Repeats a request while its response is streaming. The first session's turn then never ends. */
  #again(chat: SimulatedChat): void {
    chat.dropped.push(chat.last!);
    this.#ask(chat, "again");
  }

  #reply(chat: SimulatedChat, text: string): void {
    chat.last!.rounds.push({ text, calls: [] });
    const id = this.#serving.get(chat)!;
    this.chronicle.report(id, { type: "text", value: text });
    this.chronicle.end(id, "answered");
    this.#streaming.delete(chat);
  }

  #call(chat: SimulatedChat, count: number, text: string): void {
    const id = this.#serving.get(chat)!,
      calls = Array.from({ length: count }, (): Call => ({ id: `call ${++this.#calls}`, result: undefined }));
    chat.last!.rounds.push({ text, calls });
    this.chronicle.report(
      id,
      { type: "text", value: text },
      ...calls.map(call => ({ type: "tool_call", toolCallId: call.id, toolName: "read", parameters: {} }) as const),
    );
    this.chronicle.wait(id);
    for (const call of calls) this.#callsOf.set(call.id, id);
    this.#streaming.delete(chat);
  }

  /** Sends all or some of the results. */
  #results(chat: SimulatedChat, k: number): void {
    const waiting = chat.waitsFor;
    waiting.forEach((call, i) => {
      if (i === 0 || k % 3 !== i) call.result = `result of ${call.id}`;
    });
    const { calls } = chat.last!.rounds.at(-1)!;
    calls.splice(0, calls.length, ...calls.filter(({ result }) => result !== undefined));
    this.#ask(chat, "results");
  }

  /** Stops a streaming answer. VS Code keeps the text received so far. */
  #cut(chat: SimulatedChat, k: number): void {
    if (!this.#streaming.delete(chat)) return;
    const id = this.#serving.get(chat)!,
      text = "partly said";
    this.chronicle.report(id, { type: "text", value: text });
    this.chronicle.end(id, "cut");
    chat.last!.isCut = true;
    if (k > 0) chat.last!.rounds.push({ text: text.slice(0, k), calls: [] });
  }

  #sideRequest(request: Parameters<Chronicle["receive"]>[0]): void {
    const before = this.chronicle.sessions;
    const { session, kind } = this.chronicle.receive(request);
    ok(session === undefined && this.chronicle.sessions === before, `“${kind}” touched a session`);
  }

  #subAgent(parent: SimulatedChat, words: string): void {
    const agent = parent.subAgent(100 + ++this.#turns);
    this.chats.push(agent);
    this.#report(agent, words, "words");
  }

  #restart(): void {
    for (const chat of this.chats) this.#cut(chat, 0);
    this.chronicle.restart();
    this.#callsOf.clear();
  }

  /** Sends the chat's request and checks the matched session. */
  #ask(chat: SimulatedChat, expected: "words" | "next" | "results" | "again"): void {
    const history = chat.turns.slice(0, -1),
      answered = chat.last!.rounds.at(-1)?.calls ?? history.at(-1)?.rounds.at(-1)?.calls ?? [];
    const { kind, session } = this.chronicle.receive(chat.request());
    ok(session, kind);
    const memory = this.#memory.get(session.id) ?? [],
      owner = answered.map(({ id }) => this.#callsOf.get(id)).find(id => id !== undefined);
    if (this.marks !== "none")
      ok(session.conversationId === chat.conversationId, `${kind}: it is another conversation's`);
    for (const turn of memory)
      ok(isOf(turn, chat), `${kind}: the agent remembers turn ${turn.id} (“${turn.words}”), which is not of this chat`);
    if (kind.startsWith("resume")) ok(session.id === owner, `${kind}: the calls were another session's`);
    if (
      expected === "results" &&
      owner !== undefined &&
      this.chronicle.sessions.some(({ id, agent }) => id === owner && agent === session.agent) &&
      chat.last!.rounds.length > 0
    )
      ok(session.id === owner, `${kind}: it was ${owner} that waited`);
    const isSwitched = chat.compacted !== undefined && this.#lastModel.get(chat) !== chat.model;
    this.#lastModel.set(chat, chat.model);
    if (expected === "next" && this.marks === "all" && !isSwitched)
      ok(
        !kind.startsWith("new") || !this.#served.has(`${chat.chatSession} ${chat.model}`),
        `${kind}: the chat has a session`,
      );
    this.#served.add(`${chat.chatSession} ${chat.model}`);
    if (kind.includes("whole"))
      for (const turn of this.#memory.get(kind.split(" ")[1]!) ?? [])
        ok(isOf(turn, chat), `${kind}: turn ${turn.id} is not of the fork`);
    this.#remember(chat, session.id, memory);
  }

  #remember(chat: SimulatedChat, id: string, memory: readonly SimulatedTurn[]): void {
    for (const [other, served] of this.#serving) if (served === id && other !== chat) this.#streaming.delete(other);
    this.#memory.set(id, [...memory, ...chat.turns.filter(turn => !memory.includes(turn))]);
    this.#serving.set(chat, id);
    this.#streaming.add(chat);
  }
}

/**
 * Whether a session with this turn contains nothing that the chat lacks. Turns with equal content count as the same
 * turn.
 */
function isOf(turn: SimulatedTurn, { turns, dropped }: SimulatedChat): boolean {
  const all = [...turns, ...dropped],
    contentOf = (each: SimulatedTurn): string => JSON.stringify({ ...each, id: 0 });
  return (
    all.some(({ id }) => id === turn.id) || all.some(simulatedTurn => contentOf(simulatedTurn) === contentOf(turn))
  );
}

suite("history matching of concurrent chats", () => {
  const descriptions: Readonly<Record<Marks, string>> = {
    all: "all its marks",
    id: "nothing but a conversation's id",
    none: "no marks",
  };
  for (const marks of ["all", "id", "none"] as const)
    test(`never selects a wrong session for random user actions with ${descriptions[marks]}`, () =>
      fc.assert(
        fc.property(actions, all => {
          const editor = new Editor(marks);
          for (const action of all) editor.do(action);
        }),
        { numRuns: RUNS },
      ));
});
