import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type EntryEvent,
} from "../../src/protocol/chat/chat";
import type { WindowSize } from "../../src/protocol/chat/conversation-window";
import { receive, type PageCursor } from "../../src/protocol/chat/delivery";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { BATCH_MS, Outbox } from "./outbox";
import type { Numbered } from "./retained-events";
import { propertyRuns } from "../../src/protocol/testing/property-runs";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");

const FOUND = { type: "found", requestNumber: 1, entryIds: ["1"], isCut: false } as const;

const UNLIMITED: WindowSize = { weight: Infinity, maxWeight: Infinity };

/** An outbox, and a host that applies its messages like a page. */
class Fixture {
  readonly clock = new FakeClock();
  conversation: Conversation = EMPTY;
  shown: Conversation = EMPTY;
  stored: Conversation | undefined;
  /** Whether each stored version had a new start or end of a turn. */
  readonly turns: boolean[] = [];
  seen: PageCursor = { at: { bootId: "b", seq: 0 }, requestNumber: 0, tooLate: 0 };
  readonly sent: string[] = [];
  congested = false;
  readonly outbox: Outbox;

  constructor(windowSize = UNLIMITED) {
    this.outbox = new Outbox(
      "b",
      () => this.conversation,
      {
        event: numbered => this.#event(numbered),
        snapshot: (seq, conversation, requestNumber) => this.#snapshot(seq, conversation, requestNumber),
        isCongested: () => this.congested,
      },
      this.clock,
      (conversation, turnAt) => {
        this.stored = conversation;
        this.turns.push(turnAt !== undefined);
      },
      windowSize,
    );
  }

  add(event: ChatEvent): void {
    this.conversation = applyEvent(this.conversation, event);
    this.outbox.add(event);
  }
  /** Adds an event of a subagent. `whole`: replaces the subagent's entry first. */
  addNested(id: string, text: string, whole: boolean): void {
    const subagent = this.conversation.entries.find(entry => entry.kind === "subagent") ?? {
      kind: "subagent",
      id: "sub",
      sessionId: "c",
      name: "Sub",
      status: "running",
      entries: [],
    };
    if (whole || !this.conversation.entries.includes(subagent))
      this.add({ type: "upsert", entry: { ...subagent, name: `Sub ${text}` } });
    const inside = this.conversation.entries
      .find(entry => entry.kind === "subagent")
      ?.entries.find(entry => entry.id === id);
    const event: EntryEvent =
      inside?.kind === "agent"
        ? { type: "append", id, offset: inside.text.length, text }
        : { type: "upsert", entry: { kind: "agent", id, text } };
    this.add({ type: "nested", id: "sub", event });
  }
  report(id: string, text: string): void {
    const entry = this.conversation.entries.find(otherEntry => otherEntry.id === id);
    this.add(
      entry?.kind === "agent"
        ? { type: "append", id, offset: entry.text.length, text }
        : { type: "upsert", entry: { kind: "agent", id, text } },
    );
  }
  /** Asks for earlier entries until the page has all. */
  showAll(): void {
    while (this.shown.omitted !== undefined) {
      const { count } = this.shown.omitted;
      this.outbox.showEarlier();
      ok((this.shown.omitted?.count ?? 0) < count, "a request for earlier entries has no effect");
    }
  }
  /** Characters of the longest message. */
  maxLength = 0;
  #event({ seq, event }: Numbered): void {
    this.sent.push(event.type);
    this.maxLength = Math.max(this.maxLength, JSON.stringify(event).length);
    equal(this.stored, this.conversation, "a change is stored before it is sent");
    const { kind, seen } = receive(this.seen, { kind: "event", bootId: "b", seq });
    this.seen = seen;
    if (kind === "show") this.shown = applyEvent(this.shown, event);
    else ok(kind === "skip", `a gap before ${seq}`);
  }
  #snapshot(seq: number, conversation: Conversation, requestNumber: number | undefined): void {
    this.sent.push("snapshot");
    this.maxLength = Math.max(this.maxLength, JSON.stringify(conversation).length);
    const { kind, seen } = receive(this.seen, {
      kind: "snapshot",
      bootId: "b",
      seq,
      ...(requestNumber === undefined ? {} : { requestNumber }),
    });
    this.seen = seen;
    if (kind === "show") this.shown = conversation;
  }
}

