import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ChatTool, RequestId } from "../../src/protocol/lm";
import { AgentConnection } from "../agents/connection";
import { AgentPool } from "../agents/pool";
import { objectOr, stringOr } from "../rpc/json";
import type { IncomingRequest } from "../rpc/peer";
import { FakeClock } from "../testing/fake-clock";
import { MemoryAgent } from "../testing/memory-agent";
import { QUIET_MS } from "./quiet";
import { SessionActor, type SessionStart, type SessionWord } from "./session-actor";
import { PENDING_MS, STOPPING_MS } from "./session-state";
import type { Recipient } from "./session-state-model";
import { ToolOffers, type ToolOffer } from "./tool-offer";
import { TOOLS_KEY } from "./tools-proxy";

const TOOLS: readonly ChatTool[] = ["lookUp", "count", "symposium-agent-execute"].map(name => ({ name, description: name, inputSchema: { type: "object", properties: {} } }));
const OPTIONS = [{ optionId: "yes", kind: "allow_once", name: "Yes" }, { optionId: "no", kind: "reject_once", name: "No" }];

class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly told: string[] = [];
  readonly words: SessionWord[] = [];
  readonly offers = new ToolOffers(() => undefined);
  readonly log: string[] = [];
  policy: "ask" | "allow" = "ask";
  readonly initialized: unknown = { protocolVersion: 1, agentCapabilities: { loadSession: true, promptCapabilities: { image: true }, sessionCapabilities: { close: {}, fork: {} } } };
  readonly pool = new AgentPool(async key => {
    equal(key.role, "lm");
    const agent = new MemoryAgent([...this.manual, "session/new", "session/load", "session/resume", "session/fork", "session/prompt"], this.initialized);
    this.agents.push(agent);
    return AgentConnection.connect(agent.channel, { name: "Ada", version: "1", protocol: 1, role: "lm", clock: this.clock, odd: () => undefined, lastWords: () => "", stop: async () => undefined });
  }, error => { throw error; });
  readonly session: SessionActor;
  /** To whom each prompt was made. */
  readonly recipients: Recipient[] = [];

  constructor(start: Partial<SessionStart> = {}, initialized?: unknown, private readonly manual: readonly string[] = []) {
    if (initialized !== undefined) this.initialized = initialized;
    this.session = new SessionActor(
      { id: "12345678-abcd", agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, cwd: "/w", begin: { kind: "new" }, tools: TOOLS, duplicates: false, isForeign: false, ...start },
      { clock: this.clock, pool: this.pool, offers: this.offers, policy: () => this.policy, log: (level, message, detail) => { this.log.push(message); if (level === "error" && message !== "Agent failed" && message !== "A prompt could not be made") throw new Error(`${message} ${JSON.stringify(detail)}`); }, tell: word => this.#hear(word) });
  }

  get agent(): MemoryAgent { return this.agents.at(-1)!; }

  #hear(word: SessionWord): void {
    this.words.push(word);
    switch (word.kind) {
      case "part": this.told.push(`${word.requestId}: ${"value" in word.part ? word.part.value : word.part.type === "tool_call" ? `[${word.part.toolName}]` : word.part.type}`); return;
      case "finished": this.told.push(`${word.goesOn ? "pause" : "end"} ${word.requestId}${word.error === undefined ? "" : ` (${word.error})`}`); return;
      case "turnOver": this.told.push(`${word.turn} ${word.how}`); return;
      default: return;
    }
  }

  /** Call ids of the response, the oldest first. */
  calls(requestId: RequestId): readonly string[] {
    return this.words.flatMap(word => word.kind === "part" && word.requestId === requestId && word.part.type === "tool_call" ? [word.part.toolCallId] : []);
  }

  get questionId(): string { return this.words.flatMap(word => word.kind === "asked" ? [word.questionId] : []).at(-1)!; }

  ask(requestId: RequestId, text = `words of ${requestId}`): void {
    this.session.ask({ requestId, blocks: to => { this.recipients.push(to); return [{ type: "text", text }]; } });
  }
  back(requestId: RequestId, ...ids: readonly string[]): void { this.session.resume(requestId, ids.map(callId => ({ callId, result: `result of ${callId.at(-1)}`, isError: false })), undefined); }

  /** Answers what opens a session; gives the offer that it names. */
  async open(method = "session/new"): Promise<{ readonly request: IncomingRequest; readonly offer: ToolOffer }> {
    const opening = async () => (await this.#agentThere()).next(method);
    const request = await opening();
    request.respond(method === "session/new" || method === "session/fork" ? { sessionId: "s" } : {});
    await this.settle();
    return { request, offer: this.offers.find(String(objectOr(objectOr(request.params)._meta)[TOOLS_KEY]))! };
  }

  async #agentThere(): Promise<MemoryAgent> {
    await this.settle();
    return this.agent;
  }

  async prompted(): Promise<IncomingRequest> {
    const request = await this.agent.next("session/prompt");
    await this.settle();
    return request;
  }

  async settle(): Promise<void> { for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve)); }
  async quiet(): Promise<void> { await this.settle(); this.clock.advance(QUIET_MS); await this.settle(); }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close("The test is over.");
    await this.pool[Symbol.asyncDispose]();
    await this.settle();
    equal(this.clock.waiting, 0, "a timer was leaked");
  }
}

