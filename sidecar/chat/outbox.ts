/**
 * Sends a conversation's events to the host. Events are coalesced to at most one batch per `BATCH_MS`, numbered, and
 * retained for replay. The session is the buffer (`delivery.ts`). The retained events only avoid a snapshot after a
 * short gap.
 *
 * Invariants:
 * - Numbers start at 1 for each boot and have no gaps.
 * - A batch contains at most one event per entry, regardless of the agent's output rate.
 * - The backlog is bounded by `MAX_PENDING_EVENTS`. Above the limit, or while the host is congested, the backlog is
 *   replaced by a snapshot.
 * - These snapshots are rate-limited, except at the end of a turn.
 * - A change is stored before it is sent.
 * - A message has less than a megabyte, except for images, tool calls, terminals and subagents of that size, and for
 *   snapshots of all that the user has loaded.
 * - The host receives only the window of the conversation (`conversation-window.ts`). Changes of entries before it are
 *   not sent.
 */
import {
  lastIndexOf,
  terminalIds,
  type ChatEvent,
  type Conversation,
  type FoundEvent,
} from "../../src/protocol/chat/chat";
import {
  entryPieces,
  eventPieces,
  extended,
  nextWindow,
  omittedBefore,
  windowed,
  ENTRY_WINDOW,
} from "../../src/protocol/chat/conversation-window";
import { wholeWindow } from "../../src/protocol/chat/sliding-window";
import { answer, type Position } from "../../src/protocol/chat/delivery";
import type { ConversationWriter } from "../journal/journal";
import type { Clock } from "../rpc/clock";
import { PendingEvents } from "./pending-events";
import { RetainedEvents, type Numbered } from "./retained-events";

/** The connection to the host, for one session. */
export interface EventSink {
  event(numbered: Numbered): void;
  snapshot(seq: number, conversation: Conversation, requestNumber: number | undefined): void;
  /** Whether the host reads more slowly than the sidecar writes. */
  isCongested(): boolean;
}

/** Three frames at 60 Hz. The page renders less often, and a batch reduces the overhead per message. */
export const BATCH_MS = 48;
const MAX_PENDING_EVENTS = 500;
/** Delay of the next batch per event of the previous one, in milliseconds: the processing time of host and page. */
const EVENT_MS = 2;
/**
 * Minimum and maximum pause between snapshots that replace a backlog. The pause is the duration of the last snapshot
 * times the factor, because the page needs longer to render it.
 */
const SNAPSHOT_PAUSE_MS = 500,
  MAX_SNAPSHOT_PAUSE_MS = 3_000,
  SNAPSHOT_PAUSE_FACTOR = 20;
export class Outbox implements Disposable {
  readonly #sent = new RetainedEvents();
  readonly #pending = new PendingEvents();
  #seq = 0;
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  /** Earliest time of the next batch. */
  #nextFlush = -Infinity;
  /** Events were dropped: the next flush sends a snapshot. */
  #needsSnapshot = false;
  /** Earliest time of the next snapshot that replaces a backlog. */
  #nextSnapshot = -Infinity;
  /** The part of the conversation that the host has received. */
  #window = wholeWindow;
  /** Terminals that the host has for certain. */
  readonly #sentTerminals = new Set<string>();
  /** Time of the last turn event that is not stored, in milliseconds since 1970. */
  #turnAt: number | undefined;

  constructor(
    private readonly bootId: string,
    private readonly conversation: () => Conversation,
    private readonly sink: EventSink,
    private readonly clock: Clock,
    private readonly store: ConversationWriter,
    private readonly windowSize = ENTRY_WINDOW,
  ) {}

