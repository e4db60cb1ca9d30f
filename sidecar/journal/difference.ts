/**
 * Differences between two versions of a JSON value, for an append-only file (issue 16 item 2). Pure.
 *
 * Versions share unchanged parts: an identical object is skipped without a comparison of its content. The cost is
 * linear in the number of items and in the changed content.
 *
 * Invariants:
 * - `patched(before, difference(before, after))` equals `after`, up to members whose value is `undefined`.
 * - Text that grows costs only its growth, also if it loses its beginning, like the output of a terminal.
 * - An item with an id costs only its changes, wherever it is in its list.
 * - `patched` never throws. If earlier differences are missing, it loses only their values: growth of an unknown text
 *   becomes the text, and a change of an unknown item becomes an item with the known members.
 */
import { isObject, type Fields } from "../../src/protocol/wire/json";

/**
 * `=`: the new value. `+`: text appended to a string. `<`: number of characters removed from the start of a string, and
 * text appended to the rest. `.`: changed members, with the removed ones in `-`. `@`: changed and new items of a list
 * whose items have ids. `#`: changed and new items by index.
 */
export type Difference =
  | { readonly "=": unknown }
  | { readonly "+": string }
  | { readonly "<": readonly [removed: number, appended: string] }
  | { readonly ".": Readonly<Record<string, Difference>>; readonly "-"?: readonly string[] }
  | { readonly "@": readonly (readonly [identity: Identity, Difference])[] }
  | { readonly "#": readonly (readonly [index: number, Difference])[] };

/** The id of an item, and its kind, so that an item whose first difference is missing can be rebuilt. */
type Identity = Readonly<Record<string, string>>;
const ID_MEMBERS = ["id", "terminalId"] as const;

/** Undefined if both are equal. Members with the value `undefined` count as absent. */
export function difference(before: unknown, after: unknown): Difference | undefined {
  if (before === after) return undefined;
  if (typeof before === "string" && typeof after === "string") return ofTexts(before, after);
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after);
  if (isObject(before) && isObject(after)) return ofObjects(before, after);
  return { "=": after };
}

function ofTexts(before: string, after: string): Difference {
  if (before !== "" && after.startsWith(before)) return { "+": after.slice(before.length) };
  const removed = before.length < MIN_SHIFTED ? -1 : before.indexOf(after.slice(0, PROBE));
  // Only the first match is compared, so that the cost stays linear.
  return removed > 0 && after.length >= PROBE && after.startsWith(before.slice(removed))
    ? { "<": [removed, after.slice(before.length - removed)] }
    : { "=": after };
}
/** UTF-16 units of a text that may lose its beginning, and of the beginning that is searched in it. */
const MIN_SHIFTED = 1_024,
  PROBE = 256;

function ofObjects(before: Fields, after: Fields): Difference | undefined {
  const changed: Record<string, Difference> = {},
    removed = Object.keys(before).filter(key => before[key] !== undefined && own(after, key) === undefined);
  let count = removed.length;
  for (const [key, value] of Object.entries(after)) {
    const change = value === undefined ? undefined : difference(own(before, key), value);
    if (change === undefined) continue;
    // An own member, also for the name `__proto__`.
    Object.defineProperty(changed, key, { value: change, enumerable: true, configurable: true, writable: true });
    count++;
  }
  if (count === 0) return undefined;
  return removed.length === 0 ? { ".": changed } : { ".": changed, "-": removed };
}

function ofLists(before: readonly unknown[], after: readonly unknown[]): Difference | undefined {
  if (before.length > after.length) return { "=": after };
  const changes: (readonly [number, Difference])[] = [];
  for (let i = 0; i < after.length; i++) {
    const change = i < before.length ? difference(before[i], after[i]) : { "=": after[i] };
    if (change !== undefined) changes.push([i, change]);
  }
  if (changes.length === 0) return undefined;
  const earlier = new LastItems(before, changes.length),
    later = new LastItems(after, changes.length);
  const items = changes.flatMap(([i, change]): readonly (readonly [Identity, Difference])[] => {
    const identity = identityOf(after[i]);
    if (identity === undefined || later.indexOf(identity) !== i) return [];
    if (i < before.length ? !isSame(before[i], identity) : earlier.indexOf(identity) !== -1) return [];
    return [[identity, change]];
  });
  return items.length === changes.length ? { "@": items } : { "#": changes };
}

