import { deepEqual, equal, ok } from "node:assert/strict";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import fc from "fast-check";
import type { ChatPart } from "../../../src/protocol/lm/lm";
import { NO_CONTEXT } from "../history/chat-context";
import {
  HELD_CHARACTERS,
  HELD_EVENTS,
  type ModelSessionEffect,
  type Held,
  type Question,
  type ModelSessionEvent,
  type ModelSessionState,
} from "./session-state-model";
import { startModelSession, stepModelSession } from "./session-state";

/** The possible next events. Numbers count backwards: 0 is the newest question or request. */
type Plain =
  | "say"
  | "think"
  | "usage"
  | "tool"
  | "permission"
  | "end"
  | "fail"
  | "die"
  | "quiet"
  | "overdue"
  | "takenBack"
  | "ask"
  | "again"
  | "opened"
  | "openFailed";
type Move =
  | { readonly kind: Plain }
  | { readonly kind: "withdrew" | "decided" | "cancel"; readonly back: number }
  | { readonly kind: "back"; readonly backs: readonly number[]; readonly hasWords: boolean };

const plain = (...kinds: Plain[]) => fc.constantFrom(...kinds).map((kind): Move => ({ kind }));
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: plain("say", "say", "say", "think", "usage", "tool", "tool", "permission", "quiet", "quiet"),
  },
  {
    weight: 2,
    arbitrary: plain("end", "fail", "die", "overdue", "takenBack", "opened", "openFailed", "ask", "ask", "again"),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("withdrew" as const, "decided" as const, "decided" as const, "cancel" as const),
      back: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("back" as const),
      backs: fc.array(fc.nat(4), { maxLength: 5 }),
      hasWords: fc.boolean(),
    }),
  },
);

/** Drives the state machine and checks the invariants in its header. */
class InvariantChecker {
  #state: ModelSessionState;
  #n = 0;
  readonly #effects: (readonly ModelSessionEffect[])[] = [];
  readonly requests: number[] = [];
  readonly finished: number[] = [];
  readonly questions: (Question & { readonly at: number })[] = [];
  readonly settled: string[] = [];
  /** Numbers of the sent texts, in order, and of those that were emitted or discarded. */
  readonly messages: number[] = [];
  readonly emitted: number[] = [];
  readonly discarded: number[] = [];
  /** The text sent in the current round, as VS Code received it. */
  #round: string[] = [];
  #askedHost = new Map<string, number>();
  #hasAsked = new Set<number>();
  /** The agent's state. */
  #turn: "none" | "open" | "stopping" = "none";
  #isOpen = false;
  turns = 0;
  turnsOver = 0;
  #watch: number | undefined;
  #isPaused = false;

  constructor() {
    const [state, effects] = startModelSession("Ada");
    this.#state = state;
    for (const effect of effects) this.#checkEffect(effect, undefined);
  }

  get state(): ModelSessionState {
    return this.#state;
  }

  happen(move: Move): void {
    const event = this.#eventOf(move);
    if (event) this.#step(event);
  }

  close(): void {
    this.#step({ kind: "closed", message: "closed" });
  }