  add(event: ChatEvent): void {
    if (event.type === "turn") this.#turnAt = Date.now();
    if (this.#needsSnapshot) {
      this.#number(event);
      if (isTurnEnd(event)) this.#expedite();
      return this.#schedule();
    }
    this.#pending.add(event);
    if (isTurnEnd(event)) this.#expedite();
    if (this.#pending.size > MAX_PENDING_EVENTS) this.#dropPending();
    this.#schedule();
  }

  /** Limits the delay of the next flush to `BATCH_MS`, for the end of a turn. */
  #expedite(): void {
    this.#nextSnapshot = -Infinity;
    this.#nextFlush = this.#lastFlush + BATCH_MS;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Sends the events after the page's position if they are retained, otherwise a snapshot. */
  replay(at: Position | undefined, requestNumber: number): void {
    this.#flush();
    const reply = answer(at, { bootId: this.bootId, first: this.#sent.first ?? this.#seq + 1, last: this.#seq });
    if (reply.kind === "snapshot" || this.#needsSnapshot) {
      this.#needsSnapshot = false;
      this.#resetWindow();
      this.#sendSnapshot(requestNumber);
    } else for (const numbered of this.#sent.after(reply.after)) this.sink.event(numbered);
    this.#sent.limit();
  }

  /** Sends the entries before the window, or some of them. Later entries do not displace those that the user reads. */
  showEarlier(): void {
    this.#flush();
    const { first, extra } = this.#window;
    if (first === 0) {
      this.#window = { first, extra: extra + this.windowSize.weight };
      return;
    }
    const [window, event] = extended(this.#window, this.conversation(), this.windowSize);
    this.#window = window;
    if (!this.#needsSnapshot) this.#send(event);
    this.#sent.limit();
  }

  /** Like `showEarlier`, unless the host has the entry or it does not exist. */
  showEntry(entryId: string): void {
    const at = lastIndexOf(this.conversation().entries, entryId);
    if (at !== -1 && at < this.#window.first) this.showEarlier();
  }

  /** Sends an answer that changes nothing, after the entries that it names. A congested host does not receive it. */
  answer(event: FoundEvent): void {
    this.#flush();
    if (!this.#needsSnapshot && !this.sink.isCongested()) this.#send(event);
    this.#sent.limit();
  }

  [Symbol.dispose](): void {
    this.#flush();
    this.#timer?.[Symbol.dispose]();
  }

  /**
   * Flushes immediately after a pause, so that the first text is not delayed. Otherwise waits until the batch is due.
   */
  #schedule(): void {
    if (this.#timer) return;
    const due = Math.max(this.#nextFlush, this.#needsSnapshot ? this.#nextSnapshot : 0);
    this.#timer = this.clock.after(Math.max(0, due - this.clock.now()), () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    this.store(this.conversation(), this.#turnAt);
    this.#turnAt = undefined;
    this.#lastFlush = this.clock.now();
    this.#nextFlush = this.#lastFlush + Math.max(BATCH_MS, EVENT_MS * this.#pending.size);
    if (this.sink.isCongested()) {
      if (this.#pending.size > 0) this.#dropPending();
      if (this.#needsSnapshot) this.#schedule();
      return;
    }
    if (this.#needsSnapshot) {
      const began = this.clock.now();
      if (began < this.#nextSnapshot) return this.#schedule();
      this.#needsSnapshot = false;
      this.#sendSnapshot(undefined);
      const cost = SNAPSHOT_PAUSE_FACTOR * (this.clock.now() - began);
      this.#nextSnapshot = this.clock.now() + Math.min(MAX_SNAPSHOT_PAUSE_MS, Math.max(SNAPSHOT_PAUSE_MS, cost));
    }
    for (const event of this.#pending.take())
      if (this.#isInWindow(event)) {
        this.#sendTerminalsOf(event);
        this.#send(event);
      }
    this.#slideWindow();
    this.#sent.limit();
  }

  #sendSnapshot(requestNumber: number | undefined): void {
    const conversation = this.conversation();
    this.#window = nextWindow(this.#window, conversation, this.windowSize);
    const shown = windowed(conversation, this.#window.first),
      { entries, rest } = entryPieces(shown.entries);
    this.#sentTerminals.clear();
    this.sink.snapshot(this.#seq, rest.length === 0 ? shown : { ...shown, entries }, requestNumber);
    for (const event of rest) this.#sendPiece(event);
  }

  /** Counts like an event, so that a page with the previous window does not take the snapshot for a repeated one. */
  #resetWindow(): void {
    const { first } = nextWindow(wholeWindow, this.conversation(), this.windowSize);
    if (first !== this.#window.first) {
      this.#seq++;
      this.#sent.clear();
    }
    this.#window = wholeWindow;
  }

  #send(event: ChatEvent): void {
    for (const piece of eventPieces(event)) this.#sendPiece(piece);
  }

  #sendPiece(event: ChatEvent): void {
    const numbered = this.#number(event);
    this.#sent.add(numbered);
    this.sink.event(numbered);
  }

  #isInWindow(event: ChatEvent): boolean {
    const { first } = this.#window;
    if (first === 0) return true;
    const { entries } = this.conversation(),
      terminalId = terminalOf(event),
      id = entryOf(event);
    if (terminalId !== undefined)
      return terminalIds(entries.slice(first)).has(terminalId) || !terminalIds(entries).has(terminalId);
    return id === undefined || lastIndexOf(entries, id) >= first;
  }

  /** Sends terminals of the event's entry that the host may have removed with earlier entries. */
  #sendTerminalsOf(event: ChatEvent): void {
    const terminalId = terminalOf(event),
      id = entryOf(event);
    if (terminalId !== undefined) this.#sentTerminals.add(terminalId);
    if (this.#window.first === 0 || id === undefined || event.type === "append") return;
    const { entries, terminals = [] } = this.conversation(),
      entry = entries[lastIndexOf(entries, id)],
      ids = entry === undefined ? new Set<string>() : terminalIds([entry]);
    for (const terminal of terminals)
      if (ids.has(terminal.terminalId) && !this.#sentTerminals.has(terminal.terminalId)) {
        this.#sentTerminals.add(terminal.terminalId);
        this.#send({ type: "terminal", terminal });
      }
  }

  #slideWindow(): void {
    const conversation = this.conversation(),
      window = nextWindow(this.#window, conversation, this.windowSize);
    if (window.first > this.#window.first) {
      this.#sentTerminals.clear();
      this.#send({ type: "trimmed", omitted: omittedBefore(conversation.entries, window.first) });
    }
    this.#window = window;
  }

  /** Drops the pending events, but counts their numbers, so that the page detects the gap. */
  #dropPending(): void {
    const dropped = this.#pending.take();
    for (const event of dropped) this.#number(event);
    if (dropped.some(isTurnEnd)) this.#expedite();
    this.#sent.clear();
    this.#needsSnapshot = true;
  }

  #number(event: ChatEvent): Numbered {
    return { seq: ++this.#seq, event };
  }
}

function isTurnEnd(event: ChatEvent): boolean {
  return event.type === "turn" && event.turn.state === "idle";
}

/** Id of the terminal that the event changes. */
function terminalOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case "terminal":
      return event.terminal.terminalId;
    case "terminalOutput":
      return event.terminalId;
    default:
      return undefined;
  }
}

/** Id of the entry that the event changes, outside of subagents. */
function entryOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case "upsert":
      return event.entry.id;
    case "append":
    case "nested":
      return event.id;
    default:
      return undefined;
  }
}
