/**
 * Compares messages of VS Code or of this contract. Every request repeats the whole history in new objects. The
 * comparison of texts therefore uses the engine's string comparison, without hashes or allocations. Pure.
 */

export interface Message {
  readonly role: unknown;
  readonly content: readonly unknown[];
}

export function sameMessage(a: Message, b: Message): boolean {
  const first = a.content,
    second = b.content;
  if (a.role !== b.role || first.length !== second.length) return false;
  for (let i = 0; i < first.length; i++) if (!samePart(first[i], second[i])) return false;
  return true;
}

/** The members that distinguish texts. VS Code's parts have a class, those of this contract a `type`. */
interface TextLike {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly id?: unknown;
  readonly metadata?: unknown;
  readonly callId?: unknown;
  readonly mimeType?: unknown;
}

/** Most parts are texts. Others are compared by all their members. */
function samePart(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const like: TextLike = a,
    textLike: TextLike = b;
  if (typeof like.value !== "string" || like.callId !== undefined || like.mimeType !== undefined) return same(a, b);
  if (like.value !== textLike.value || textLike.callId !== undefined || textLike.mimeType !== undefined) return false;
  if (like.type !== textLike.type || like.id !== textLike.id) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  return like.metadata === textLike.metadata || same(like.metadata, textLike.metadata);
}

/** Deep equality of values without cycles. Objects of different classes differ. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameItems(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return sameMembers(a as Members, b as Members);
}

function sameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!same(a[i], b[i])) return false;
  return true;
}

type Members = Readonly<Record<string, unknown>>;

/** `for … in` allocates nothing, and both objects have the same prototype. */
function sameMembers(a: Members, b: Members): boolean {
  let count = 0;
  for (const key in a) {
    if (!(key in b) || !same(a[key], b[key])) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}
