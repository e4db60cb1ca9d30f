/**
 * The part of a conversation that a page has: its newest entries, and earlier ones that the user has asked for (issue
 * 16 item 4). The sidecar determines it, because it numbers the events. Pure.
 *
 * Invariants:
 * - A page with a window and its events contains the same entries as the sidecar's conversation after the omitted ones.
 * - An open question and the newest prompt are in the window, unless more than `PINNED_WEIGHT` follows them.
 */
import {
  remainingTerminals,
  terminalIds,
  type ChatEvent,
  type Conversation,
  type Entry,
  type Omitted,
  type WindowEvent,
} from "./chat";
import { slide, showEarlier, weigh, weightOfCharacters, type SlidingWindow, type WindowLimits } from "./sliding-window";

/** Larger than the window of drawn cards, so that a page rarely waits. */
export const ENTRY_WINDOW: WindowSize = { weight: 200, maxWeight: 300 };
/** About 600,000 characters: with escape sequences, a message of less than a megabyte. */
const PINNED_WEIGHT = 600;
/** A page has few prompts in flight. */
const MAX_PROMPT_IDS = 50;
/** Characters of the first prompt. */
const MAX_TITLE = 200;

export type WindowSize = Pick<WindowLimits<Entry>, "weight" | "maxWeight">;

/** The window after a change. It never begins earlier than before, because the page does not have earlier entries. */
export function nextWindow(window: SlidingWindow, conversation: Conversation, size = ENTRY_WINDOW): SlidingWindow {
  const { entries } = conversation,
    limits = limitsOf(conversation, size),
    slid = slide(window, entries, limits);
  if (slid.first === window.first) return slid;
  const pinned = [entries.findIndex(isOpenQuestion), entries.findLastIndex(({ kind }) => kind === "user")].filter(
    index =>
      index >= window.first && weigh(entries, index, entries.length, limits.weightOf) <= PINNED_WEIGHT + slid.extra,
  );
  return { ...slid, first: Math.min(slid.first, ...pinned) };
}

/** The conversation without the entries before the window. */
export function windowed(conversation: Conversation, first: number): Conversation {
  if (first === 0) return conversation;
  const entries = conversation.entries.slice(first);
  return {
    ...conversation,
    omitted: omittedBefore(conversation.entries, first),
    entries,
    ...(conversation.terminals === undefined ? {} : remainingTerminals(conversation, entries)),
  };
}

/** The window extended at the user's request, and the event with the entries that it adds. */
export function extended(
  window: SlidingWindow,
  conversation: Conversation,
  size = ENTRY_WINDOW,
): readonly [SlidingWindow, WindowEvent] {
  const { entries } = conversation,
    next = showEarlier(window, entries, limitsOf(conversation, size)),
    { omitted, terminals = [] } = windowed(conversation, next.first),
    later = new Set(windowed(conversation, window.first).terminals?.map(({ terminalId }) => terminalId));
  return [
    next,
    {
      type: "earlier",
      entries: entries.slice(next.first, window.first),
      terminals: terminals.filter(({ terminalId }) => !later.has(terminalId)),
      ...(omitted === undefined ? {} : { omitted }),
    },
  ];
}

export function omittedBefore(entries: readonly Entry[], first: number): Omitted {
  const promptIds: string[] = [];
  for (let i = first - 1; i >= 0 && promptIds.length < MAX_PROMPT_IDS; i--) {
    const entry = entries[i];
    if (entry?.kind === "user") promptIds.push(entry.id);
  }
  const prompt = entries.find(({ kind }) => kind === "user"),
    firstPrompt = prompt?.kind === "user" && promptIds.length > 0 ? prompt.text.slice(0, MAX_TITLE) : undefined,
    newest = entries.findLastIndex(({ kind }) => kind === "user"),
    newestPrompt = newest < first ? entries[newest] : undefined;
  return {
    count: first,
    promptIds,
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(newestPrompt?.kind === "user" ? { newestPrompt } : {}),
  };
}

/** UTF-16 units of a text in one message. */
const MAX_TEXT = 250_000;

/**
 * Splits texts that would make a message larger than a megabyte: the event with the start of each, and events that
 * append the rest.
 */
export function eventPieces(event: ChatEvent): readonly ChatEvent[] {
  switch (event.type) {
    case "upsert": {
      const { entries, rest } = entryPieces([event.entry]);
      return rest.length === 0 ? [event] : [...entries.map(entry => ({ ...event, entry })), ...rest];
    }
    case "earlier": {
      const { entries, rest } = entryPieces(event.entries);
      return rest.length === 0 ? [event] : [{ ...event, entries }, ...rest];
    }
    case "append":
      return event.text.length <= MAX_TEXT ? [event] : textPieces(event.id, event.offset, event.text);
    default:
      return [event];
  }
}

/** The entries with the start of each long text, and events that append the rest. */
export function entryPieces(all: readonly Entry[]): {
  readonly entries: readonly Entry[];
  readonly rest: readonly ChatEvent[];
} {
  if (!all.some(isLong)) return { entries: all, rest: [] };
  return {
    entries: all.map(entry => (isLong(entry) ? { ...entry, text: entry.text.slice(0, MAX_TEXT) } : entry)),
    rest: all.flatMap(entry => (isLong(entry) ? textPieces(entry.id, MAX_TEXT, entry.text.slice(MAX_TEXT)) : [])),
  };
}

function isLong(entry: Entry): entry is Extract<Entry, { readonly kind: "agent" | "user" | "thought" }> {
  return (entry.kind === "agent" || entry.kind === "user" || entry.kind === "thought") && entry.text.length > MAX_TEXT;
}

function textPieces(id: string, offset: number, text: string): readonly ChatEvent[] {
  return Array.from({ length: Math.ceil(text.length / MAX_TEXT) }, (_, i) => ({
    type: "append",
    id,
    offset: offset + i * MAX_TEXT,
    text: text.slice(i * MAX_TEXT, (i + 1) * MAX_TEXT),
  }));
}

function isOpenQuestion(entry: Entry): boolean {
  return (entry.kind === "permission" || entry.kind === "elicitation") && entry.answered === undefined;
}

/** The output of a terminal counts for each entry that shows it. */
function limitsOf({ terminals = [] }: Conversation, size: WindowSize): WindowLimits<Entry> {
  const outputs = new Map(terminals.map(({ terminalId, output }) => [terminalId, output.length])),
    outputOf = (entry: Entry): number =>
      outputs.size === 0 ? 0 : [...terminalIds([entry])].reduce((sum, id) => sum + (outputs.get(id) ?? 0), 0);
  return { ...size, weightOf: entry => weightOfCharacters(sizeOf(entry) + outputOf(entry)) };
}

/** Characters of the entries that were counted before. Entries are never modified. */
const counted = new WeakMap<Entry, number>();

function sizeOf(entry: Entry): number {
  const known = counted.get(entry),
    size = known ?? charactersOf(entry);
  if (known === undefined) counted.set(entry, size);
  return size;
}

function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + charactersOf(member), 0);
}
