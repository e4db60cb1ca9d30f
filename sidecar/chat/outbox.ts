/**
 * The way of a conversation's events to the host: coalesced to at most one batch per `BATCH_MS`, numbered, kept for those who
 * missed some. The session is the buffer (delivery.ts); what is kept here only makes short gaps cheap.
 *
 * Invariants: numbers have no gaps, from 1, per boot; an event is in the journal before it is sent; text of one entry
 * grows by one `append` a batch however fast the agent writes; what waits is bounded by `WAITING_LIMIT`, beyond it, or while
 * the host does not read, the backlog is dropped and a snapshot sent in its place.
 */
import type { ChatEvent, Conversation } from "../../src/protocol/chat";
import { answer, type Position } from "../../src/protocol/delivery";
import type { Journal } from "../journal/journal";
import type { Clock } from "../rpc/clock";

export interface Numbered { readonly seq: number; readonly event: ChatEvent }

/** The wire to the host, for one session. */
export interface Outlet {
  event(numbered: Numbered): void;
  snapshot(seq: number, conversation: Conversation, asked: number | undefined): void;
  /** Whether the host reads more slowly than we write. */
  isCongested(): boolean;
}

/** Three frames at 60 Hz: the page draws more rarely than that, and each message costs it more than what is in it. */
export const BATCH_MS = 48;
const WAITING_LIMIT = 500;
/** Events kept for a short gap: by number, and by their text. */
const KEPT_EVENTS = 512, KEPT_CHARACTERS = 2_000_000;

export class Outbox implements Disposable {
  readonly #kept: Numbered[] = [];
  #keptSize = 0;
  #seq = 0;
  #waiting: ChatEvent[] = [];
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  /** Something was dropped: the next flush is a snapshot. */
  #skipped = false;

  constructor(
    private readonly bootId: string,
    private readonly conversation: () => Conversation,
    private readonly journal: Journal,
    private readonly outlet: Outlet,
    private readonly clock: Clock,
  ) {}

  add(event: ChatEvent): void {
    if (this.#skipped) {
      this.#number(event);
      return this.#schedule();
    }
    const last = this.#waiting.at(-1);
    const merged = last && merge(last, event);
    if (merged) this.#waiting[this.#waiting.length - 1] = merged;
    else this.#waiting.push(event);
    if (this.#waiting.length > WAITING_LIMIT) this.#skip();
    this.#schedule();
  }

  /** Answers a page that says where it is: the events it missed while they are kept, else a snapshot. */
  replay(at: Position | undefined, asked: number): void {
    this.#flush();
    const reply = answer(at, { bootId: this.bootId, first: this.#kept[0]?.seq ?? this.#seq + 1, last: this.#seq });
    if (reply.kind === "snapshot" || this.#skipped) this.outlet.snapshot(this.#seq, this.conversation(), asked);
    else for (const numbered of this.#kept) if (numbered.seq > reply.after) this.outlet.event(numbered);
  }

  [Symbol.dispose](): void {
    this.#flush();
    this.#timer?.[Symbol.dispose]();
  }

  /** At once after a pause, so that a first word does not wait; else when the time of the last batch is over. */
  #schedule(): void {
    if (this.#timer) return;
    const due = this.#lastFlush + BATCH_MS - this.clock.now();
    this.#timer = this.clock.after(Math.max(0, due), () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    this.#lastFlush = this.clock.now();
    if (this.outlet.isCongested()) {
      if (this.#waiting.length > 0) this.#skip();
      if (this.#skipped) this.#schedule();
      return;
    }
    if (this.#skipped) {
      this.#skipped = false;
      this.outlet.snapshot(this.#seq, this.conversation(), undefined);
    }
    for (const event of this.#waiting.splice(0)) {
      const numbered = this.#number(event);
      this.#kept.push(numbered);
      this.#keptSize += sizeOf(event);
      this.outlet.event(numbered);
    }
    while (this.#kept.length > KEPT_EVENTS || this.#keptSize > KEPT_CHARACTERS) this.#keptSize -= sizeOf(this.#kept.shift()?.event);
  }

  /** Numbers what is dropped, so that nobody takes the next event for its successor. */
  #skip(): void {
    for (const event of this.#waiting.splice(0)) this.#number(event);
    this.#kept.length = 0;
    this.#keptSize = 0;
    this.#skipped = true;
  }

  #number(event: ChatEvent): Numbered {
    const numbered = { seq: ++this.#seq, event };
    this.journal.append(numbered);
    return numbered;
  }
}

/** Characters, roughly: what counts is that large things count. */
function sizeOf(event: ChatEvent | undefined): number {
  switch (event?.type) {
    case "append": case "terminalOutput": return event.text.length;
    case "terminal": return event.terminal.output.length;
    case "upsert": return event.entry.kind === "agent" ? event.entry.text.length : JSON.stringify(event.entry).length;
    case "queue": case "commands": case "controls": return JSON.stringify(event).length;
    default: return 100;
  }
}

/** Two events as one with the same effect, or `undefined`. */
function merge(first: ChatEvent, second: ChatEvent): ChatEvent | undefined {
  if (first.type === "append" && second.type === "append")
    return first.id === second.id && second.offset === first.offset + first.text.length ? { ...first, text: first.text + second.text } : undefined;
  if (first.type === "upsert" && second.type === "upsert") return first.entry.id === second.entry.id ? second : undefined;
  if (first.type === "upsert" && second.type === "append" && first.entry.id === second.id && first.entry.kind !== "notice" && "text" in first.entry && second.offset === first.entry.text.length)
    return { type: "upsert", entry: { ...first.entry, text: first.entry.text + second.text } };
  return undefined;
}