const never = new AbortController().signal;
const callOf = async (offer: ToolOffer, name: string, signal = never) => stringOr(objectOr((await offer.call(name, {}, signal)).content[0]).text, "");
const permission = (agent: MemoryAgent, toolCallId: string, title = "rm -rf /") => agent.peer.request("session/request_permission", { sessionId: "s", toolCall: { toolCallId, title, kind: "execute", rawInput: { command: title } }, options: OPTIONS });

suite("a model's session", () => {
  test("asks its agent, passes on what it says, and ends with its turn", async () => {
    await using world = new World();
    world.ask(1);
    const { request } = await world.open(), prompt = await world.prompted();
    deepEqual([objectOr(request.params).cwd, objectOr(prompt.params).prompt, world.recipients], ["/w", [{ type: "text", text: "words of 1" }], [{ images: true, embedded: false, remembers: false }]]);
    world.agent.say("s", "Hello");
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    world.ask(2);
    (await world.prompted()).respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.told, ["1: Hello", "1 answered", "end 1", "2: Ada ended its turn without an answer.", "2 answered", "end 2"]);
    equal(world.recipients[1]?.remembers, true);
  });

  test("parallel calls of VS Code's tools go out together, and their results come back", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open(), prompt = await world.prompted();
    world.agent.say("s", "I look.");
    const answers = [callOf(offer, "lookUp"), callOf(offer, "count"), callOf(offer, "lookUp")];
    await world.quiet();
    deepEqual(world.told, ["1: I look.", "1: [lookUp]", "1: [count]", "1: [lookUp]", "pause 1"]);
    const ids = world.calls(1);
    for (const [i, id] of ids.entries()) match(id, new RegExp(`^sy1_12345678_[0-9a-f]{32}_${i + 1}$`));
    world.back(2, ...ids.toReversed());
    deepEqual(await Promise.all(answers), ["result of 1", "result of 2", "result of 3"]);
    world.agent.say("s", "Done.");
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.told.slice(5), ["2: Done.", "1 answered", "end 2"]);
  });

  test("words that are in the pipe before a call are before it", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    world.agent.say("s", "I look.");
    await world.quiet();
    deepEqual(world.told, ["1: I look.", "1: [lookUp]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("a call that was announced is waited for a little longer", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answers = [callOf(offer, "lookUp")];
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c2", title: "count", status: "pending", _meta: { claudeCode: { toolName: `mcp__${offer.server}__count` } } });
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    answers.push(callOf(offer, "count"));
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c3", title: "its own", status: "completed" });
    await world.quiet();
    deepEqual(world.told, ["1: [lookUp]", "1: [count]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await Promise.all(answers);
    world.agent.update("s", { sessionUpdate: "tool_call_update", toolCallId: "c2", status: "completed" });
    await world.settle();
    deepEqual(world.told.slice(3), ["2: ✓ its own"]);
  });

  test("the end of a call announces none", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c0", title: "count", status: "completed", name: `mcp__${offer.server}__count` });
    await world.settle();
    world.clock.advance(1);
    await world.settle();
    deepEqual(world.told, ["1: [lookUp]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("words of the next turn begin without a paragraph before them", async () => {
    await using world = new World();
    world.ask(1);
    await world.open();
    const first = await world.prompted();
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c0", title: "count", status: "completed" });
    first.respond({ stopReason: "end_turn" });
    await world.settle();
    world.ask(2);
    await world.prompted();
    world.agent.say("s", "Hello");
    await world.settle();
    equal(world.told.at(-1), "2: Hello");
  });

  test("what comes of a session that was left is not heard, and answered", async () => {
    await using world = new World();
    const holding = new AbortController(); // another chat has the same process
    const { request: first } = await (async () => {
      world.ask(1);
      await world.pool.acquire({ agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, cwd: "/w", protocol: 1, role: "lm" }, holding.signal);
      await world.open();
      return { request: await world.prompted() };
    })();
    world.session.cancel(1);
    await world.settle();
    equal(world.clock.waiting, 1, "only the stop is waited for");
    world.clock.advance(STOPPING_MS);
    await world.settle();
    world.ask(2);
    await world.settle();
    (await world.agent.next("session/new")).respond({ sessionId: "t" });
    await world.settle();
    await world.prompted();
    first.respond({ stopReason: "end_turn" });
    world.agent.say("t", "Hello");
    await world.settle();
    deepEqual(world.told.slice(-1), ["2: Hello"]);
    equal(world.agents.length, 1);
    holding.abort();
  });

  test("a watch that was ended is not over, also when its time comes in the same moment", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    world.session.resume(2, world.calls(1).map(callId => ({ callId, result: "x", isError: false })), { requestId: 2, blocks: () => [] });
    world.clock.advance(PENDING_MS);
    await answer;
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    ok(!world.agent.heard.includes("session/close"));
  });

  test("one that is left while others start the same agent opens no session there", async () => {
    const world = new World({}, undefined, ["initialize"]);
    const holding = new AbortController();
    const other = world.pool.acquire({ agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, cwd: "/w", protocol: 1, role: "lm" }, holding.signal);
    await world.settle();
    const initialize = await world.agent.next("initialize");
    await world.session.close("over");
    initialize.respond({ protocolVersion: 1, agentCapabilities: {} });
    await other;
    await world.settle();
    deepEqual(world.agent.heard, ["initialize"]);
    holding.abort();
    await world.pool[Symbol.asyncDispose]();
  });

  test("an agent that cannot open a session fails the request, and is let go of", async () => {
    await using world = new World();
    world.ask(1);
    await world.settle();
    const { agent } = world;
    (await agent.next("session/new")).fail(new Error("no keys"));
    await world.settle();
    match(world.told[0]!, /^end 1 \(Ada answered with an error: .*no keys/);
    equal(agent.heard.at(-1), "closed");
  });

  test("a call that nobody waits for is withdrawn, and its result no stranger's", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open(), gone = new AbortController();
    await world.prompted();
    const answer = callOf(offer, "lookUp", gone.signal);
    await world.quiet();
    gone.abort();
    await answer;
    await world.settle();
    world.agent.say("s", "Never mind.");
    world.back(2, ...world.calls(1));
    await world.settle();
    deepEqual(world.told.slice(2), ["2: Never mind."]);
  });

  test("one that is withdrawn before it was shown is not shown", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open(), gone = new AbortController();
    await world.prompted();
    const first = callOf(offer, "lookUp");
    await world.quiet();
    const second = callOf(offer, "count", gone.signal);
    await world.settle();
    gone.abort();
    await second;
    world.back(2, ...world.calls(1));
    await first;
    await world.quiet();
    deepEqual(world.told, ["1: [lookUp]", "pause 1"]);
  });

  test("a permission is asked by a call of our tool, and given by the decision alone, once", async () => {
    await using world = new World();
    world.ask(1);
    await world.open();
    await world.prompted();
    const first = permission(world.agent, "p1"), second = permission(world.agent, "p2", "ls");
    await world.settle();
    const [one, two] = world.words.flatMap(word => word.kind === "asked" ? [word] : []);
    await world.quiet();
    deepEqual(world.told, ["1: [symposium-agent-execute]", "1: [symposium-agent-execute]", "pause 1"]);
    deepEqual([one?.callId, two?.callId], world.calls(1));
    match(one!.question.message, /rm -rf/);
    const taken: boolean[] = [];
    world.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    world.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    world.session.decide("unknown", isTaken => taken.push(isTaken));
    await world.settle();
    deepEqual(taken, [true, false, false]);
    deepEqual(await first, { outcome: { outcome: "selected", optionId: "yes" } });
    world.back(2, ...world.calls(1));
    deepEqual(await second, { outcome: { outcome: "selected", optionId: "no" } });
    deepEqual(world.words.flatMap(word => word.kind === "settled" ? [word.questionId] : []), [one!.questionId, two!.questionId]);
  });

  test("a permission is refused outside of a turn, and where nobody can be asked, with a sentence in the chat", async () => {
    await using world = new World({ tools: [] });
    world.ask(1);
    await world.open();
    const prompt = await world.prompted();
    deepEqual(await permission(world.agent, "p1"), { outcome: { outcome: "selected", optionId: "no" } });
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    match(world.told[0]!, /^1: Ada asked to .* VS Code can ask you only in agent mode/);
    world.policy = "allow";
    deepEqual(await permission(world.agent, "p2"), { outcome: { outcome: "cancelled" } });
  });

  test("what the settings allow is allowed; a foreign caller's agent is refused all the same", async () => {
    for (const [isForeign, optionId] of [[false, "yes"], [true, "no"]] as const) {
      await using world = new World({ isForeign });
      world.policy = "allow";
      world.ask(1);
      await world.open();
      await world.prompted();
      deepEqual(await permission(world.agent, "p1"), { outcome: { outcome: "selected", optionId } });
    }
  });

  test("a permission for a tool of VS Code's is given at once: VS Code asks", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = await world.agent.peer.request("session/request_permission", { sessionId: "s", toolCall: { toolCallId: "x", _meta: { claudeCode: { toolName: `mcp__${offer.server}__lookUp` } } }, options: OPTIONS });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
    deepEqual(world.told, []);
  });

  test("a question that the agent takes back is not decided", async () => {
    await using world = new World();
    world.ask(1);
    await world.open();
    await world.prompted();
    const asking = world.agent.peer.call("session/request_permission", { sessionId: "s", toolCall: { toolCallId: "p1", kind: "execute" }, options: OPTIONS }, () => undefined);
    await world.settle();
    ok(world.questionId !== undefined);
    asking.cancel();
    await world.settle();
    let taken: boolean | undefined;
    world.session.decide(world.questionId, isTaken => { taken = isTaken; });
    await world.settle();
    equal(taken, false);
  });

  test("cancelling stops the agent and refuses its calls; one that does not stop is left, and the next words go to a new session of it", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    await world.settle();
    world.session.cancel(1);
    equal(await answer, "The user stopped the turn.");
    world.ask(2);
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    deepEqual(world.told, ["1: [lookUp]", "end 1", "1 cut"]);
    world.clock.advance(STOPPING_MS);
    await world.settle();
    // The process ended with its only user; the next one is a process of its own.
    equal(await callOf(offer, "lookUp"), "This chat has ended: VS Code's tools cannot be used any more.");
    await world.open();
    await world.prompted();
    deepEqual(world.recipients.map(({ remembers }) => remembers), [false, false]);
  });

  test("calls to which nobody comes back are refused in the end", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open(), prompt = await world.prompted(), answer = callOf(offer, "lookUp");
    await world.quiet();
    world.clock.advance(PENDING_MS - 1);
    await world.settle();
    equal(world.told.length, 2);
    world.clock.advance(1);
    equal(await answer, "The user stopped the turn.");
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    prompt.respond({ stopReason: "cancelled" });
    await world.settle();
    deepEqual(world.told.slice(2), ["1 cut"]);
  });

  test("results that came back end the watch over them", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    world.back(2, ...world.calls(1));
    await answer;
    await world.settle();
    equal(world.clock.waiting, 0);
  });

  test("an agent that dies fails the request; the next one loads its session, and hears nothing of what is told again", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    await world.agent.die();
    await world.settle();
    match(await callOf(offer, "lookUp"), /This chat has ended/);
    deepEqual(world.told, ["1 cut", "end 1 (The other side closed the connection.)"]);
    world.ask(2);
    await world.settle();
    const load = await world.agent.next("session/load");
    world.agent.say("s", "What was said before.");
    equal(objectOr(load.params).sessionId, "s");
    ok(typeof objectOr(objectOr(load.params)._meta)[TOOLS_KEY] === "string");
    load.respond({});
    await world.settle();
    await world.prompted();
    world.agent.say("s", "Hello");
    await world.settle();
    deepEqual(world.told.slice(2), ["2: Hello"]);
    deepEqual(world.recipients.map(({ remembers }) => remembers), [false, true]);
  });

  test("a session that cannot be loaded is a new one, that does not remember", async () => {
    await using world = new World({ begin: { kind: "again", agentSession: "old" } });
    world.ask(1);
    await world.settle();
    (await world.agent.next("session/load")).fail(new Error("no such session"));
    await world.open();
    await world.prompted();
    deepEqual(world.recipients.map(({ remembers }) => remembers), [false]);
  });

  test("a fork of an agent's session remembers; where the agent cannot fork it is a new one", async () => {
    {
      await using world = new World({ begin: { kind: "fork", agentSession: "old" } });
      world.ask(1);
      const { request } = await world.open("session/fork");
      equal(objectOr(request.params).sessionId, "old");
      await world.prompted();
      deepEqual(world.recipients.map(({ remembers }) => remembers), [true]);
    }
    await using world = new World({ begin: { kind: "fork", agentSession: "old" } }, { protocolVersion: 1 });
    world.ask(1);
    await world.open();
    await world.prompted();
    deepEqual(world.recipients.map(({ remembers }) => remembers), [false]);
  });

  test("an agent that says too much between requests is not read until the next", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    let sent = 0;
    for (let i = 0; i < 30; i++) {
      for (let n = 0; n < 100; n++) {
        const text = `${++sent}.`;
        world.agent.update("s", { sessionUpdate: sent % 2 === 0 ? "agent_thought_chunk" : "agent_message_chunk", content: { type: "text", text } });
      }
      await world.settle();
    }
    let isThrough = false;
    void world.agent.peer.drained().then(() => { isThrough = true; });
    await world.settle();
    equal(isThrough, false, "the agent is read on");
    world.back(2, ...world.calls(1));
    await answer;
    await world.settle();
    equal(isThrough, true);
    const numbers = world.told.filter(word => word.startsWith("2: ")).flatMap(word => [...word.matchAll(/(\d+)\./g)].map(([, n]) => Number(n)));
    deepEqual(numbers, Array.from({ length: sent }, (_, i) => i + 1));
  });

  test("tools that are switched off are refused, new ones can be called", async () => {
    await using world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    world.session.offer([{ name: "other", description: "", inputSchema: { type: "object" } }], false);
    await world.settle();
    match(await callOf(offer, "lookUp"), /was not run/);
    const answer = callOf(offer, "other");
    await world.quiet();
    deepEqual(world.told, ["1: [other]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("a prompt that cannot be made fails its request", async () => {
    await using world = new World();
    world.session.ask({ requestId: 1, blocks: () => { throw new Error("bug"); } });
    await world.open();
    deepEqual(world.told, ["1 cut", "end 1 (Symposium could not make a prompt of this message. See the log.)"]);
  });

  test("closing answers everybody and lets go of the agent; what comes later is answered, too", async () => {
    const world = new World();
    world.ask(1);
    const { offer } = await world.open();
    await world.prompted();
    const answer = callOf(offer, "lookUp"), asking = permission(world.agent, "p1");
    await world.settle();
    await world.session.close("The window is closed.");
    world.ask(2);
    let taken: boolean | undefined;
    world.session.decide(world.questionId, isTaken => { taken = isTaken; });
    equal(await answer, "The user stopped the turn.");
    deepEqual(await asking, { outcome: { outcome: "selected", optionId: "no" } });
    equal(taken, false);
    await world.settle();
    deepEqual(world.agent.heard.slice(-3), ["cancel s", "session/close", "closed"]);
    deepEqual(world.told.slice(2), ["end 1 (The window is closed.)", "1 cut", "end 2 (This chat's session was closed. Send the message again.)"]);
    equal(world.clock.waiting, 0);
    await world.pool[Symbol.asyncDispose]();
  });

  test("one that is closed while its agent starts lets go of it", async () => {
    const world = new World();
    world.ask(1);
    await world.settle();
    const opening = await world.agent.next("session/new");
    await world.session.close("over");
    opening.respond({ sessionId: "s" });
    await world.settle();
    deepEqual(world.told, ["end 1 (over)"]);
    deepEqual(world.agent.heard.filter(method => method !== "initialize"), ["session/new", "closed"]);
    equal(world.clock.waiting, 0);
  });
});
