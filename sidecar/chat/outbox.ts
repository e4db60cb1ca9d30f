/**
 * Sends a conversation's events to the host. Events are coalesced to at most one batch per `BATCH_MS`, numbered, and
 * kept for clients that missed some. The session is the buffer (delivery.ts); the kept events only make short gaps
 * cheap.
 *
 * Invariants:
 * - Numbers start at 1 for each boot and have no gaps.
 * - A batch has at most one event per entry, however fast the agent writes.
 * - The backlog is bounded by `WAITING_LIMIT`. Above that, or while the host does not read, the backlog is dropped and
 *   a snapshot is sent instead.
 * - Between two such snapshots there is a pause.
 * - A change is stored before it is sent.
 */
import type { ChatEvent, Conversation } from "../../src/protocol/chat/chat";
import { answer, type Position } from "../../src/protocol/chat/delivery";
import type { ConversationWriter } from "../journal/journal";
import type { Clock } from "../rpc/clock";

export interface Numbered {
  readonly seq: number;
  readonly event: ChatEvent;
}

/** The connection to the host, for one session. */
export interface EventSink {
  event(numbered: Numbered): void;
  snapshot(seq: number, conversation: Conversation, requestNumber: number | undefined): void;
  /** Whether the host reads more slowly than the sidecar writes. */
  isCongested(): boolean;
}

/** Three frames at 60 Hz. The page renders less often than that, and each message costs more than its content. */
export const BATCH_MS = 48;
const WAITING_LIMIT = 500;
/** Milliseconds per event by which the batch after a large one is delayed: host and page need this long for each. */
const EVENT_MS = 2;
/**
 * Minimum and maximum pause between two snapshots that replace a backlog. The factor multiplies the time that the last
 * snapshot took here, because it takes the page longer.
 */
const SNAPSHOT_PAUSE_MS = 500,
  MAX_SNAPSHOT_PAUSE_MS = 3_000,
  SNAPSHOT_PAUSE_FACTOR = 20;
/** Maximum number and characters of events kept for a short gap. */
const MAX_RETAINED_EVENTS = 512,
  MAX_RETAINED_CHARACTERS = 2_000_000;

export class Outbox implements Disposable {
  readonly #sent: Numbered[] = [];
  #sentSize = 0;
  #seq = 0;
  #waiting: (ChatEvent | undefined)[] = [];
  /** Key of an event that a later one can be merged into → its index in `#waiting`; see `keyOf`. */
  readonly #joinable = new Map<string, number>();
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  /** Earliest time of the next batch. */
  #nextFlush = -Infinity;
  /** Events were dropped: the next flush sends a snapshot. */
  #skipped = false;
  /** Earliest time of the next snapshot that replaces a backlog. */
  #nextSnapshot = -Infinity;

  constructor(
    private readonly bootId: string,
    private readonly conversation: () => Conversation,
    private readonly sink: EventSink,
    private readonly clock: Clock,
    private readonly store: ConversationWriter,
  ) {}

  add(event: ChatEvent): void {
    if (this.#skipped) {
      this.#number(event);
      if (isTurnEnd(event)) this.#hurry();
      return this.#schedule();
    }
    this.#wait(event);
    if (isTurnEnd(event)) this.#hurry();
    if (this.#waiting.length > WAITING_LIMIT) this.#skip();
    this.#schedule();
  }

  /** The end of a turn waits only for the pause between two batches. */
  #hurry(): void {
    this.#nextSnapshot = -Infinity;
    this.#nextFlush = this.#lastFlush + BATCH_MS;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Merges the event into a waiting one for the same entry. Later waiting events do not depend on it. */
  #wait(event: ChatEvent): void {
    const key = keyOf(event),
      at = key === undefined ? undefined : this.#joinable.get(key),
      before = at === undefined ? undefined : this.#waiting[at];
    const merged = before && merge(before, event);
    if (merged && at !== undefined) this.#waiting[at] = merged;
    else this.#waiting.push(event);
    if (key !== undefined && !merged) this.#joinable.set(key, this.#waiting.length - 1);
    if (event.type === "upsert" && event.entry.kind === "subagent") this.#replaceNested(event.entry.id);
  }

  /** The whole entry supersedes waiting changes inside it. */
  #replaceNested(id: string): void {
    for (const [key, at] of this.#joinable)
      if (key.startsWith(insideOf(id))) {
        this.#waiting[at] = undefined;
        this.#joinable.delete(key);
      }
  }

