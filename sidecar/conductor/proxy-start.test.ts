/** The start of a proxy under every order of events: the neighbours are played, and nothing is believed but what they see. */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { Frame } from "../rpc/frame";
import { SPELLINGS, startStep, type Answer, type Ask, type StartEffect, type StartEvent, type StartState } from "./proxy-start";

/** More, to hunt: SYMPOSIUM_RUNS=100000 npm run hunt -- 10 sidecar/conductor/proxy-start */
const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);

const VERSION = 1;
const NOT_FOUND = { code: -32601, message: "?" }, NO = { code: -1, message: "no" };

const ask = (id: number, version = VERSION): Ask => ({ id, version, frame: Frame.of({ jsonrpc: "2.0", id, method: "initialize", params: { protocolVersion: version } }) });
const answer = (id: number, error?: typeof NO, version = VERSION): Answer => error
  ? { frame: Frame.of({ jsonrpc: "2.0", id, error }), version: undefined, error }
  : { frame: Frame.of({ jsonrpc: "2.0", id, result: { protocolVersion: version } }), version };
const idOf = (frame: Frame): number => { const { envelope } = frame; return envelope.kind === "notification" ? -1 : Number(envelope.id); };

/** What one of the neighbours may do next; what makes no sense when its turn comes is skipped. */
type Move =
  | { readonly do: "ask" | "late" | "die" }
  | { readonly do: "proxy answers" | "successor answers"; readonly how: "yes" | "no" | "unknown" | "another version" }
  | { readonly do: "proxy forwards"; readonly version: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move>({ do: "ask" }) },
  { weight: 1, arbitrary: fc.constantFrom<Move>({ do: "late" }, { do: "die" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("proxy answers" as const, "successor answers" as const), how: fc.constantFrom("yes" as const, "yes" as const, "no" as const, "unknown" as const, "another version" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("proxy forwards" as const), version: fc.constantFrom(VERSION, VERSION, VERSION, 2) }) },
);

/** Half of the stories begin well, or hardly any would end well. */
const story = fc.oneof(
  fc.array(move, { maxLength: 14, size: "max" }),
  fc.tuple(fc.nat(4), fc.array(move, { maxLength: 8, size: "max" })).map(([length, rest]) => [...GOOD.slice(0, length), ...rest]),
);
const GOOD: readonly Move[] = [{ do: "ask" }, { do: "proxy forwards", version: VERSION }, { do: "successor answers", how: "yes" }, { do: "proxy answers", how: "yes" }];

/** The client, the proxy and the successor around one `startStep`, as proxy-stage.ts connects them. */
class Neighbours {
  state: StartState = { kind: "waiting" };
  /** What the client has asked and not heard. */
  readonly open = new Set<number>();
  readonly answeredAsks: number[] = [];
  /** Under the id of `initialize`: how often the proxy is to answer it. */
  readonly atProxy: number[] = [];
  /** What the successor has been asked by the proxy, and by us. */
  readonly atSuccessor: number[] = [];
  /** Of the present attempt: how often the successor was asked. */
  asked = 0;
  forwards = new Set<number>();
  watched = false;
  alive = true;
  bypasses = 0;
  successorSaidYes = false;
  #lastId = 0;

  play(move: Move): void {
    switch (move.do) {
      case "ask": return this.#ask();
      case "late": if (this.watched) this.#step({ kind: "late", seconds: 30 }); return;
      case "die": if (this.alive && this.state.kind !== "bypassed" && this.state.kind !== "ready") { this.alive = false; this.#step({ kind: "died", why: "p died.", cause: undefined }); } return;
      case "proxy forwards": if (this.alive && this.state.kind === "asked") this.#forward(move.version); return;
      case "proxy answers": return this.#proxyAnswers(move.how);
      case "successor answers": return this.#successorAnswers(move.how);
    }
  }

  /** Everybody does what is still to be done: nobody may be left waiting. */
  finish(): void {
    for (let i = 0; i < 10 && this.open.size > 0; i++) {
      if (this.atSuccessor.length > 0) this.#successorAnswers("yes");
      else if (this.watched) this.play({ do: "late" });
      else break;
    }
  }

  #ask(): void {
    if (this.open.size > 0 || this.state.kind === "ready") return;
    this.asked = 0;
    this.successorSaidYes = false;
    const id = ++this.#lastId;
    this.open.add(id);
    this.#step({ kind: "initialize", ask: ask(id) });
  }

