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
const DEEPEST = 6;

export function redactedText(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)` : text;
  return SECRET_FORMS.reduce((line, [form, instead]) => line.replace(form, instead), cut);
}

/** The same fields without secrets: a plain copy that JSON can write. */
export function redacted(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutSecret(name, value, 1)]));
}

function withoutSecret(name: string, value: unknown, depth: number): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) && value !== "" ? "…" : redactedText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return redactedText(value.message);
  if (depth === DEEPEST) return "…";
  if (Array.isArray(value)) return value.map(item => withoutSecret(name, item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecret(SECRET_NAME.test(name) ? name : key, inner, depth + 1)]));
}
