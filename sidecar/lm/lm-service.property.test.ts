/**
 * The service between a simulated VS Code and simulated agents with random behaviour. Each chat receives only the
 * output of its own agent, and every request is answered.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";
import fc from "fast-check";
import type { ChatRequest, RequestId } from "../../src/protocol/lm/lm";
import type { IncomingRequest } from "../rpc/peer";
import { arrayOr, objectOr, stringOr } from "../rpc/json";
import { chatOf, LmFixture } from "../testing/sessions/lm-fixture";
import type { SimulatedChat } from "./fixtures/simulated-chat";

const KINDS = [
  "ask",
  "ask",
  "back",
  "back",
  "cancel",
  "title",
  "compaction",
  "say",
  "say",
  "say",
  "tool",
  "tool",
  "permission",
  "decide",
  "end",
  "end",
  "quiet",
  "quiet",
  "late",
] as const;
type Move = readonly [kind: (typeof KINDS)[number], chat: number];
const moves = fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(2)), { minLength: 30, maxLength: 90, size: "max" });
const OPTIONS = [
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "no", kind: "reject_once", name: "No" },
];

interface ChatState {
  readonly name: string;
  readonly chat: SimulatedChat;
  open: RequestId | undefined;
  sent: number;
}
/** A session of the agent, and the chat whose text it has received. */
interface ServedSession {
  readonly chat: string;
  readonly index: number;
  prompt: IncomingRequest | undefined;
  readonly messages: number[];
}

class Play {
  readonly fixture = new LmFixture();
  readonly chats: readonly ChatState[] = ["a", "b", "c"].map(name => ({
    name,
    chat: chatOf(name),
    open: undefined,
    sent: 0,
  }));
  readonly #sessions = new Map<string, ServedSession>();
  readonly #requests: RequestId[] = [];
  #settled = 0;
  #asked = 0;
  #n = 0;

  async create([kind, which]: Move): Promise<void> {
    const chatState = this.chats[which];
    if (chatState) this.#move(kind, chatState);
    await this.fixture.settle();
    this.#handlePrompts();
    for (const each of this.chats) this.#took(each);
  }

  #move(kind: Move[0], chatState: ChatState): void {
    const { fixture } = this,
      served = [...this.#sessions.values()].findLast(({ chat }) => chat === chatState.name),
      n = ++this.#n;
    const sessionId = served && `s${served.index + 1}`,
      options = served ? fixture.offers.opened[served.index] : undefined;
    switch (kind) {
      case "ask":
        if (chatState.open !== undefined) return;
        chatState.chat.ask({ id: n, words: `words of ${chatState.name} ${n}`, rounds: [], isCut: false });
        return this.#send(chatState, chatState.chat.request());
      case "back":
        if (chatState.open !== undefined || chatState.chat.waitsFor.length === 0) return;
        for (const call of chatState.chat.waitsFor) call.result = `result ${n}`;
        return this.#send(chatState, chatState.chat.request());
      case "cancel":
        if (chatState.open !== undefined) fixture.service.handlers["lm/cancel"]({ requestId: chatState.open });
        return;
      case "late":
        fixture.service.handlers["lm/cancel"]({ requestId: n * 1000 });
        return;
      case "title":
        return void this.#requests.push(fixture.request(chatState.chat.side("title")));
      case "compaction":
        if (chatState.chat.turns.length > 0)
          this.#requests.push(fixture.request(chatState.chat.backgroundCompaction()));
        return;
      case "say":
        if (!served?.prompt || sessionId === undefined) return;
        served.messages.push(n);
        return fixture.agent.report(sessionId, `${chatState.name}${n}.`);
      case "tool":
        if (!options) return;
        this.#asked++;
        return void options.call("read", {}, new AbortController().signal).then(() => {
          this.#settled++;
        });
      case "permission":
        if (sessionId === undefined) return;
        this.#asked++;
        return void fixture.agent.peer
          .request("session/request_permission", {
            sessionId,
            toolCall: { toolCallId: `p${n}`, kind: "edit" },
            options: OPTIONS,
          })
          .then(() => {
            this.#settled++;
          });
      case "decide": {
        const questionId = fixture.questions.at(-1 - (n % 3));
        if (questionId !== undefined)
          void fixture.service.handlers["lm/decide"](
            { questionId },
            { aborted: false, addEventListener: () => undefined },
          );
        return;
      }
      case "end":
        served?.prompt?.respond({ stopReason: "end_turn" });
        if (served) served.prompt = undefined;
        return;
      case "quiet":
        return fixture.clock.advance(500);
    }
  }

