/**
 * Encodes a list of messages as a delta to an earlier list: runs of repeated messages, and new messages. A history
 * mostly grows at its end. The delta contains only changed and inserted messages. Exact: a run repeats only equal
 * messages. Pure.
 */
import type { ChatMessage, ChatPart, Run } from "./lm";
import { sameMessage, type Message } from "./same-message";

/** `items`: runs, and indexes of new messages. `repeated`: number of messages in runs. */
export interface Delta {
  readonly items: readonly (Run | number)[];
  readonly repeated: number;
}

/** The search for a message starts at its expected index and covers this number of messages before and after it. */
const BEHIND = 2,
  AHEAD = 8;
/** After this number of new messages in a row, the remaining ones count as new. */
const MAX_NEW = 64;
/** A history is continued if at most this number of its messages are not repeated. */
const REWRITTEN = 4;

export function deltaOf(before: readonly Message[], after: readonly Message[]): Delta {
  const items: (Run | number)[] = [];
  let expected = 0,
    repeated = 0,
    newInRow = 0,
    run: { from: number; count: number } | undefined;
  for (let i = 0; i < after.length; i++) {
    const found = newInRow < MAX_NEW ? indexOf(before, after[i], expected) : -1;
    if (found === -1) {
      items.push(i);
      run = undefined;
      newInRow++;
      expected++;
      continue;
    }
    if (run && run.from + run.count === found) run.count++;
    else items.push((run = { from: found, count: 1 }));
    repeated++;
    newInRow = 0;
    expected = found + 1;
  }
  return { items, repeated };
}

function indexOf(before: readonly Message[], message: Message | undefined, expected: number): number {
  const end = Math.min(before.length, expected + AHEAD),
    begin = Math.max(0, expected - BEHIND);
  for (let i = expected; i < end; i++) if (isAt(before, i, message)) return i;
  for (let i = Math.min(expected, before.length) - 1; i >= begin; i--) if (isAt(before, i, message)) return i;
  return -1;
}

function isAt(messages: readonly Message[], i: number, message: Message | undefined): boolean {
  const found = messages[i];
  return found !== undefined && message !== undefined && sameMessage(found, message);
}

export interface Base<H> {
  readonly history: H;
  readonly delta: Delta;
  readonly isContinued: boolean;
}
interface Listed {
  readonly messages: readonly Message[];
}

/** The history that `messages` continue, or the closest one; `undefined` if no history shares a message. */
export function baseOf<H extends Listed>(histories: readonly H[], messages: readonly Message[]): Base<H> | undefined {
  const isLikely = (history: H): boolean => keepsEnd(history.messages, messages);
  const likely = closest(histories.filter(isLikely), messages);
  if (likely?.isContinued) return likely;
  const others = histories.filter(history => !isLikely(history));
  return closest([...(likely ? [likely.history] : []), ...others], messages);
}

function closest<H extends Listed>(histories: readonly H[], messages: readonly Message[]): Base<H> | undefined {
  let best: Base<H> | undefined;
  for (const history of histories) {
    const delta = deltaOf(history.messages, messages);
    const isContinued = delta.repeated >= history.messages.length - REWRITTEN;
    if (delta.repeated > (best?.delta.repeated ?? 0)) best = { history, delta, isContinued };
  }
  return best;
}

/** Whether one of the last two messages of `before` has kept its index. */
function keepsEnd(before: readonly Message[], after: readonly Message[]): boolean {
  const last = before.length - 1;
  return isAt(before, last, after[last]) || isAt(before, last - 1, after[last - 1]);
}

/** `undefined` if a run exceeds `before`. */
export function applied<T>(
  before: readonly T[],
  items: readonly (Run | T)[],
  isRun: (item: Run | T) => item is Run,
): readonly T[] | undefined {
  let after: T[] = [];
  for (const item of items) {
    if (!isRun(item)) after.push(item);
    else if (item.from < 0 || item.count < 0 || item.from + item.count > before.length) return undefined;
    else after = appended(after, before, item);
  }
  return after;
}

/** The first run usually contains most of the history, so it is copied only once. */
function appended<T>(after: T[], before: readonly T[], { from, count }: Run): T[] {
  const run = before.slice(from, from + count);
  return after.length === 0 ? run : after.concat(run);
}

/** Sizes of messages and their sum. */
export interface Sizes {
  readonly each: readonly number[];
  readonly all: number;
}

export const NO_SIZES: Sizes = { each: [], all: 0 };

/** `items`: runs of `before`, and sizes of new messages. */
export function sizesOf(before: Sizes, items: readonly (Run | number)[]): Sizes {
  let each: number[] = [],
    all = 0;
  for (const item of items) {
    if (typeof item === "number") each.push(item);
    else each = appended(each, before.each, item);
    all += typeof item === "number" ? item : sizeOfRun(before, item);
  }
  return { each, all };
}

/** Sums the run, or subtracts the rest from the sum, whichever is shorter. */
function sizeOfRun({ each, all }: Sizes, { from, count }: Run): number {
  const sum = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b, 0);
  if (count * 2 < each.length) return sum(each.slice(from, from + count));
  return all - sum(each.slice(0, from)) - sum(each.slice(from + count));
}

/** Approximate memory of a message, in characters. */
export function sizeOf({ content }: ChatMessage): number {
  return content.reduce((sum, part) => sum + sizeOfPart(part), OBJECTS);
}

/** Size of a message's objects without its texts. */
const OBJECTS = 250;

function sizeOfPart(part: ChatPart): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.value.length;
    case "data":
      return part.data.length;
    case "tool_call":
      return sizeOfValue(part.parameters);
    case "tool_result":
      return sizeOfValue(part.result);
  }
}

function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let sum = 16;
  for (const [key, each] of Object.entries(value)) sum += key.length + sizeOfValue(each);
  return sum;
}
