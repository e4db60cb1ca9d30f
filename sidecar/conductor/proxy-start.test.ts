/**
 * Tests the start of a proxy under every order of events. Assertions use only the observations of the simulated
 * neighbours.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { Frame } from "../rpc/frame";
import { objectOr } from "../rpc/json";
import { versionIn } from "./protocol-version";
import type { ProxyDialect } from "../acp/methods";
import { DIALECTS } from "./proxy-dialect";
import { startStep, type Answer, type Ask, type StartEffect, type StartEvent, type StartState } from "./proxy-start";

/** For a longer search: SYMPOSIUM_RUNS=100000 npm run hunt -- 10 sidecar/conductor/proxy-start */
const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);

const ERRORS = { no: -1, unknown: -32601, invalid: -32600, "another version": -32022 } as const;
type How = keyof typeof ERRORS | "yes" | "yes, lower" | "yes, higher";

const ask = (id: number, protocolVersion: number, isTyped = false): Ask => {
  const params = { protocolVersion, ...(isTyped ? {} : { info: { name: "c" } }) };
  return { id, version: protocolVersion, frame: Frame.of({ jsonrpc: "2.0", id, method: "initialize", params }) };
};
const success = (id: number, protocolVersion: number, isMarked = false): Answer => ({
  version: protocolVersion,
  frame: Frame.of({ jsonrpc: "2.0", id, result: { protocolVersion, ...(isMarked ? { _meta: { proxy: true } } : {}) } }),
});
const failure = (id: number, code: number): Answer => {
  const error = { code, message: "no" };
  return { frame: Frame.of({ jsonrpc: "2.0", id, error }), version: undefined, error };
};
const idOf = (frame: Frame): number => {
  const { envelope } = frame;
  return envelope.kind === "notification" ? -1 : Number(envelope.id);
};

/** A step of one of the neighbours. A step that does not apply is skipped. */
type Move =
  | { readonly do: "ask" | "late" | "die" | "exit" }
  | { readonly do: "proxy answers" | "successor answers"; readonly how: How }
  | { readonly do: "proxy forwards"; readonly version: "same" | "lower" | "higher" | "typed" };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move>({ do: "ask" }) },
  { weight: 1, arbitrary: fc.constantFrom<Move>({ do: "late" }, { do: "die" }, { do: "exit" }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("proxy answers" as const),
      how: fc.constantFrom<How>(
        "yes",
        "yes",
        "yes, lower",
        "yes, higher",
        "no",
        "unknown",
        "invalid",
        "another version",
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("successor answers" as const),
      how: fc.constantFrom<How>("yes", "yes", "yes, lower", "no"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("proxy forwards" as const),
      version: fc.constantFrom("same" as const, "same" as const, "lower" as const, "typed" as const, "higher" as const),
    }),
  },
);

const GOOD: readonly Move[] = [
  { do: "ask" },
  { do: "proxy forwards", version: "same" },
  { do: "successor answers", how: "yes" },
  { do: "proxy answers", how: "yes" },
];
/** Half of the stories begin successfully, because few would end successfully otherwise. */
const story = fc.oneof(
  fc.array(move, { maxLength: 14, size: "max" }),
  fc
    .tuple(fc.nat(4), fc.array(move, { maxLength: 8, size: "max" }))
    .map(([length, rest]) => [...GOOD.slice(0, length), ...rest]),
);

/** The client, the proxy and the successor around one `startStep`, as proxy-stage.ts connects them. */
class Neighbours {
  state: StartState = { kind: "waiting" };
  /** Pending requests of the client. */
  readonly open = new Set<number>();
  readonly answers: Frame[] = [];
  /** The method of each attempt to initialise the proxy, in the spelling of its dialect. */
  readonly methods: string[] = [];
  readonly remembered: ProxyDialect[] = [];
  /** Ids of the `initialize` requests that are pending at the proxy. */
  atProxy: number[] = [];
  /** The requests at the successor, from the proxy or in its place. */
  readonly atSuccessor: { readonly id: number; readonly version: number }[] = [];
  /** The versions requested from the successor in the current attempt. */
  requestedVersions: number[] = [];
  forwards = new Set<number>();
  watched = false;
  alive = true;
  bypasses = 0;
  restarts = 0;
  /** The version that the successor supports. */
  acceptedVersion: number | undefined;
  #lastId = 0;

  constructor(
    readonly version: number,
    readonly known?: ProxyDialect,
  ) {}

