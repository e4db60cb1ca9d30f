/**
 * The last events that were sent to the host, for replay to a page. Limited in number and characters: a page with an
 * older position receives a snapshot.
 */
import type { ChatEvent } from "../../src/protocol/chat/chat";

export interface Numbered {
  readonly seq: number;
  readonly event: ChatEvent;
}

const MAX_EVENTS = 512,
  MAX_CHARACTERS = 2_000_000;

export class RetainedEvents {
  #events: Numbered[] = [];
  #characters = 0;

  get first(): number | undefined {
    return this.#events[0]?.seq;
  }

  add(numbered: Numbered): void {
    this.#events.push(numbered);
    this.#characters += sizeOf(numbered.event);
  }

  after(seq: number): readonly Numbered[] {
    return this.#events.filter(numbered => numbered.seq > seq);
  }

  clear(): void {
    this.#events = [];
    this.#characters = 0;
  }

  /** Drops the oldest events above the limits. */
  limit(): void {
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS)
      this.#characters -= sizeOf(this.#events.shift()?.event);
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
    case "earlier":
    case "found":
      return JSON.stringify(event).length;
    default:
      return 100;
  }
}
