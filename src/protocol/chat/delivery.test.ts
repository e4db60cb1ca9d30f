import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { answer, append, ask, receive, type Position, type PageCursor } from "./delivery";

/** A piece of one of two texts: the smallest session in which order matters. `n` counts the pieces across boots. */
interface Piece {
  readonly n: number;
  readonly id: "a" | "b";
  readonly offset: number;
  readonly text: string;
}
type Content = Readonly<Record<"a" | "b", string>>;
type Message =
  | { readonly to: "page"; readonly kind: "event"; readonly at: Position; readonly piece: Piece }
  | {
      readonly to: "page";
      readonly kind: "snapshot";
      readonly at: Position;
      readonly requestNumber: number;
      readonly content: Content;
      readonly n: number;
    }
  | { readonly to: "sidecar"; readonly kind: "ready"; readonly seen: PageCursor };

/** Sidecar and page with the delivery rules, over an unreliable connection. */
class Fixture {
  wire: Message[] = [];
  // Sidecar: the conversation survives a restart, the rest does not.
  readonly pieces: Piece[] = [];
  #boot = 1;
  #seqBefore = 0; // pieces before this boot
  // Page.
  #seen: PageCursor = { at: undefined, requestNumber: 0, tooLate: 0 };
  page: Content = { a: "", b: "" };
  shown = 0;

  report(id: "a" | "b", text: string): void {
    const piece = { n: this.pieces.length + 1, id, offset: this.content()[id].length, text };
    this.pieces.push(piece);
    this.wire.push(this.#event(piece));
  }
  content(): Content {
    const of = (id: string) =>
      this.pieces
        .filter(p => p.id === id)
        .map(p => p.text)
        .join("");
    return { a: of("a"), b: of("b") };
  }
  restart(): void {
    this.#boot++;
    this.#seqBefore = this.pieces.length;
  }
  /** Recreates the page without its content. */
  reload(): void {
    const after = this.#seen.requestNumber + 1_000;
    this.#seen = { at: undefined, requestNumber: after, tooLate: after };
    this.page = { a: "", b: "" };
    this.shown = 0;
    this.ready();
  }
  ready(): void {
    this.#seen = ask(this.#seen);
    this.#send();
  }
  #send(): void {
    this.wire.push({ to: "sidecar", kind: "ready", seen: this.#seen });
  }

  deliver(message: Message): void {
    if (message.to === "sidecar") {
      const last = this.pieces.length - this.#seqBefore;
      const reply = answer(message.seen.at, { bootId: `b${this.#boot}`, first: Math.max(1, last - 4), last });
      if (reply.kind === "events")
        this.wire.push(...this.pieces.slice(this.#seqBefore + reply.after).map(piece => this.#event(piece)));
      else
        this.wire.push({
          to: "page",
          kind: "snapshot",
          at: { bootId: `b${this.#boot}`, seq: last },
          requestNumber: message.seen.requestNumber,
          content: this.content(),
          n: this.pieces.length,
        });
      return;
    }
    const { kind, seen } = receive(this.#seen, { ...message.at, ...message });
    this.#seen = seen;
    switch (kind) {
      case "skip":
        return;
      case "requestReplay":
      case "startOver":
        return this.#send();
      case "show":
        if (message.kind === "snapshot") {
          ok(message.n >= this.shown, "a snapshot took something back");
          this.page = message.content;
          this.shown = message.n;
        } else {
          equal(message.piece.n, this.shown + 1, "shown twice, or out of order");
          const text = append(this.page[message.piece.id], message.piece);
          ok(text !== undefined);
          this.page = { ...this.page, [message.piece.id]: text };
          this.shown = message.piece.n;
        }
    }
  }
  #event(piece: Piece): Message {
    return { to: "page", kind: "event", at: { bootId: `b${this.#boot}`, seq: piece.n - this.#seqBefore }, piece };
  }
}

const span = fc.tuple(fc.nat(8), fc.integer({ min: 1, max: 6 }));
const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      id: fc.constantFrom("a" as const, "b" as const),
      text: fc.string({ minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("deliver" as const), span }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("drop" as const, "repeat" as const, "reorder" as const), span }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("restart" as const, "reload" as const, "ready" as const) }),
  },
);

suite("delivery", () => {
  test("shows everything once in order despite drops, repeats, reorders, reloads and restarts (property)", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), moves => {
        const fixture = new Fixture();
        fixture.ready();
        for (const m of moves)
          switch (m.kind) {
            case "say":
              fixture.report(m.id, m.text);
              break;
            case "deliver":
              fixture.wire.splice(0, m.span[1]).forEach(message => fixture.deliver(message));
              break;
            case "drop":
              fixture.wire.splice(...m.span);
              break;
            case "repeat":
              fixture.wire.push(...fixture.wire.slice(m.span[0], m.span[0] + m.span[1]));
              break;
            case "reorder":
              fixture.wire.splice(m.span[0], 0, ...fixture.wire.splice(...m.span).reverse());
              break;
            case "restart":
            case "reload":
            case "ready":
              fixture[m.kind]();
              break;
          }
        fixture.ready(); // the page requests once more, and from now on nothing is lost
        for (let rounds = 0; fixture.wire.length > 0; rounds++) {
          ok(rounds < 10_000, "the two ask each other for ever");
          fixture.wire.splice(0, 1).forEach(message => fixture.deliver(message));
        }
        deepEqual(fixture.page, fixture.content());
        equal(fixture.shown, fixture.pieces.length);
      }),
      { numRuns: 3000 },
    ));