  play(move: Move): void {
    switch (move.do) {
      case "ask":
        return this.#ask();
      case "late":
        if (this.watched) this.#step({ kind: "late", seconds: 30 });
        return;
      case "die":
      case "exit":
        return this.#die(move.do === "exit");
      case "proxy forwards":
        if (this.alive && this.state.kind === "asked") this.#forward(move.version);
        return;
      case "proxy answers":
        return this.#proxyAnswers(move.how);
      case "successor answers":
        return this.#successorAnswers(move.how);
    }
  }

  /** Completes every pending step. Afterwards no request may be pending. */
  finish(): void {
    for (let i = 0; i < 10 && this.open.size > 0; i++) {
      if (this.atSuccessor.length > 0) this.#successorAnswers("yes");
      else if (this.watched) this.play({ do: "late" });
      else break;
    }
  }

  #ask(): void {
    if (this.open.size > 0 || this.state.kind === "ready") return;
    this.requestedVersions = [];
    this.restarts = 0;
    this.acceptedVersion = undefined;
    const id = ++this.#lastId;
    this.open.add(id);
    this.#step({ kind: "initializeReceived", ask: ask(id, this.version), known: this.known });
  }

  #die(exited: boolean): void {
    if (!this.alive || this.state.kind === "bypassed" || this.state.kind === "ready") return;
    this.alive = false;
    this.atProxy = [];
    this.forwards.clear();
    this.#step({ kind: "died", why: "p died.", cause: undefined, exited });
  }

  #forward(how: "same" | "lower" | "higher" | "typed"): void {
    if (this.state.kind !== "asked") return;
    const id = ++this.#lastId,
      { version } = this.state.attempt;
    this.forwards.add(id);
    this.#step({
      kind: "forwarded",
      ask: ask(id, how === "lower" ? version - 1 : how === "higher" ? version + 1 : version, how === "typed"),
    });
  }

  #proxyAnswers(how: How): void {
    const id = this.atProxy.shift();
    if (id === undefined || !this.alive || this.state.kind !== "asked") return;
    const {
        successor,
        attempt: { dialect, version },
      } = this.state,
      received = successor.kind === "answered" ? Number(successor.answer.version) || version : version;
    this.#step({ kind: "answered", answer: answered(id, how, received, dialect === "meta") });
  }

  #successorAnswers(how: How): void {
    const request = this.atSuccessor.shift();
    if (request === undefined) return;
    const { id } = request,
      response = answered(id, how === "yes, lower" && request.version === 1 ? "yes" : how, request.version),
      { state } = this;
    if (!response.error) this.acceptedVersion = Number(response.version);
    if (state.kind === "asked" && state.successor.kind === "asked" && state.successor.id === id)
      return this.#step({ kind: "successorAnswered", answer: response });
    ok(state.kind === "bypassed", `an unexpected response in ${state.kind}`);
    this.#toClient(response.frame.withId(state.renamed?.from === id ? state.renamed.to : id));
  }

  #step(event: StartEvent): void {
    const before = this.state;
    const [state, effects] = startStep(before, event);
    this.state = state;
    for (const effect of effects) this.#handleEvent(effect);
    if (before.kind === "bypassed") equal(state.kind, "bypassed", "a bypassed proxy stays bypassed");
    if (state.kind === "ready") ok(this.acceptedVersion !== undefined, "ready before its successor");
    equal(
      this.watched,
      state.kind === "asked" && state.successor.kind !== "asked",
      "the timeout runs exactly while the proxy must respond",
    );
  }

  #handleEvent(effect: StartEffect): void {
    switch (effect.kind) {
      case "restart":
        equal(++this.restarts, 1, "restarted once");
        ok(!this.alive, "a running process is not restarted");
        this.alive = true;
        this.#sendToProxy(effect.frame);
        break;
      case "askProxy":
        this.#assertAlive("initialized");
        this.#sendToProxy(effect.frame);
        break;
      case "toProxy": {
        this.#assertAlive("answered");
        ok(this.forwards.delete(idOf(effect.frame)), "the proxy receives one response per request");
        break;
      }
      case "refuse":
        ok(this.forwards.delete(effect.id), "a request of the proxy is refused once");
        break;
      case "toSuccessor": {
        const version = Number(versionIn(effect.frame));
        ok(version >= 1 && version <= this.version, `version ${version} was requested from the successor`);
        ok(
          this.requestedVersions.length === 0 ||
            (this.requestedVersions.length === 1 && version < (this.requestedVersions[0] ?? 0)),
          "the successor is initialized once, and once more with a lower version",
        );
        ok(
          version === 1 || objectOr(objectOr(effect.frame.message)["params"])["info"] !== undefined,
          "version 2 has its members",
        );
        this.requestedVersions.push(version);
        this.atSuccessor.push({ id: idOf(effect.frame), version });
        break;
      }
      case "toClient":
        this.#toClient(effect.frame);
        break;
      case "watch":
        this.watched = effect.on;
        break;
      case "remember":
        this.remembered.push(effect.dialect);
        break;
      case "bypass":
        equal(++this.bypasses, 1);
        break;
    }
  }

  #sendToProxy(frame: Frame): void {
    const { envelope } = frame;
    this.methods.push(envelope.kind === "request" ? envelope.method : "");
    this.atProxy.push(idOf(frame));
  }

  #toClient(frame: Frame): void {
    ok(this.open.delete(idOf(frame)), `${idOf(frame)} is answered once, and was requested`);
    const version = versionIn(frame);
    if (version !== undefined) equal(version, this.acceptedVersion, "the client has the version of the successor");
    this.answers.push(frame);
  }

  #assertAlive(what: string): void {
    ok(this.alive && this.bypasses === 0, `an ended proxy is ${what}`);
  }
}