suite("Outbox", () => {
  test("merges text of one frame into one event", () => {
    const fixture = new Fixture();
    for (const word of ["a", "b", "c"]) fixture.report("1", word);
    fixture.clock.advance(0);
    for (const word of ["d", "e"]) fixture.report("1", word);
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.sent, ["upsert", "append"]);
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("sends the first text after a pause immediately", () => {
    const fixture = new Fixture();
    fixture.report("1", "a");
    fixture.clock.advance(0);
    fixture.clock.advance(100);
    fixture.report("1", "b");
    fixture.clock.advance(0);
    equal(fixture.sent.length, 2);
  });

  test("stores the time of a turn that begins and ends within a batch, once", () => {
    const fixture = new Fixture();
    fixture.add({ type: "turn", turn: { state: "running", messageId: "1" } });
    fixture.report("1", "a");
    fixture.add({ type: "turn", turn: { state: "idle" } });
    fixture.clock.advance(BATCH_MS);
    fixture.report("1", "b");
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.turns, [true, false]);
  });

  test("sends a snapshot for a flood of different entries and continues the sequence numbers", () => {
    const fixture = new Fixture();
    for (let i = 0; i < 2000; i++) fixture.report(`e${i}`, "x");
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.sent, ["snapshot"]);
    fixture.report("after", "y");
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.shown, fixture.conversation);
    deepEqual(fixture.sent, ["snapshot", "upsert"]);
  });

  test("sends one event per entry and batch for a flood of alternating changes", () => {
    const fixture = new Fixture();
    for (let round = 0; round < 20; round++) for (let i = 0; i < 400; i++) fixture.report(`e${i}`, `${round} `);
    fixture.clock.advance(BATCH_MS);
    deepEqual(
      fixture.sent,
      Array.from({ length: 400 }, () => "upsert"),
    );
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("limits the rate of a flood of changes and sends the end of the turn immediately", () => {
    const fixture = new Fixture();
    for (let frame = 0; frame < 100; frame++) {
      for (let i = 0; i < 400; i++) fixture.report(`e${i}`, `${frame} `);
      fixture.clock.advance(BATCH_MS);
    }
    const seconds = (100 * BATCH_MS) / 1_000;
    ok(fixture.sent.length <= 400 + 500 * seconds, `${fixture.sent.length} events in ${seconds} s`);
    fixture.add({ type: "turn", turn: { state: "idle" } });
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("sends the end of a turn of 60,000 updates with the next batch, without a backlog", () => {
    const fixture = new Fixture();
    for (let frame = 0; frame < 60; frame++) {
      for (let i = 0; i < 1_000; i++) fixture.report(`e${i}`, `${frame} `);
      fixture.clock.advance(1);
    }
    const { length } = fixture.sent;
    fixture.add({ type: "turn", turn: { state: "idle" } });
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.shown.turn, { state: "idle" });
    const after = fixture.sent.length - length;
    ok(after <= 1_001, `${after} events for the end of the turn`);
    fixture.clock.advance(60_000);
    equal(fixture.sent.length - length, after, "a backlog was sent later");
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("limits snapshots to one per half second for a flood of different entries", () => {
    const fixture = new Fixture();
    for (let frame = 0; frame < 40; frame++) {
      for (let i = 0; i < 600; i++) fixture.report(`e${i}`, `${frame} `);
      fixture.clock.advance(BATCH_MS);
    }
    fixture.clock.advance(1_000);
    ok(fixture.sent.filter(type => type === "snapshot").length <= 6, fixture.sent.join(" ").slice(0, 300));
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("sends a snapshot immediately to a page that requests it during a flood, then events", () => {
    const fixture = new Fixture();
    for (let frame = 0; frame < 2; frame++) {
      for (let i = 0; i < 600; i++) fixture.report(`e${i}`, `${frame} `);
      fixture.clock.advance(BATCH_MS);
    }
    fixture.outbox.replay(undefined, 1);
    deepEqual(fixture.sent, ["snapshot", "snapshot"]);
    fixture.report("after", "y");
    fixture.clock.advance(1_000);
    deepEqual(fixture.sent, ["snapshot", "snapshot", "upsert"]);
    deepEqual(fixture.shown, fixture.conversation);
  });

  test("sends nothing to a congested host, then a snapshot", () => {
    const fixture = new Fixture();
    fixture.congested = true;
    for (let i = 0; i < 20; i++) {
      fixture.report("1", "x");
      fixture.clock.advance(BATCH_MS);
    }
    deepEqual(fixture.sent, []);
    fixture.congested = false;
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.sent, ["snapshot"]);
    deepEqual(fixture.shown, fixture.conversation);
    equal(fixture.clock.waiting, 0);
  });

  test("replays events for a short gap, and a snapshot for a long gap or another boot", () => {
    const fixture = new Fixture();
    for (let i = 0; i < 600; i++) {
      fixture.report(`e${i}`, "x");
      fixture.clock.advance(BATCH_MS);
    }
    const cases: readonly [Parameters<Outbox["replay"]>[0], number, string][] = [
      [{ bootId: "b", seq: 597 }, 3, "upsert"],
      [{ bootId: "b", seq: 10 }, 1, "snapshot"],
      [{ bootId: "old", seq: 597 }, 1, "snapshot"],
      [undefined, 1, "snapshot"],
    ];
    for (const [at, count, kind] of cases) {
      const before = fixture.sent.length;
      fixture.outbox.replay(at, 1);
      deepEqual(
        fixture.sent.slice(before),
        Array.from({ length: count }, () => kind),
      );
    }
  });

  test("splits long texts, so that no message has a megabyte", () => {
    const fixture = new Fixture(),
      text = '"word" '.repeat(120_000);
    fixture.report("1", text);
    fixture.clock.advance(BATCH_MS);
    fixture.report("1", text);
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.sent, ["upsert", "append", "append", "append", "append", "append", "append", "append"]);
    deepEqual(fixture.shown, fixture.conversation);
    fixture.shown = EMPTY;
    fixture.seen = { at: undefined, requestNumber: 1, tooLate: 0 };
    fixture.outbox.replay(undefined, 1);
    deepEqual(fixture.shown, fixture.conversation);
    ok(fixture.maxLength < 1_000_000, `${fixture.maxLength} characters`);
  });

  test("sends a terminal again if a new entry names it after its first one has left the window", () => {
    const fixture = new Fixture({ weight: 3, maxWeight: 4 }),
      call = (id: string): ChatEvent => ({
        type: "upsert",
        entry: {
          kind: "tool",
          id,
          toolCallId: id,
          title: "Run",
          toolKind: "execute",
          status: "completed",
          content: [{ kind: "terminal", terminalId: "t" }],
          locations: [],
        },
      });
    fixture.add({
      type: "terminal",
      terminal: { terminalId: "t", command: "ls", cwd: "/w", output: "x", isCut: false },
    });
    fixture.add(call("first"));
    for (let i = 0; i < 10; i++) fixture.report(`e${i}`, "x");
    fixture.clock.advance(BATCH_MS);
    deepEqual(fixture.shown.terminals, []);
    fixture.add({ type: "terminalOutput", terminalId: "t", offset: 1, text: "y" });
    fixture.clock.advance(1_000);
    deepEqual(fixture.shown.terminals, [], "no shown entry names it");
    fixture.add(call("second"));
    fixture.clock.advance(1_000);
    deepEqual(fixture.shown.terminals, fixture.conversation.terminals);
  });

  test("bounds the replay buffer of terminal output", () => {
    const fixture = new Fixture();
    for (let i = 0; i < 300; i++) {
      fixture.add({
        type: "terminal",
        terminal: { terminalId: "t", command: "yes", cwd: "/w", output: "y".repeat(60_000), isCut: true },
      });
      fixture.clock.advance(BATCH_MS);
    }
    fixture.outbox.replay({ bootId: "b", seq: 200 }, 1);
    equal(fixture.sent.at(-1), "snapshot");
  });

  test("extends the window in steps until it contains an entry, and ignores a missing one", () => {
    const fixture = new Fixture({ weight: 3, maxWeight: 5 });
    for (let i = 0; i < 30; i++) {
      fixture.report(`e${i}`, "x");
      fixture.clock.advance(BATCH_MS);
    }
    const has = (id: string): boolean => fixture.shown.entries.some(entry => entry.id === id);
    let steps = 0;
    for (; !has("e10"); steps++) fixture.outbox.showEntry("e10");
    deepEqual([steps > 1, has("e4")], [true, false]);
    const { length } = fixture.sent;
    fixture.outbox.showEntry("e10");
    fixture.outbox.showEntry("missing");
    equal(fixture.sent.length, length);
  });

  test("sends an answer after the entries that it names", () => {
    const fixture = new Fixture();
    fixture.report("1", "a");
    fixture.outbox.answer(FOUND);
    deepEqual(fixture.sent, ["upsert", "found"]);
    fixture.congested = true;
    fixture.outbox.answer(FOUND);
    deepEqual(fixture.sent, ["upsert", "found"]);
    deepEqual(fixture.shown, fixture.conversation);
  });

  const randomStep = fc.oneof(
    { weight: 5, arbitrary: fc.record({ report: fc.constantFrom("1", "2", "3"), times: fc.constantFrom(1, 2, 700) }) },
    { weight: 3, arbitrary: fc.record({ nested: fc.constantFrom("1", "2"), whole: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ advance: fc.constantFrom(0, 5, BATCH_MS, 40) }) },
    { weight: 1, arbitrary: fc.record({ congested: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ asks: fc.constantFrom("earlier", "snapshot", "entry", "search") }) },
  );
  const windowSize = fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 10 }))
    .map(([weight, more]) => ({ weight, maxWeight: weight + more }));
  test("keeps the page equal to a window of the session without sequence gaps, for random events", () =>
    fc.assert(
      fc.property(fc.array(randomStep, { maxLength: 40 }), fc.option(windowSize), (steps, size) => {
        const fixture = new Fixture(size ?? UNLIMITED);
        let created = 0;
        for (const step of steps)
          if ("report" in step)
            for (let i = 0; i < step.times; i++)
              fixture.report(step.times > 2 ? `e${created++}` : step.report, String(i));
          else if ("nested" in step) fixture.addNested(step.nested, String(created++), step.whole);
          else if ("advance" in step) fixture.clock.advance(step.advance);
          else if ("asks" in step) {
            if (step.asks === "earlier") fixture.outbox.showEarlier();
            else if (step.asks === "entry") fixture.outbox.showEntry("e0");
            else if (step.asks === "search") fixture.outbox.answer(FOUND);
            else fixture.outbox.replay(undefined, 1);
          } else fixture.congested = step.congested;
        fixture.congested = false;
        fixture.clock.advance(BATCH_MS);
        fixture.clock.advance(3_000);
        const { shown, conversation } = fixture,
          count = shown.omitted?.count ?? 0;
        deepEqual(shown.entries, conversation.entries.slice(count));
        if (size === null) equal(count, 0);
        else fixture.showAll();
        deepEqual(fixture.shown, conversation);
      }),
      { numRuns: propertyRuns(100) },
    ));
});
