import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type EntryEvent,
} from "../../src/protocol/chat";
import { receive, type Seen } from "../../src/protocol/delivery";
import { memoryJournal } from "../journal/journal";
import { FakeClock } from "../testing/fake-clock";
import { BATCH_MS, Outbox, type Numbered } from "./outbox";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");

/** An outbox, and a host that applies what it is sent as a page does. */
class World {
  readonly clock = new FakeClock();
  kept: Conversation = EMPTY;
  shown: Conversation = EMPTY;
  seen: Seen = { at: { bootId: "b", seq: 0 }, asked: 0, tooLate: 0 };
  readonly sent: string[] = [];
  readonly journaled: number[] = [];
  congested = false;
  readonly outbox = new Outbox(
    "b",
    () => this.kept,
    {
      append: ({ seq }) => {
        this.journaled.push(seq);
      },
    },
    {
      event: numbered => this.#event(numbered),
      snapshot: (seq, conversation, asked) => this.#snapshot(seq, conversation, asked),
      isCongested: () => this.congested,
    },
    this.clock,
  );

  add(event: ChatEvent): void {
    this.kept = applyEvent(this.kept, event);
    this.outbox.add(event);
  }
  /** In the transcript of a subagent, whose entry is replaced when `whole`. */
  sayNested(id: string, text: string, whole: boolean): void {
    const subagent = this.kept.entries.find(entry => entry.kind === "subagent") ?? {
      kind: "subagent",
      id: "sub",
      sessionId: "c",
      name: "Sub",
      status: "running",
      entries: [],
    };
    if (whole || !this.kept.entries.includes(subagent))
      this.add({ type: "upsert", entry: { ...subagent, name: `Sub ${text}` } });
    const inside = this.kept.entries.find(entry => entry.kind === "subagent")?.entries.find(entry => entry.id === id);
    const event: EntryEvent =
      inside?.kind === "agent"
        ? { type: "append", id, offset: inside.text.length, text }
        : { type: "upsert", entry: { kind: "agent", id, text } };
    this.add({ type: "nested", id: "sub", event });
  }
  say(id: string, text: string): void {
    const entry = this.kept.entries.find(other => other.id === id);
    this.add(
      entry?.kind === "agent"
        ? { type: "append", id, offset: entry.text.length, text }
        : { type: "upsert", entry: { kind: "agent", id, text } },
    );
  }
  #event({ seq, event }: Numbered): void {
    equal(this.journaled.includes(seq), true, "sent before it was kept");
    this.sent.push(event.type);
    const { kind, seen } = receive(this.seen, { kind: "event", bootId: "b", seq });
    this.seen = seen;
    if (kind === "show") this.shown = applyEvent(this.shown, event);
    else ok(kind === "skip", `a gap before ${seq}`);
  }
  #snapshot(seq: number, conversation: Conversation, asked: number | undefined): void {
    this.sent.push("snapshot");
    const { kind, seen } = receive(this.seen, {
      kind: "snapshot",
      bootId: "b",
      seq,
      ...(asked === undefined ? {} : { asked }),
    });
    this.seen = seen;
    if (kind === "show") this.shown = conversation;
  }
}