  test("fills a short gap with events and a long one with a snapshot", () => {
    deepEqual(answer({ bootId: "b1", seq: 7 }, { bootId: "b1", first: 5, last: 9 }), { kind: "events", after: 7 });
    deepEqual(answer({ bootId: "b1", seq: 4 }, { bootId: "b1", first: 5, last: 9 }), { kind: "events", after: 4 });
    deepEqual(answer({ bootId: "b1", seq: 3 }, { bootId: "b1", first: 5, last: 9 }), { kind: "snapshot" });
    deepEqual(answer({ bootId: "b0", seq: 7 }, { bootId: "b1", first: 5, last: 9 }), { kind: "snapshot" });
    deepEqual(answer(undefined, { bootId: "b1", first: 5, last: 9 }), { kind: "snapshot" });
  });

  test("accepts sequence numbers that restart with another boot", () => {
    const seen: PageCursor = { at: { bootId: "b1", seq: 41 }, requestNumber: 7, tooLate: 0 };
    const over = receive(seen, { kind: "event", bootId: "b2", seq: 1 });
    deepEqual(over, { kind: "startOver", seen: { at: { bootId: "b2", seq: -1 }, requestNumber: 8, tooLate: 7 } });
    equal(receive(over.seen, { kind: "event", bootId: "b2", seq: 2 }).kind, "requestReplay"); // its snapshot may be lost
    // from a dead sidecar
    equal(receive(over.seen, { kind: "snapshot", bootId: "b1", seq: 42, requestNumber: 7 }).kind, "requestReplay");
    deepEqual(receive(over.seen, { kind: "snapshot", bootId: "b2", seq: 0, requestNumber: 8 }), {
      kind: "show",
      seen: { at: { bootId: "b2", seq: 0 }, requestNumber: 8, tooLate: 7 },
    });
  });

  test("accepts an unrequested snapshot only if it is newer", () => {
    const seen: PageCursor = { at: { bootId: "b1", seq: 5 }, requestNumber: 7, tooLate: 0 };
    equal(receive(seen, { kind: "snapshot", bootId: "b1", seq: 9 }).kind, "show");
    equal(receive(seen, { kind: "snapshot", bootId: "b1", seq: 5 }).kind, "skip");
    equal(receive(seen, { kind: "snapshot", bootId: "b2", seq: 9 }).kind, "requestReplay");
  });

  test("ignores repeated or overlapping text", () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(), (before, piece, cut) => {
        const once = append(before, { offset: before.length, text: piece })!;
        equal(once, before + piece);
        const from = cut % (once.length + 1);
        equal(append(once, { offset: before.length, text: piece }), once);
        equal(append(once, { offset: from, text: once.slice(from) }), once);
        equal(append(before, { offset: before.length + 1, text: piece }), undefined);
      }),
    ));
});
