import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { deferred } from "../../src/protocol/wire/deferred";
import { rig, type FakeNeighbour } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import type { Interceptors, InterceptedNotification, InterceptedRequest, Proxy } from "./proxy";

/** Sends notifications with these methods from a side. */
const sendAll = (side: FakeNeighbour, ...methods: string[]) => {
  for (const method of methods) side.deliver({ method });
};
/** Like `sendAll`. Returns for each notification the promise that pauses its reader, if any. */
const offers = (side: FakeNeighbour, ...methods: string[]) => methods.map(method => side.offers({ method }));

suite("proxy kit: order", () => {
  test("holds later messages until the message is forwarded, answered, dropped or released", async () => {
    const gates = new Map(["pass", "drop"].map(name => [name, deferred<void>()]));
    const steps: InterceptedRequest[] = [],
      answer = deferred<string>();
    const { client, successor } = rig({
      fromClient: {
        notifications: {
          pass: async note => {
            await gates.get("pass")!.promise;
            note.pass();
          },
          drop: () => gates.get("drop")!.promise,
        },
        requests: {
          answer: () => answer.promise,
          release: request => {
            steps.push(request);
            return new Promise(() => {});
          },
        },
      },
    });
    sendAll(client, "pass", "a", "drop", "b");
    client.deliver({ id: 1, method: "answer" });
    sendAll(client, "c");
    client.deliver({ id: 2, method: "release" });
    sendAll(client, "d");
    deepEqual(successor.news(), []);
    gates.get("pass")!.resolve();
    await turn();
    deepEqual(successor.news(), ["pass", "a"]);
    gates.get("drop")!.resolve();
    await turn();
    deepEqual(successor.news(), ["b"]);
    answer.resolve("x");
    await turn();
    deepEqual([successor.news(), client.news()], [["c"], ['#1 = "x"']]);
    steps[0]!.release();
    deepEqual(successor.news(), ["d"]);
    steps[0]!.release();
    void steps[0]!.pass();
    deepEqual(successor.news(), ["release#2"]);
  });

  test("keeps the order of a response and the updates around it during a slow interceptor", async () => {
    const gate = deferred<void>();
    const { client, successor } = rig({
      fromClient: {
        requests: {
          "session/prompt": async request => {
            const answer = await request.pass();
            await gate.promise;
            return answer;
          },
        },
      },
    });
    client.deliver({ id: 1, method: "session/prompt" });
    sendAll(successor, "update1");
    successor.deliver({ id: 1, result: "end_turn" });
    sendAll(successor, "update2");
    await turn();
    deepEqual(client.news(), ["update1"]);
    gate.resolve();
    await turn();
    deepEqual(client.news(), ['#1 = "end_turn"', "update2"]);
  });

  test("sends the proxy's own messages immediately, past held messages", () => {
    const { client, successor, chain } = rig({
      fromClient: { notifications: { held: () => new Promise(() => {}) } },
      fromSuccessor: { notifications: { held: () => new Promise(() => {}) } },
    });
    sendAll(client, "held", "a");
    sendAll(successor, "held", "a");
    chain.client.notify("own", 1);
    chain.successor.notify("own", 2);
    deepEqual([client.news(), successor.news()], [["own 1"], ["own 2"]]);
  });

  test("releases only the direction of its own request's response, and receives it despite held messages", async () => {
    const got: unknown[] = [];
    const { client, successor, chain } = rig({
      fromClient: { notifications: { held: () => new Promise(() => {}) } },
      fromSuccessor: {
        notifications: {
          held: async note => {
            got.push(await chain.successor.request("own", {}));
            note.pass();
          },
        },
      },
    });
    sendAll(client, "held", "a");
    sendAll(successor, "held", "held", "a");
    deepEqual([successor.news(), client.news()], [["own#1001 {}", "own#1002 {}"], ["a"]]);
    successor.deliver({ id: 1002, result: 2 });
    successor.deliver({ id: 1001, result: 1 });
    await turn();
    deepEqual([got, client.news(), successor.news()], [[2, 1], ["held", "held"], []]);
    void chain.client.request("own", {});
    deepEqual([client.news(), successor.news()], [["own#1003 {}"], ["a"]]);
  });

  test("queues 64 messages behind a hold and then pauses the reader", async () => {
    const gate = deferred<void>();
    const { client, successor } = rig({
      fromSuccessor: {
        notifications: {
          held: async note => {
            await gate.promise;
            note.pass();
          },
        },
      },
    });
    sendAll(successor, "held");
    const busy = offers(successor, ...Array.from({ length: 64 }, (_, i) => `n${i}`));
    deepEqual(busy.map(Boolean), [...Array<boolean>(63).fill(false), true]);
    let isOver = false;
    void busy[63]!.then(() => {
      isOver = true;
    });
    await turn();
    equal(isOver, false);
    client.isSlow();
    gate.resolve();
    await turn();
    deepEqual([client.received.length, isOver], [65, false]);
    client.catchesUp();
    await busy[63];
    equal(successor.offers({ method: "n" }), undefined);
  });

  test("never pauses while it awaits its own response, and releases the hold at 1,000 messages", async () => {
    const answers: unknown[] = [],
      gate = deferred<void>();
    const { client, successor, chain } = rig({
      fromSuccessor: {
        notifications: {
          held: async () => {
            await gate.promise;
            answers.push(await own);
          },
        },
      },
    });
    sendAll(successor, "held");
    const busy = offers(successor, "held", ...Array<string>(63).fill("n")).at(-1);
    ok(busy);
    const own = chain.successor.request("own", {});
    await busy; // the second message now holds the queue
    const more = offers(successor, ...Array<string>(936).fill("n"));
    deepEqual([more.filter(Boolean), client.received.length], [[], 0]);
    sendAll(successor, "n");
    equal(client.received.length, 1000);
    successor.deliver({ id: 1001, result: "own" });
    gate.resolve();
    await turn();
    deepEqual(answers, ["own", "own"]);
  });

  test("equals a queue with holds for random events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60, size: "max" }), async commands => {
        const fixture = new Fixture();
        for (const { apply, k } of commands) {
          apply(fixture, k);
          await turn();
          fixture.check();
        }
        await fixture.end();
      }),
      { numRuns: 150 },
    );
  });
});