function answered(id: number, how: How, version: number, isMarked = false): Answer {
  switch (how) {
    case "yes":
      return success(id, version, isMarked);
    case "yes, lower":
      return success(id, version - 1, isMarked);
    case "yes, higher":
      return success(id, version + 1, isMarked);
    default:
      return failure(id, ERRORS[how]);
  }
}

suite("ProxyStart", () => {
  test(`answers the client once, in the successor's version, in ${RUNS} random event orders`, function () {
    this.timeout(120_000);
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(
        story,
        fc.constantFrom(1, 2),
        fc.option(fc.constantFrom(...DIALECTS), { nil: undefined }),
        (moves, version, known) => {
          const fixture = new Neighbours(version, known);
          for (const item of moves) fixture.play(item);
          fixture.finish();
          deepEqual([...fixture.open], [], "somebody waits for ever");
          ends.set(fixture.state.kind, (ends.get(fixture.state.kind) ?? 0) + 1);
        },
      ),
      { numRuns: RUNS },
    );
    for (const kind of ["ready", "bypassed", "waiting"])
      ok((ends.get(kind) ?? 0) > RUNS / 50, `too few runs end ${kind}: ${JSON.stringify([...ends])}`);
  });

  test("tries each dialect once, the extension method first", () => {
    const fixture = new Neighbours(1);
    fixture.play({ do: "ask" });
    for (let i = 0; i < 3; i++) fixture.play({ do: "proxy answers", how: "unknown" });
    deepEqual(fixture.methods, ["_proxy/initialize", "proxy/initialize", "initialize"]);
    equal(fixture.state.kind, "bypassed");
  });

  test("tries the dialect that worked before first, then the others", () => {
    const fixture = new Neighbours(1, "proxy");
    fixture.play({ do: "ask" });
    for (let i = 0; i < 2; i++) fixture.play({ do: "proxy answers", how: "unknown" });
    deepEqual(fixture.methods, ["proxy/initialize", "_proxy/initialize", "initialize"]);
  });

  test("retries with version 1 before another dialect when the proxy rejects the version", () => {
    const fixture = new Neighbours(2);
    for (const item of [{ do: "ask" }, { do: "proxy answers", how: "invalid" }, ...GOOD.slice(1)] as const)
      fixture.play(item);
    deepEqual(
      [fixture.methods, fixture.requestedVersions, fixture.state.kind, fixture.remembered],
      [["_proxy/initialize", "_proxy/initialize"], [1], "ready", ["_proxy"]],
    );
  });

  test("does not try initialize with a proxy that fails for its own reason", () => {
    const fixture = new Neighbours(1);
    fixture.play({ do: "ask" });
    for (let i = 0; i < 3; i++) fixture.play({ do: "proxy answers", how: "no" });
    deepEqual([fixture.methods, fixture.state.kind], [["_proxy/initialize", "proxy/initialize"], "bypassed"]);
  });

  test("bypasses a proxy that raises the version and sends the client's version to the successor", () => {
    const fixture = new Neighbours(1);
    fixture.play({ do: "ask" });
    fixture.play({ do: "proxy forwards", version: "higher" });
    deepEqual(
      [fixture.state.kind, fixture.atSuccessor, fixture.forwards.size],
      ["bypassed", [{ id: 1, version: 1 }], 0],
    );
  });

  test("returns the successor's error to the client and accepts another initialize", () => {
    const fixture = new Neighbours(1);
    for (const item of [
      ...GOOD.slice(0, 2),
      { do: "successor answers", how: "no" },
      { do: "proxy answers", how: "no" },
    ] as const)
      fixture.play(item);
    deepEqual([fixture.state.kind, fixture.answers.map(idOf), fixture.bypasses], ["waiting", [1], 0]);
    for (const each of GOOD) fixture.play(each);
    deepEqual([fixture.state.kind, fixture.answers.length], ["ready", 2]);
  });
});