  #forward(version: number): void {
    const id = ++this.#lastId;
    this.forwards.add(id);
    this.#step({ kind: "forwarded", ask: ask(id, version) });
  }

  #proxyAnswers(how: string): void {
    const id = this.atProxy.shift();
    if (id === undefined || !this.alive || this.state.kind !== "asked") return;
    this.#step({ kind: "answered", answer: answered(id, how) });
  }

  #successorAnswers(how: string): void {
    const id = this.atSuccessor.shift();
    if (id === undefined) return;
    const said = answered(id, how), { state } = this;
    if (!said.error) this.successorSaidYes = true;
    if (state.kind === "asked" && state.successor.kind === "asked" && state.successor.id === id) return this.#step({ kind: "successorAnswered", answer: said });
    ok(state.kind === "bypassed", `an answer for nobody in ${state.kind}`);
    this.#toClient(said.frame.withId(state.renamed?.from === id ? state.renamed.to : id));
  }

  #step(event: StartEvent): void {
    const before = this.state;
    const [state, effects] = startStep(before, event);
    this.state = state;
    for (const effect of effects) this.#heard(effect);
    if (before.kind === "bypassed") equal(state.kind, "bypassed", "a proxy that was left out stays out");
    if (state.kind === "ready") ok(this.successorSaidYes, "ready before its successor");
    equal(this.watched, state.kind === "asked" && state.successor.kind !== "asked", "its time runs while it is its turn, and only then");
  }

  #heard(effect: StartEffect): void {
    switch (effect.kind) {
      case "askProxy": this.#aliveFor("asked"); this.atProxy.push(idOf(effect.frame)); break;
      case "toProxy": {
        this.#aliveFor("told");
        ok(this.forwards.delete(idOf(effect.frame)), "the proxy hears an answer to what it has asked, once");
        break;
      }
      case "refuse": ok(this.forwards.delete(effect.id), "refused is what the proxy has asked, once"); break;
      case "toSuccessor":
        equal(++this.asked, 1, "the successor is asked once");
        equal((effect.frame.message as { params: { protocolVersion: number } }).params.protocolVersion, VERSION);
        this.atSuccessor.push(idOf(effect.frame));
        break;
      case "toClient": this.#toClient(effect.frame); break;
      case "watch": this.watched = effect.on; break;
      case "bypass": equal(++this.bypasses, 1); break;
    }
  }

  #toClient(frame: Frame): void {
    ok(this.open.delete(idOf(frame)), `${idOf(frame)} is answered once, and it is what was asked`);
    this.answeredAsks.push(idOf(frame));
  }

  #aliveFor(what: string): void { ok(this.alive && this.bypasses === 0, `a proxy that is gone is ${what}`); }
}

function answered(id: number, how: string): Answer {
  switch (how) {
    case "no": return answer(id, NO);
    case "unknown": return answer(id, NOT_FOUND);
    case "another version": return answer(id, undefined, 2);
    default: return answer(id);
  }
}

suite("the start of a proxy", () => {
  test(`${RUNS} orders of events: the client has one answer, the successor one question, and who was left out is owed nothing`, function () {
    this.timeout(120_000);
    const ends = new Map<string, number>();
    fc.assert(fc.property(story, moves => {
      const world = new Neighbours();
      for (const one of moves) world.play(one);
      world.finish();
      deepEqual([...world.open], [], "somebody waits for ever");
      ends.set(world.state.kind, (ends.get(world.state.kind) ?? 0) + 1);
    }), { numRuns: RUNS });
    for (const kind of ["ready", "bypassed", "waiting"]) ok((ends.get(kind) ?? 0) > RUNS / 50, `too few runs end ${kind}: ${JSON.stringify([...ends])}`);
  });

  test("each spelling is tried once, the one of the schema first", () => {
    const world = new Neighbours();
    world.play({ do: "ask" });
    const spoken: unknown[] = world.state.kind === "asked" ? [world.state.spelling] : [];
    world.play({ do: "proxy answers", how: "unknown" });
    spoken.push(world.state.kind === "asked" ? world.state.spelling : undefined);
    deepEqual(spoken, SPELLINGS);
    world.play({ do: "proxy answers", how: "unknown" });
    equal(world.state.kind, "bypassed");
  });

  test("a version that is changed on the way down is refused, and the successor hears that of the client", () => {
    const world = new Neighbours();
    world.play({ do: "ask" });
    world.play({ do: "proxy forwards", version: 2 });
    deepEqual([world.state.kind, world.atSuccessor, world.forwards.size], ["bypassed", [1], 0]);
  });

  test("both say no because the successor did: the client hears it, and may ask again", () => {
    const world = new Neighbours();
    for (const one of [{ do: "ask" }, { do: "proxy forwards", version: VERSION }, { do: "successor answers", how: "no" }, { do: "proxy answers", how: "no" }] as const) world.play(one);
    deepEqual([world.state.kind, world.answeredAsks, world.bypasses], ["waiting", [1], 0]);
    for (const one of [{ do: "ask" }, { do: "proxy forwards", version: VERSION }, { do: "successor answers", how: "yes" }, { do: "proxy answers", how: "yes" }] as const) world.play(one);
    deepEqual([world.state.kind, world.answeredAsks.length], ["ready", 2]);
  });
});
