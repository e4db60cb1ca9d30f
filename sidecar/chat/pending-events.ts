/**
 * The events of a conversation that wait for the next batch. An event is merged into a pending one that changes the
 * same object, because the events in between do not depend on it. So an entry has at most one pending event, except for
 * text that does not continue the pending one.
 */
import type { ChatEvent } from "../../src/protocol/chat/chat";

export class PendingEvents {
  #events: (ChatEvent | undefined)[] = [];
  /** Key of a pending event → its index in `#events`; see `keyOf`. */
  readonly #mergeable = new Map<string, number>();

  /** Number of events, including those that a complete entry has replaced. */
  get size(): number {
    return this.#events.length;
  }

  add(event: ChatEvent): void {
    const key = keyOf(event),
      at = key === undefined ? undefined : this.#mergeable.get(key),
      before = at === undefined ? undefined : this.#events[at];
    const merged = before && merge(before, event);
    if (merged && at !== undefined) this.#events[at] = merged;
    else this.#events.push(event);
    if (key !== undefined && !merged) this.#mergeable.set(key, this.#events.length - 1);
    if (event.type === "upsert" && event.entry.kind === "subagent") this.#replaceNested(event.entry.id);
  }

  /** Removes all events and returns them in order. */
  take(): readonly ChatEvent[] {
    this.#mergeable.clear();
    return this.#events.splice(0).filter(event => event !== undefined);
  }

  /** Drops the events of nested entries, which the complete entry contains. */
  #replaceNested(id: string): void {
    for (const [key, at] of this.#mergeable)
      if (key.startsWith(nestedPrefix(id))) {
        this.#events[at] = undefined;
        this.#mergeable.delete(key);
      }
  }
}

/**
 * Events with the same key change the same object and nothing else. `undefined`: the event must keep its position among
 * all others.
 */
function keyOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case "upsert":
      return `entry ${event.entry.id}`;
    case "append":
      return `entry ${event.id}`;
    case "nested":
      return `${nestedPrefix(event.id)}${keyOf(event.event) ?? ""}`;
    case "terminal":
      return `terminal ${event.terminal.terminalId}`;
    case "terminalOutput":
      return `terminal ${event.terminalId}`;
    case "usage":
    case "commands":
    case "controls":
    case "title":
    case "renamed":
    case "start":
    case "review":
      return event.type;
    case "turn":
    case "queue":
    case "accepts":
    case "details":
    case "bypassed":
    case "earlier":
    case "trimmed":
    case "found":
      return undefined;
  }
}

function nestedPrefix(id: string): string {
  return `in ${id.length} ${id} `;
}

/** Merges two events with the same key into one with the same effect; `undefined` if they cannot be merged. */
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
