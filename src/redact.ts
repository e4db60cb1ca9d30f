/**
 * What may not reach a log: values under names that say "secret", and tokens that can be known by their form. Also
 * keeps one line from growing without limit. Pure.
 */
const SECRET_NAME = /api[_-]?key|token|secret|passw|authorization|cookie|credential|private[_-]?key/i;

/** Forms: `Bearer …`, user and password of an address, `NAME_TOKEN=…`, and the prefixes that vendors give their keys. */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w+/=.~-]{8,}/gi, "$1 …"],
  [/(\w+:\/\/)[^\s/@:]+:[^\s/@]+@/g, "$1…@"],
  [/\b(\w*(?:api_?key|token|secret|password)\w*["']?\s*[=:]\s*["']?)[^\s"',;]{6,}/gi, "$1…"],
  [/\b(sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abp]|npm|AIza)[-_][\w-]{12,}/g, "$1…"],
  [/\bAIza[\w-]{30,}/g, "AIza…"],
];
const LONGEST = 4_000;
const LONGEST_NAME = 200;
const DEEPEST = 6;
const MOST_ITEMS = 100;
/** Characters of all fields of a line together, about: the last one may go beyond it. */
const MOST = 16_000;

export function redactedText(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)` : text;
  return SECRET_FORMS.reduce((line, [form, instead]) => line.replace(form, instead), cut);
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
    copy.push([shortKey, withoutSecret(SECRET_NAME.test(name) ? name : key, value, depth + 1, room)]);
  }
  return Object.fromEntries(copy);
}

function textOf(name: string, value: unknown): string | undefined {
  if (typeof value === "string") return SECRET_NAME.test(name) && value !== "" ? "…" : redactedText(value);
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? redactedText(value.message) : undefined;
}
