/**
 * The fields of a line of the log, without secrets (protocol/secrets.ts), and of a bounded size. Pure.
 */
import { isSecretName, withoutSecrets } from "./protocol/secrets";

const LONGEST = 4_000;
const LONGEST_NAME = 200;
const DEEPEST = 6;
const MOST_ITEMS = 100;
/** Characters of all fields of a line together, about: the last one may go beyond it. */
const MOST = 16_000;

export function redactedText(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)` : text;
  return withoutSecrets(cut);
}

/** The same fields without secrets: a plain copy that JSON can write, of bounded size. */
export function redacted(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return copyOf(fields, "", 0, { left: MOST });
}

/** What one line may still hold, in characters. A name and a value cost something even when they are empty. */
interface Room { left: number }

function withoutSecret(name: string, value: unknown, depth: number, room: Room): unknown {
  const text = textOf(name, value);
  room.left -= 4 + (text?.length ?? 0);
  if (text !== undefined) return text;
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "…";
  if (!Array.isArray(value)) return copyOf(value, name, depth, room);
  const most = Math.min(value.length, MOST_ITEMS);
  const items: unknown[] = [];
  while (items.length < most && room.left > 0) items.push(withoutSecret(name, value[items.length], depth + 1, room));
  return items.length === value.length ? items : [...items, `… (${value.length - items.length} more)`];
}

function copyOf(fields: object, name: string, depth: number, room: Room): Readonly<Record<string, unknown>> {
  const copy: [string, unknown][] = [];
  const entries = Object.entries(fields);
  for (const [key, value] of entries) {
    if (copy.length === MOST_ITEMS || room.left <= 0) return Object.fromEntries([...copy, ["…", `(${entries.length - copy.length} more)`]]);
    const shortKey = key.slice(0, LONGEST_NAME);
    room.left -= shortKey.length;
    copy.push([shortKey, withoutSecret(isSecretName(name) ? name : key, value, depth + 1, room)]);
  }
  return Object.fromEntries(copy);
}

function textOf(name: string, value: unknown): string | undefined {
  if (typeof value === "string") return isSecretName(name) && value !== "" ? "…" : redactedText(value);
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? redactedText(value.message) : undefined;
}