function identityOf(item: unknown): Identity | undefined {
  if (!isObject(item)) return undefined;
  for (const member of ID_MEMBERS) {
    const id = item[member];
    if (typeof id === "string")
      return typeof item["kind"] === "string" ? { [member]: id, kind: item["kind"] } : { [member]: id };
  }
  return undefined;
}

function isSame(item: unknown, identity: Identity): boolean {
  return isObject(item) && ID_MEMBERS.every(member => item[member] === identity[member]);
}

/** Ignores inherited members: a key can be `constructor`. */
function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/**
 * Finds the last item with an identity. A few searches start at the end, because most changes concern the newest items.
 * Above `MAX_SEARCHES` an index keeps the whole work linear.
 */
class LastItems {
  readonly #index: Map<string, number> | undefined;

  constructor(
    private readonly items: readonly unknown[],
    searches: number,
  ) {
    if (searches <= MAX_SEARCHES) return;
    this.#index = new Map();
    for (const [i, item] of items.entries()) {
      const identity = identityOf(item);
      if (identity && isSame(item, identity)) this.#index.set(keyOf(identity), i);
    }
  }

  indexOf(identity: Identity): number {
    if (this.#index) return this.#index.get(keyOf(identity)) ?? -1;
    return this.items.findLastIndex(item => isSame(item, identity));
  }

  /** Call it after an item with this identity was appended. */
  appended(identity: Identity): void {
    this.#index?.set(keyOf(identity), this.items.length - 1);
  }
}
const MAX_SEARCHES = 8;

function keyOf(identity: Identity): string {
  return ID_MEMBERS.map(member => JSON.stringify(identity[member])).join();
}

/** The positions of the items in the lists that `patched` has changed. */
export type ListIndexes = WeakMap<readonly unknown[], LastItems>;

/**
 * Applies a difference. An unknown part of `before` counts as absent. Changes the lists of `before` and `change` in
 * place. Pass the same `indexes` for all differences of one value: then each costs only its changes, and not the length
 * of the lists.
 */
export function patched(before: unknown, change: Difference, indexes: ListIndexes = new WeakMap()): unknown {
  if ("=" in change) return change["="];
  if ("+" in change) return (typeof before === "string" ? before : "") + change["+"];
  if ("<" in change) {
    const [removed, appended] = change["<"];
    return (typeof before === "string" ? before.slice(removed) : "") + appended;
  }
  if ("." in change) {
    const after: Record<string, unknown> = isObject(before) ? { ...before } : {};
    for (const key of change["-"] ?? []) delete after[key];
    for (const [key, inside] of Object.entries(change["."]))
      Object.defineProperty(after, key, {
        value: patched(own(after, key), inside, indexes),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    return after;
  }
  const items: unknown[] = Array.isArray(before) ? before : [];
  if ("#" in change) {
    indexes.delete(items); // the items may get other ids
    for (const [index, inside] of change["#"]) {
      const at = Math.min(index, items.length);
      items[at] = patched(items[at], inside, indexes);
    }
    return items;
  }
  const last = indexes.get(items) ?? new LastItems(items, Number.POSITIVE_INFINITY);
  indexes.set(items, last);
  for (const [identity, inside] of change["@"]) {
    const at = last.indexOf(identity);
    if (at !== -1) items[at] = patched(items[at], inside, indexes);
    else {
      items.push(patched(identity, inside, indexes));
      last.appended(identity);
    }
  }
  return items;
}