  #send(chatState: ChatState, request: ChatRequest): void {
    const tools = [
      { name: "read", description: "" },
      { name: "symposium-agent-edit", description: "" },
    ];
    chatState.open = this.fixture.request({ ...request, options: { ...request.options, tools } });
    this.#requests.push(chatState.open);
  }

  /** Handles the prompts that the agents received. Asserts that each session receives prompts of one chat only. */
  #handlePrompts(): void {
    for (const agent of this.fixture.agents)
      for (const request of agent.taken("session/prompt")) {
        const { sessionId, prompt } = objectOr(request.params),
          id = stringOr(sessionId, ""),
          [, name = ""] = /^words of (\w)/.exec(stringOr(objectOr(arrayOr(prompt)[0]).text, "")) ?? [];
        const session = this.#sessions.get(id) ?? {
          chat: name,
          index: Number(id.slice(1)) - 1,
          prompt: undefined,
          messages: [],
        };
        equal(session.chat, name, "a session received prompts of two chats");
        equal(session.prompt, undefined, "two concurrent turns in a session");
        session.prompt = request;
        // An aborted prompt ends its turn.
        request.signal.addEventListener("abort", () => {
          session.prompt = undefined;
        });
        this.#sessions.set(id, session);
      }
    for (const agent of this.fixture.agents)
      for (const line of agent.received.splice(0)) {
        const [, id = ""] = /^cancel (\w+)$/.exec(line) ?? [],
          session = this.#sessions.get(id);
        session?.prompt?.respond({ stopReason: "cancelled" });
        if (session) session.prompt = undefined;
      }
  }

  /** Adds a complete answer to the chat. */
  #took(chatState: ChatState): void {
    if (chatState.open === undefined || !this.fixture.notifications.includes(`complete ${chatState.open}`)) return;
    const turn = this.fixture.took(chatState.chat, chatState.open);
    if (this.fixture.calls(chatState.open).length === 0) turn.isCut = false;
    chatState.open = undefined;
  }

  async end(): Promise<void> {
    const { fixture } = this;
    await fixture.service[Symbol.asyncDispose]();
    await fixture.pool[Symbol.asyncDispose]();
    await fixture.settle();
    equal(fixture.clock.waiting, 0, "a timer was leaked");
    equal(this.#settled, this.#asked, "a question is unanswered");
    for (const id of this.#requests) {
      const lines = fixture.notifications.flatMap((line, i) =>
        new RegExp(`^(${id}: |complete ${id}$|ok ${id}$|failed ${id}:)`).test(line) ? [{ line, i }] : [],
      );
      deepEqual(lines.filter(({ line }) => line.startsWith("complete")).length, 1, `request ${id} is complete once`);
      equal(lines.filter(({ line }) => /^(ok|failed)/.test(line)).length, 1, `request ${id} is answered once`);
      const end = lines.findIndex(({ line }) => line.startsWith("complete"));
      ok(
        lines.slice(end + 1).every(({ line }) => /^(ok|failed)/.test(line)),
        "a part behind the end",
      );
    }
    for (const { name } of this.chats) {
      const messages = [...this.#sessions.values()]
        .filter(({ chat }) => chat === name)
        .flatMap(session => session.messages);
      const shown = this.#requests
        .flatMap(id => [...fixture.text(id).matchAll(/([abc])(\d+)\./g)])
        .filter(([, of]) => of === name)
        .map(([, , n]) => Number(n));
      ok(
        shown.every(n => messages.includes(n)),
        "words of nobody",
      );
    }
    for (const { chat, name } of this.chats)
      for (const { rounds } of chat.turns)
        for (const { text } of rounds)
          for (const [, of] of text.matchAll(/([abc])\d+\./g)) equal(of, name, "a chat shows another's answer");
  }
}

const RUNS = Math.ceil(Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000) * 0.015);

suite("LmService, properties", () => {
  test("routes each session to one chat and settles each request once, for random events", async function () {
    this.timeout(timeLimit(120_000));
    await fc.assert(
      fc.asyncProperty(moves, async all => {
        const play = new Play();
        for (const each of all) await play.create(each);
        await play.end();
      }),
      { numRuns: RUNS },
    );
  });
});