  #takeWaiting(): readonly ChatEvent[] {
    this.#joinable.clear();
    return this.#waiting.splice(0).filter(event => event !== undefined);
  }

  /**
   * Responds to a page that reports its position: with the missed events if they are kept, otherwise with a snapshot.
   */
  replay(at: Position | undefined, requestNumber: number): void {
    this.#flush();
    const reply = answer(at, { bootId: this.bootId, first: this.#sent[0]?.seq ?? this.#seq + 1, last: this.#seq });
    if (reply.kind === "snapshot" || this.#skipped) {
      this.#skipped = false;
      this.sink.snapshot(this.#seq, this.conversation(), requestNumber);
    } else for (const numbered of this.#sent) if (numbered.seq > reply.after) this.sink.event(numbered);
  }

  [Symbol.dispose](): void {
    this.#flush();
    this.#timer?.[Symbol.dispose]();
  }

  /** Flushes at once after a pause, so that the first text is not delayed; otherwise when the next batch is due. */
  #schedule(): void {
    if (this.#timer) return;
    const due = Math.max(this.#nextFlush, this.#skipped ? this.#nextSnapshot : 0);
    this.#timer = this.clock.after(Math.max(0, due - this.clock.now()), () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    this.store(this.conversation());
    this.#lastFlush = this.clock.now();
    this.#nextFlush = this.#lastFlush + Math.max(BATCH_MS, EVENT_MS * this.#waiting.length);
    if (this.sink.isCongested()) {
      if (this.#waiting.length > 0) this.#skip();
      if (this.#skipped) this.#schedule();
      return;
    }
    if (this.#skipped) {
      const began = this.clock.now();
      if (began < this.#nextSnapshot) return this.#schedule();
      this.#skipped = false;
      this.sink.snapshot(this.#seq, this.conversation(), undefined);
      const cost = SNAPSHOT_PAUSE_FACTOR * (this.clock.now() - began);
      this.#nextSnapshot = this.clock.now() + Math.min(MAX_SNAPSHOT_PAUSE_MS, Math.max(SNAPSHOT_PAUSE_MS, cost));
    }
    for (const event of this.#takeWaiting()) {
      const numbered = this.#number(event);
      this.#sent.push(numbered);
      this.#sentSize += sizeOf(event);
      this.sink.event(numbered);
    }
    while (this.#sent.length > MAX_RETAINED_EVENTS || this.#sentSize > MAX_RETAINED_CHARACTERS)
      this.#sentSize -= sizeOf(this.#sent.shift()?.event);
  }

  /** Numbers the dropped events, so that the next event is not taken for their successor. */
  #skip(): void {
    const dropped = this.#takeWaiting();
    for (const event of dropped) this.#number(event);
    if (dropped.some(isTurnEnd)) this.#hurry();
    this.#sent.length = 0;
    this.#sentSize = 0;
    this.#skipped = true;
  }

  #number(event: ChatEvent): Numbered {
    return { seq: ++this.#seq, event };
  }
}

/** Approximate number of characters: only the size of large events matters. */
function sizeOf(event: ChatEvent | undefined): number {
  switch (event?.type) {
    case "append":
    case "terminalOutput":
      return event.text.length;
    case "terminal":
      return event.terminal.output.length;
    case "upsert":
      return event.entry.kind === "agent" ? event.entry.text.length : JSON.stringify(event.entry).length;
    case "nested":
      return sizeOf(event.event);
    case "queue":
    case "commands":
    case "controls":
      return JSON.stringify(event).length;
    default:
      return 100;
  }
}

function isTurnEnd(event: ChatEvent): boolean {
  return event.type === "turn" && event.turn.state === "idle";
}

/**
 * Events with the same key change the same object and nothing else. `undefined`: the event must keep its order among
 * all others.
 */
function keyOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case "upsert":
      return `entry ${event.entry.id}`;
    case "append":
      return `entry ${event.id}`;
    case "nested":
      return `${insideOf(event.id)}${keyOf(event.event) ?? ""}`;
    case "terminal":
      return `terminal ${event.terminal.terminalId}`;
    case "terminalOutput":
      return `terminal ${event.terminalId}`;
    case "usage":
    case "commands":
    case "controls":
    case "title":
      return event.type;
    case "turn":
    case "queue":
    case "accepts":
    case "details":
    case "bypassed":
      return undefined;
  }
}

function insideOf(id: string): string {
  return `in ${id.length} ${id} `;
}

/** Merges two events with the same key into one with the same effect; `undefined` if that is not possible. */
function merge(first: ChatEvent, second: ChatEvent): ChatEvent | undefined {
  if (second.type === "nested") {
    const merged = first.type === "nested" ? merge(first.event, second.event) : undefined;
    return merged?.type === "upsert" || merged?.type === "append" || merged?.type === "nested"
      ? { ...second, event: merged }
      : undefined;
  }
  if (second.type === "append") return withText(first, second);
  return second.type === "terminalOutput" ? withOutput(first, second) : second;
}

function withText(
  first: ChatEvent,
  { offset, text }: Extract<ChatEvent, { readonly type: "append" }>,
): ChatEvent | undefined {
  if (first.type === "append")
    return offset === first.offset + first.text.length ? { ...first, text: first.text + text } : undefined;
  if (
    first.type !== "upsert" ||
    first.entry.kind === "notice" ||
    first.entry.kind === "plan" ||
    !("text" in first.entry)
  )
    return undefined;
  return offset === first.entry.text.length
    ? { type: "upsert", entry: { ...first.entry, text: first.entry.text + text } }
    : undefined;
}

function withOutput(
  first: ChatEvent,
  { offset, text }: Extract<ChatEvent, { readonly type: "terminalOutput" }>,
): ChatEvent | undefined {
  return first.type === "terminalOutput" && offset === first.offset + first.text.length
    ? { ...first, text: first.text + text }
    : undefined;
}