type Way = "down" | "up";
const opposite = (way: Way): Way => (way === "down" ? "up" : "down");

interface Item {
  readonly label: string;
  readonly way: Way;
  begin?(): void;
}
interface HeldItem extends Item {
  stage: "running" | "passed" | "answered" | "finished";
  note?: InterceptedNotification;
  request?: InterceptedRequest;
  readonly id: number;
  settle(): void;
}

/** A proxy whose interceptors are controlled by the test, and a model of the queue of each direction. */
class Fixture {
  readonly #queues = {
    down: { waiting: [] as Item[], held: undefined as Item | undefined, sent: [] as string[] },
    up: { waiting: [] as Item[], held: undefined as Item | undefined, sent: [] as string[] },
  };
  readonly heldItems: HeldItem[] = [];
  readonly #answered = new Set<HeldItem>();
  own: (way: Way) => void = () => {};
  readonly #rig = rig(chain => {
    this.own = way => void chain[way === "down" ? "client" : "successor"].request("own", {});
    return this.#proxy();
  });
  #last = 0;
  #owns = 1000;

  arrive(way: Way, kind: number): void {
    const n = ++this.#last,
      from = way === "down" ? this.#rig.client : this.#rig.successor;
    const method = ["plain", "note", "ask", "plainAsk"][kind]!,
      isRequest = kind >= 2;
    const label = isRequest ? `${method}#${n} ${n}` : `${method} ${n}`;
    const item: HeldItem = { label, way, id: n, stage: "running", settle: () => {} };
    if (kind === 1 || kind === 2) {
      this.heldItems.push(item);
      item.begin = () => {
        item.stage = "running";
        this.#queues[way].held = item;
      };
    }
    this.#take(item);
    from.deliver({ method, params: n, ...(isRequest ? { id: n } : {}) });
  }

  pass(item: HeldItem): void {
    item.stage = item.note ? "finished" : "passed";
    this.#queues[item.way].sent.push(item.label);
    this.#release(item);
    if (item.note) {
      item.note.pass();
      item.settle();
    } else void item.request!.pass();
  }

  /**
   * Lets the interceptor return. A notification is then dropped unless it was forwarded. A forwarded request may return
   * before its response.
   */
  finish(item: HeldItem): void {
    if (item.request) this.#queues[opposite(item.way)].sent.push(`#${item.id} = "done"`);
    item.stage = "finished";
    this.#release(item);
    item.settle();
  }

  release(item: HeldItem): void {
    this.#release(item);
    item.request!.release();
  }

  answer(item: HeldItem): void {
    const back = opposite(item.way);
    this.#take({
      label: "",
      way: back,
      begin: () => {
        if (item.stage === "passed") {
          item.stage = "answered";
          this.#queues[back].held = item;
        }
      },
    });
    (back === "up" ? this.#rig.successor : this.#rig.client).deliver({ id: item.id, result: 0 });
    this.#answered.add(item);
  }

  ownRequest(way: Way): void {
    const held = this.#queues[way].held;
    this.#queues[opposite(way)].sent.push(`own#${++this.#owns} {}`);
    if (held) this.#release(held);
    this.own(way);
    (way === "up" ? this.#rig.successor : this.#rig.client).deliver({ id: this.#owns, result: 0 });
  }

  readonly can = {
    act: (item: HeldItem) => Boolean(item.note ?? item.request) && item.stage !== "finished",
    pass: (item: HeldItem) => Boolean(item.note ?? item.request) && item.stage === "running",
    answer: (item: HeldItem) =>
      item.request !== undefined && this.#queues[item.way].sent.includes(item.label) && !this.#answered.has(item),
  };

  check(): void {
    deepEqual(this.#rig.successor.received, this.#queues.down.sent);
    deepEqual(this.#rig.client.received, this.#queues.up.sent);
  }

  /** Lets every interceptor return and asserts that no message is queued. */
  async end(): Promise<void> {
    for (let rest = this.heldItems.filter(this.can.act); rest.length > 0; rest = this.heldItems.filter(this.can.act)) {
      this.finish(rest[0]!);
      await turn();
    }
    this.check();
    deepEqual([this.#queues.down.waiting, this.#queues.up.waiting], [[], []]);
  }

  #take(item: Item): void {
    this.#queues[item.way].waiting.push(item);
    this.#advance(item.way);
  }

  #advance(way: Way): void {
    const queue = this.#queues[way];
    while (!queue.held && queue.waiting.length > 0) {
      const item = queue.waiting.shift()!;
      if (item.begin) item.begin();
      else queue.sent.push(item.label);
    }
  }

  #release(item: Item): void {
    for (const way of ["down", "up"] as const)
      if (this.#queues[way].held === item) {
        this.#queues[way].held = undefined;
        this.#advance(way);
      }
  }

  #proxy(): Proxy {
    const of = (params: unknown) => this.heldItems.find(({ id }) => id === params)!;
    const interceptors: Interceptors = {
      notifications: {
        note: note => new Promise(resolve => Object.assign(of(note.params), { note, settle: resolve })),
      },
      requests: {
        ask: request =>
          new Promise(resolve => Object.assign(of(request.params), { request, settle: () => resolve("done") })),
      },
    };
    return { fromClient: interceptors, fromSuccessor: interceptors };
  }
}