  #eventOf(move: Move): ModelSessionEvent | undefined {
    const n = ++this.#n,
      prompt = { requestId: n, text: "", context: () => NO_CONTEXT, namesTools: () => false, blocks: () => [] };
    switch (move.kind) {
      case "say":
      case "think":
      case "usage":
        // An agent sends nothing before its session is open, or after it exited.
        if (!this.#isOpen) return undefined;
        this.messages.push(n);
        return {
          kind: "spoke",
          part:
            move.kind === "usage"
              ? { type: "data", mimeType: "usage", data: `${n}.` }
              : { type: move.kind === "say" ? "text" : "thinking", value: `${n}.` },
        };
      case "tool":
      case "permission": {
        if (!this.#isOpen) return undefined;
        const question: Question = { callId: `q${n}`, kind: move.kind, toolName: "t", parameters: {} };
        this.questions.push({ ...question, at: n });
        return { kind: "asked", question };
      }
      case "end":
      case "fail":
        if (this.#turn === "none" || !this.#isOpen) return undefined;
        this.#turn = "none";
        return {
          kind: "turnEnded",
          outcome:
            move.kind === "end" ? { kind: "stopped", reason: "end_turn" } : { kind: "failed", message: "failed" },
        };
      case "die":
        if (!this.#isOpen) return undefined;
        [this.#isOpen, this.#turn] = [false, "none"];
        return { kind: "agentDown", message: "died" };
      case "opened":
      case "openFailed":
        if (this.#state.phase.kind !== "opening") return undefined;
        this.#isOpen = move.kind === "opened";
        return move.kind === "opened" ? { kind: "opened" } : { kind: "openFailed", message: "not there" };
      case "quiet":
        return { kind: "quiet" };
      case "takenBack":
        return { kind: "takenBack" };
      case "overdue":
        return this.#watch === undefined ? undefined : { kind: "overdue" };
      case "ask":
        this.requests.push(n);
        return { kind: "prompted", prompt };
      case "again":
        this.requests.push(n);
        return { kind: "repeated", requestId: n };
      case "back":
        this.requests.push(n);
        return {
          kind: "resumed",
          requestId: n,
          results: move.backs.map(back => ({
            callId: this.questions.at(-1 - back)?.callId ?? "q0",
            result: n,
            isError: false,
          })),
          prompt: move.hasWords ? prompt : undefined,
        };
      case "withdrew":
      case "decided":
        return { kind: move.kind, callId: this.questions.at(-1 - move.back)?.callId ?? "q0" };
      case "cancel":
        return { kind: "cancelled", requestId: this.requests.at(-1 - move.back) ?? 0 };
    }
  }

  #step(event: ModelSessionEvent): void {
    const [next, effects] = stepModelSession(this.#state, event);
    this.#effects.push(effects);
    if (event.kind === "repeated") this.#checkRepeat(effects, event.requestId);
    for (const effect of effects) this.#checkEffect(effect, event);
    this.#state = next;
    this.#checkInvariants(event);
  }

  /** A repeated answer contains the text of the round and nothing else. */
  #checkRepeat(effects: readonly ModelSessionEffect[], requestId: unknown): void {
    const again = effects
      .flatMap(effect => (effect.kind === "emit" && effect.requestId === requestId ? [agentText(effect.part)] : []))
      .join("");
    ok(
      again === this.#round.join("") || this.#state.reply.isEmpty || this.#state.phase.kind === "closed",
      `repeated ${again} instead of ${this.#round.join("")}`,
    );
  }

  #checkEffect(effect: ModelSessionEffect, event: ModelSessionEvent | undefined): void {
    switch (effect.kind) {
      case "open":
        ok(!this.#isOpen, "opened twice");
        return;
      case "prompt":
        ok(this.#isOpen && this.#turn === "none", "two turns at once");
        this.#turn = "open";
        this.turns++;
        return;
      case "turnOver":
        this.turnsOver++;
        return;
      case "cancelAgent":
        equal(this.#turn, "open", "stopped twice, or nothing");
        this.#turn = "stopping";
        return;
      case "leave":
        [this.#isOpen, this.#turn] = [false, "none"];
        return;
      case "emit":
        return this.#emitted(Number(effect.requestId), effect.part, event);
      case "askHost": {
        this.#checkRequest(Number(effect.requestId));
        ok(!this.settled.includes(effect.question.callId), "asked after it was settled");
        ok(!this.#askedHost.has(effect.question.callId), "asked twice");
        this.#askedHost.set(effect.question.callId, Number(effect.requestId));
        this.#hasAsked.add(Number(effect.requestId));
        this.#round.push(effect.question.callId);
        return;
      }
      case "finish":
        this.finished.push(Number(effect.requestId));
        return;
      case "answer": {
        const question = this.questions.find(({ callId }) => callId === effect.callId);
        if (effect.answer.kind === "allowed")
          ok(
            event?.kind === "decided" && event.callId === effect.callId && question?.kind === "permission",
            "allowed without a decision",
          );
        if (effect.answer.kind === "result")
          ok(
            event?.kind === "resumed" &&
              question?.kind === "tool" &&
              event.results.some(({ callId }) => callId === effect.callId),
            "answered without a result",
          );
        this.settled.push(effect.callId);
        return;
      }
      case "discard":
        this.discarded.push(...numbers(effect.part));
        return;
      case "watch":
        this.#watch = effect.ms;
        return;
      case "unwatch":
        ok(this.#watch !== undefined);
        this.#watch = undefined;
        return;
      case "pause":
      case "release":
        equal(this.#isPaused, effect.kind === "release");
        this.#isPaused = effect.kind === "pause";
        return;
      case "unexpected":
        throw new Error(effect.what);
      case "awaitQuiet":
        return;
    }
  }

  #emitted(requestId: number, part: ChatPart, event: ModelSessionEvent | undefined): void {
    this.#checkRequest(requestId);
    if (event?.kind === "repeated") return;
    for (const n of numbers(part)) {
      ok(!this.#hasAsked.has(requestId), "words behind a question of the same response");
      for (const { callId, at } of this.questions)
        ok(at > n || this.settled.includes(callId) || this.#askedHost.has(callId), `${n} overtook ${callId}`);
      this.emitted.push(n);
    }
    this.#round.push(agentText(part));
  }

  #checkRequest(requestId: number): void {
    ok(this.requests.includes(requestId) && !this.finished.includes(requestId), `nobody listens to ${requestId}`);
  }

  /** Checks the invariants that hold between any two events. */
  #checkInvariants(event: ModelSessionEvent): void {
    const { phase } = this.#state,
      held = "held" in phase ? phase.held : undefined;
    equal(
      this.#watch !== undefined,
      phase.kind === "blocked" || phase.kind === "cancelling",
      "a phase that waits has a limit",
    );
    if (event.kind === "quiet")
      ok(phase.kind !== "streaming" || phase.open.size + phase.settled.size === 0, "a response with questions goes on");
    if (phase.kind === "streaming")
      ok(!phase.held.events.some(({ kind }) => kind !== "spoke"), "a question waits while its response is open");
    const open = this.requests.filter(id => !this.finished.includes(id));
    const expected =
      phase.kind === "streaming"
        ? [phase.requestId]
        : (phase.kind === "opening" || phase.kind === "cancelling") && phase.waiting
          ? [phase.waiting.requestId]
          : [];
    deepEqual(open, expected, "requests that wait");
    equal(
      this.turns - this.turnsOver,
      phase.kind === "streaming" || phase.kind === "blocked" ? 1 : 0,
      "turns that go on",
    );
    const waiting =
      phase.kind === "streaming" || phase.kind === "blocked" ? [...phase.open.keys(), ...questionsIn(phase.held)] : [];
    deepEqual(
      this.questions
        .map(({ callId }) => callId)
        .filter(id => !this.settled.includes(id))
        .toSorted(),
      waiting.toSorted(),
      "questions that wait",
    );
    deepEqual(
      [...this.emitted, ...this.discarded, ...(held ? textNumbersIn(held) : [])].toSorted((a, b) => a - b),
      this.messages,
      "a text was lost or duplicated",
    );
    if (held) ok(held.events.length <= HELD_EVENTS + 1 && held.characters <= HELD_CHARACTERS);
    this.#startRound(event);
  }

  /** Starts a round if a request continues a turn or starts one. */
  #startRound(event: ModelSessionEvent): void {
    const last = this.#effects.at(-1) ?? [],
      prompt = last.find(effect => effect.kind === "prompt"),
      { phase } = this.#state;
    const isNext =
      event.kind === "resumed" &&
      event.prompt === undefined &&
      !last.some(effect => effect.kind === "emit" && shown(effect.part).includes("no longer waits"));
    const requestId = prompt?.prompt.requestId ?? (isNext ? event.requestId : undefined);
    if (requestId === undefined || phase.kind === "opening") return;
    this.#round = last.flatMap(effect =>
      effect.kind === "emit" && effect.requestId === requestId
        ? [agentText(effect.part)]
        : effect.kind === "askHost"
          ? [effect.question.callId]
          : [],
    );
  }
}

function shown(part: ChatPart): string {
  return part.type === "text" || part.type === "thinking"
    ? part.value
    : part.type === "data"
      ? part.data
      : part.type === "tool_call"
        ? part.toolCallId
        : "";
}
/** The part's content without Symposium's own messages. */
function agentText(part: ChatPart): string {
  return part.type === "tool_call"
    ? part.toolCallId
    : numbers(part)
        .map(n => `${n}.`)
        .join("");
}
function numbers(part: ChatPart): readonly number[] {
  return part.type === "tool_call" ? [] : [...shown(part).matchAll(/(\d+)\./g)].map(([, n]) => Number(n));
}
function textNumbersIn({ events }: Held): readonly number[] {
  return events.flatMap(event => (event.kind === "spoke" ? numbers(event.part) : []));
}
function questionsIn({ events }: Held): readonly string[] {
  return events.flatMap(event => (event.kind === "asked" ? [event.question.callId] : []));
}

const RUNS = Math.ceil(Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000) * 0.3);

suite("SessionActor state, properties", () => {
  test("settles each request and question once and loses or reorders nothing in any event order", function () {
    this.timeout(timeLimit(120_000));
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), moves => {
        const witness = new InvariantChecker();
        witness.happen({ kind: "opened" });
        for (const each of moves) witness.happen(each);
        witness.close();
        equal(witness.state.phase.kind, "closed");
        deepEqual(
          witness.finished.toSorted((a, b) => a - b),
          witness.requests,
          "each request is finished once",
        );
        deepEqual(
          witness.settled.toSorted(),
          witness.questions.map(({ callId }) => callId).toSorted(),
          "each question is settled once",
        );
        deepEqual(
          witness.emitted,
          witness.emitted.toSorted((a, b) => a - b),
          "texts in another order",
        );
        deepEqual(
          [...witness.emitted, ...witness.discarded].toSorted((a, b) => a - b),
          witness.messages,
          "each text was emitted or discarded",
        );
        equal(witness.turns, witness.turnsOver);
      }),
      { numRuns: RUNS },
    );
  });
});