suite("outbox", () => {
  test("text of one frame is one event, with what began it", () => {
    const world = new World();
    for (const word of ["a", "b", "c"]) world.say("1", word);
    world.clock.advance(0);
    for (const word of ["d", "e"]) world.say("1", word);
    world.clock.advance(BATCH_MS);
    deepEqual(world.sent, ["upsert", "append"]);
    deepEqual(world.shown, world.kept);
  });

  test("after a pause the first word goes at once", () => {
    const world = new World();
    world.say("1", "a");
    world.clock.advance(0);
    world.clock.advance(100);
    world.say("1", "b");
    world.clock.advance(0);
    equal(world.sent.length, 2);
  });

  test("a flood of different entries becomes a snapshot, and the numbers go on", () => {
    const world = new World();
    for (let i = 0; i < 2000; i++) world.say(`e${i}`, "x");
    world.clock.advance(BATCH_MS);
    deepEqual(world.sent, ["snapshot"]);
    world.say("after", "y");
    world.clock.advance(BATCH_MS);
    deepEqual(world.shown, world.kept);
    deepEqual(world.sent, ["snapshot", "upsert"]);
  });

  test("a flood that changes many entries in turn is one event per entry and batch", () => {
    const world = new World();
    for (let round = 0; round < 20; round++) for (let i = 0; i < 400; i++) world.say(`e${i}`, `${round} `);
    world.clock.advance(BATCH_MS);
    deepEqual(
      world.sent,
      Array.from({ length: 400 }, () => "upsert"),
    );
    deepEqual(world.shown, world.kept);
  });

  test("a flood of changes reaches the page at a rate that it can follow, and the end of the turn at once", () => {
    const world = new World();
    for (let frame = 0; frame < 100; frame++) {
      for (let i = 0; i < 400; i++) world.say(`e${i}`, `${frame} `);
      world.clock.advance(BATCH_MS);
    }
    const seconds = (100 * BATCH_MS) / 1_000;
    ok(world.sent.length <= 400 + 500 * seconds, `${world.sent.length} events in ${seconds} s`);
    world.add({ type: "turn", turn: { state: "idle" } });
    world.clock.advance(BATCH_MS);
    deepEqual(world.shown, world.kept);
  });

  test("a flood of different entries costs at most a snapshot in half a second", () => {
    const world = new World();
    for (let frame = 0; frame < 40; frame++) {
      for (let i = 0; i < 600; i++) world.say(`e${i}`, `${frame} `);
      world.clock.advance(BATCH_MS);
    }
    world.clock.advance(1_000);
    ok(world.sent.filter(type => type === "snapshot").length <= 6, world.sent.join(" ").slice(0, 300));
    deepEqual(world.shown, world.kept);
  });

  test("a page that asks during a flood gets a snapshot at once, and the events after it", () => {
    const world = new World();
    for (let frame = 0; frame < 2; frame++) {
      for (let i = 0; i < 600; i++) world.say(`e${i}`, `${frame} `);
      world.clock.advance(BATCH_MS);
    }
    world.outbox.replay(undefined, 1);
    deepEqual(world.sent, ["snapshot", "snapshot"]);
    world.say("after", "y");
    world.clock.advance(1_000);
    deepEqual(world.sent, ["snapshot", "snapshot", "upsert"]);
    deepEqual(world.shown, world.kept);
  });

  test("a host that does not read is sent nothing, and a snapshot when it reads again", () => {
    const world = new World();
    world.congested = true;
    for (let i = 0; i < 20; i++) {
      world.say("1", "x");
      world.clock.advance(BATCH_MS);
    }
    deepEqual(world.sent, []);
    world.congested = false;
    world.clock.advance(BATCH_MS);
    deepEqual(world.sent, ["snapshot"]);
    deepEqual(world.shown, world.kept);
    equal(world.clock.waiting, 0);
  });

  test("a short gap is answered with events, a long one or another boot with a snapshot", () => {
    const world = new World();
    for (let i = 0; i < 600; i++) {
      world.say(`e${i}`, "x");
      world.clock.advance(BATCH_MS);
    }
    const asks: readonly [Parameters<Outbox["replay"]>[0], number, string][] = [
      [{ bootId: "b", seq: 597 }, 3, "upsert"],
      [{ bootId: "b", seq: 10 }, 1, "snapshot"],
      [{ bootId: "old", seq: 597 }, 1, "snapshot"],
      [undefined, 1, "snapshot"],
    ];
    for (const [at, count, kind] of asks) {
      const before = world.sent.length;
      world.outbox.replay(at, 1);
      deepEqual(
        world.sent.slice(before),
        Array.from({ length: count }, () => kind),
      );
    }
  });

  test("of what terminals print only so much is kept", () => {
    const world = new World();
    for (let i = 0; i < 300; i++) {
      world.add({
        type: "terminal",
        terminal: { terminalId: "t", command: "yes", cwd: "/w", output: "y".repeat(60_000), isCut: true },
      });
      world.clock.advance(BATCH_MS);
    }
    world.outbox.replay({ bootId: "b", seq: 200 }, 1);
    equal(world.sent.at(-1), "snapshot");
  });

  const move = fc.oneof(
    { weight: 5, arbitrary: fc.record({ say: fc.constantFrom("1", "2", "3"), times: fc.constantFrom(1, 2, 700) }) },
    { weight: 3, arbitrary: fc.record({ nested: fc.constantFrom("1", "2"), whole: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ advance: fc.constantFrom(0, 5, BATCH_MS, 40) }) },
    { weight: 1, arbitrary: fc.record({ congested: fc.boolean() }) },
  );
  test("whatever comes when, the page shows what is kept, without a gap", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), moves => {
        const world = new World();
        let made = 0;
        for (const m of moves)
          if ("say" in m) for (let i = 0; i < m.times; i++) world.say(m.times > 2 ? `e${made++}` : m.say, String(i));
          else if ("nested" in m) world.sayNested(m.nested, String(made++), m.whole);
          else if ("advance" in m) world.clock.advance(m.advance);
          else world.congested = m.congested;
        world.congested = false;
        world.clock.advance(BATCH_MS);
        world.clock.advance(3_000);
        deepEqual(world.shown, world.kept);
        deepEqual(
          world.journaled,
          world.journaled.map((_, i) => i + 1),
          "numbers have gaps",
        );
      }),
      { numRuns: 100 },
    ));

  test("the journal in memory takes everything", () =>
    memoryJournal.append({ seq: 1, event: { type: "title", title: "" } }));
});