interface Command {
  apply(fixture: Fixture, k: number): void;
  readonly k: number;
  toString(): string;
}

const pick = (items: readonly HeldItem[], k: number) => items[k % items.length];
const commands: Record<string, Command["apply"]> = {
  arrives: (fixture, k) => fixture.arrive(k % 2 ? "up" : "down", (k >> 1) % 4),
  passes: (fixture, k) => {
    const item = pick(fixture.heldItems.filter(fixture.can.pass), k);
    if (item) fixture.pass(item);
  },
  finishes: (fixture, k) => {
    const item = pick(fixture.heldItems.filter(fixture.can.act), k);
    if (item) fixture.finish(item);
  },
  releases: (fixture, k) => {
    const item = pick(
      fixture.heldItems.filter(item => item.request && fixture.can.act(item)),
      k,
    );
    if (item) fixture.release(item);
  },
  isAnswered: (fixture, k) => {
    const item = pick(fixture.heldItems.filter(fixture.can.answer), k);
    if (item) fixture.answer(item);
  },
  asks: (fixture, k) => fixture.ownRequest(k % 2 ? "up" : "down"),
};
const command = fc
  .tuple(
    fc.constantFrom(
      "arrives",
      "arrives",
      "arrives",
      "passes",
      "finishes",
      "releases",
      "isAnswered",
      "isAnswered",
      "asks",
    ),
    fc.nat(1000),
  )
  .map(([name, k]): Command => ({ k, apply: commands[name]!, toString: () => `${name} ${k}` }));
