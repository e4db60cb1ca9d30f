/**
 * Removes secrets from logs, traces, reports and error messages, in every program. Structured values (members, headers,
 * variables, arguments) are redacted by name. In text, `scan.ts` finds names and token formats. Values that Symposium
 * itself passes to an agent are hidden everywhere (`knownSecrets`).
 *
 * Invariants:
 * - Time is linear in the processed input, which `Limits` bounds.
 * - Redacting twice changes nothing.
 * - Ordinary text is preserved (`redact.test.ts`).
 *
 * Pure, except for `knownSecrets`.
 */
import { isCount, isSecretFlag, isSecretName, PROGRAMS, shortFlagOf } from "./secret-names";
import { LOOKAHEAD, secretsIn, type Span } from "./scan";

export { isSecretName } from "./secret-names";

/** Replacement for a secret. */
export const HIDDEN = "…";

/** The text without its secrets. A text longer than `maxLength` is truncated, with the number of omitted characters. */
export function redactText(text: string, maxLength = Infinity): string {
  if (text.length <= maxLength) return withoutSecrets(text);
  // The scan includes text after the cut, because the rules may need it to recognize a secret.
  const seen = withoutSecrets(text.slice(0, maxLength + LOOKAHEAD));
  return `${seen.slice(0, maxLength)}… (${text.length - maxLength} more characters)`;
}

function withoutSecrets(text: string): string {
  return without(text, [...secretsIn(text).spans, ...knownSecrets.spansIn(text)]);
}

/** Hides each span; overlapping spans are hidden as one. */
function without(text: string, spans: readonly Span[]): string {
  let out = "",
    at = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= at) out += text.slice(at, from) + HIDDEN;
    at = Math.max(at, to);
  }
  return out + text.slice(at);
}

/** Redacts an error for a log, with its stack if available. */
export function redactError(error: unknown, maxLength?: number): string {
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error), maxLength);
}

/** Hides the values of secret options, variables and headers in the words of a command. */
export function redactArguments(words: readonly string[]): readonly string[] {
  const program =
    words[0]
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:exe|cmd)$/i, "") ?? "";
  const effectiveProgram = !PROGRAMS.has(program)
    ? ""
    : words.slice(1, 4).includes("login")
      ? `${program} login`
      : program;
  return words.map((word, i) => redactArgument(word, words[i - 1] ?? "", effectiveProgram));
}

/** `before`: the previous word. `program`: a program with single-letter options, or "". */
function redactArgument(word: string, before: string, program: string): string {
  const own = shortFlagOf(program, word),
    short = shortFlagOf(program, before);
  if (own?.attached) return own.flag + HIDDEN;
  const isValue =
    isSecretFlag(before) || (short !== undefined && !short.attached && (!short.pair || word.includes(":")));
  if (isValue && word !== "") return HIDDEN;
  const [, name = "", separator = ""] = /^(-{0,2}[\w.-]+)(=|: ?)[^]/.exec(word) ?? [];
  return isSecretFlag(name) || isSecretName(name) ? `${name}${separator}${HIDDEN}` : redactText(word);
}

/**
 * Bounds of a copied value.
 *
 * - `text`, `name`: characters of a single text or key.
 * - `items`: members of a list or an object.
 * - `depth`: nesting.
 * - `total`: approximate size of the copy.
 */
export interface Limits {
  readonly text: number;
  readonly name: number;
  readonly items: number;
  readonly depth: number;
  readonly total: number;
}

/** `depth` prevents a stack overflow: parsers accept deeper nesting than recursion can handle. */
const ALL: Limits = { text: Infinity, name: Infinity, items: Infinity, depth: 100, total: Infinity };

/**
 * A JSON-serializable copy without secrets. An error becomes its message, a URL or a date its text, a map an object.
 */
export function redactValue(value: unknown, limits: Partial<Limits> = {}): unknown {
  return new Copy({ ...ALL, ...limits }).of(value, OPEN, 0);
}

/** Like `redactValue`, for the fields of a log line. */
export function redactFields(
  fields: Readonly<Record<string, unknown>>,
  limits: Partial<Limits> = {},
): Readonly<Record<string, unknown>> {
  return new Copy({ ...ALL, ...limits }).fields(fields);
}

/** Context of a value. `isSecret`: all text in it is secret. */
interface Context {
  readonly name: string;
  readonly isSecret: boolean;
}
const OPEN: Context = { name: "", isSecret: false };
/** Lists of variables and headers: all values are hidden, regardless of their names. */
const LISTS = /^(?:env|headers|environment)$/i;
const PAIR_NAMES = ["name", "key", "header", "variable"];
const ARGUMENTS = /^(?:args|argv|arguments|command)$/i;

class Copy {
  readonly #limits: Limits;
  #remaining: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#remaining = limits.total;
  }

  of(value: unknown, context: Context, depth: number): unknown {
    const text = textOf(value);
    if (text !== undefined) return this.#text(text, context);
    this.#remaining -= 4;
    if (typeof value === "number")
      return isSecretName(context.name) && !isCount(context.name) && Math.abs(value) >= 1000 ? HIDDEN : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth >= this.#limits.depth) return HIDDEN;
    if (Array.isArray(value)) return this.#list(value, context, depth);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Set) return this.#list([...value], context, depth);
    return this.#object(isMap(value) ? Object.fromEntries(value.entries()) : value, context, depth);
  }

  fields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return this.#object(fields, OPEN, 0);
  }

  #text(text: string, { isSecret }: Context): string {
    const { text: maxLength } = this.#limits,
      shown = isSecret && text !== "" ? HIDDEN : redactText(text, maxLength);
    this.#remaining -= 4 + shown.length;
    return shown;
  }

  #list(list: readonly unknown[], context: Context, depth: number): readonly unknown[] {
    const { items } = this.#limits,
      count = Math.min(list.length, items),
      copy: unknown[] = [];
    const words = ARGUMENTS.test(context.name) && list.every(item => typeof item === "string") ? list : undefined,
      hidden = words && redactArguments(words);
    while (copy.length < count && this.#remaining > 0) {
      const item = list[copy.length],
        before = list[copy.length - 1],
        shown = hidden?.[copy.length];
      const isSecret = context.isSecret || (typeof before === "string" && isSecretFlag(before));
      copy.push(
        shown !== undefined && !isSecret ? this.#text(shown, OPEN) : this.of(item, { ...context, isSecret }, depth + 1),
      );
    }
    return copy.length === list.length ? copy : [...copy, `… (${list.length - copy.length} more)`];
  }

  #object(object: object, context: Context, depth: number): Readonly<Record<string, unknown>> {
    const entries: readonly (readonly [string, unknown])[] = Object.entries(object),
      copy: [string, unknown][] = [],
      { items, name: maxLength } = this.#limits;
    const isPair = entries.some(
      ([key, value]) => PAIR_NAMES.includes(key) && typeof value === "string" && isSecretName(value),
    );
    for (const [key, value] of entries) {
      if (copy.length >= items || this.#remaining <= 0)
        return Object.fromEntries([...copy, ["…", `(${entries.length - copy.length} more)`]]);
      // A name can itself be a token, as in a map by key.
      const shown = redactText(key, maxLength),
        isSecret = context.isSecret || isSecretName(key) || (isPair && key === "value");
      this.#remaining -= shown.length;
      copy.push([
        shown,
        LISTS.test(key) ? this.#values(value, depth + 1) : this.of(value, { name: key, isSecret }, depth + 1),
      ]);
    }
    return Object.fromEntries(copy);
  }

  /** Handles `{NAME: value}` and `[{name, value}]`; names are preserved. */
  #values(value: unknown, depth: number): unknown {
    if (!Array.isArray(value)) return this.of(value, { name: "", isSecret: true }, depth);
    const count = Math.min(value.length, this.#limits.items),
      pairs = value.slice(0, count).map((item: unknown) => {
        const isPair = typeof item === "object" && item !== null && "value" in item;
        return isPair
          ? this.of({ ...item, value: HIDDEN }, OPEN, depth + 1)
          : this.of(item, { name: "", isSecret: true }, depth + 1);
      });
    return count === value.length ? pairs : [...pairs, `… (${value.length - count} more)`];
  }
}

/**
 * The text form of a string, bigint, error, date or URL. URLs are recognized by `href`, because neither browser nor
 * Node.js types are available here.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return value.message;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  return typeof value === "object" &&
    value !== null &&
    "href" in value &&
    "searchParams" in value &&
    typeof value.href === "string"
    ? value.href
    : undefined;
}

/** A `Map`, `Headers` or `URLSearchParams`. */
function isMap(value: object): value is { entries(): Iterable<readonly [string, unknown]> } {
  return (
    "entries" in value &&
    typeof value.entries === "function" &&
    "get" in value &&
    typeof value.get === "function" &&
    "has" in value
  );
}

/** Minimum number of characters; shorter values occur in too many words. */
const MIN_KNOWN_LENGTH = 6;
const MAX_KNOWN = 500;

/**
 * Values that are secret regardless of their format: keys from the secret storage, tokens of Symposium's servers. They
 * are hidden verbatim and in their JSON and URL encodings.
 */
export class KnownSecrets {
  /** Reference count and encodings by value; the oldest first. */
  readonly #values = new Map<string, { count: number; readonly spellings: readonly string[] }>();

  /** Registers values until disposal; beyond `MAX_KNOWN` the oldest are dropped. */
  add(values: Iterable<string>): Disposable {
    const added = [...values].filter(value => value.trim().length >= MIN_KNOWN_LENGTH);
    for (const value of added) {
      const { count } = this.#values.get(value) ?? { count: 0 };
      this.#values.delete(value);
      this.#values.set(value, { count: count + 1, spellings: spellingsOf(value) });
    }
    for (const value of this.#values.keys()) if (this.#values.size > MAX_KNOWN) this.#values.delete(value);
    let isDisposed = false;
    return {
      [Symbol.dispose]: () => {
        if (!isDisposed) for (const value of added) this.#forget(value);
        isDisposed = true;
      },
    };
  }

  #forget(value: string): void {
    const entry = this.#values.get(value);
    if (entry && --entry.count <= 0) this.#values.delete(value);
  }

  /** Occurrences in the text. */
  spansIn(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const { spellings } of this.#values.values()) {
      for (const spelling of spellings) {
        for (let from = text.indexOf(spelling); from !== -1; from = text.indexOf(spelling, from + spelling.length)) {
          spans.push({ from, to: from + spelling.length });
        }
      }
    }
    return spans;
  }

  hide(text: string): string {
    return without(text, this.spansIn(text));
  }
}

function spellingsOf(value: string): readonly string[] {
  return [
    ...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.replaceAll(/\p{Cs}/gu, "\ufffd"))]),
  ];
}

/** The secrets of this process. */
export const knownSecrets = new KnownSecrets();

/** Secret values passed to a program, by the names of its options and variables. */
export function secretArguments(words: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const options = words.flatMap((word, i) => {
    const [, name = "", value = ""] = /^(-{0,2}[\w.-]+)=([^]*)$/.exec(word) ?? [];
    return isSecretFlag(words[i - 1] ?? "") ? [word] : isSecretFlag(name) || isSecretName(name) ? [value] : [];
  });
  return [...options, ...Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))];
}

/** Maximum number of characters that a stream buffers. */
const MAX_BUFFERED = 64 * 1024;

/**
 * Redacts text that arrives in chunks, for a log. Emits whole lines, and a private key as a whole, so that no secret is
 * split.
 */
export class RedactedStream {
  #buffer = "";
  /** Within a private key that exceeded the buffer. */
  #isInKey = false;

  /** Returns the redacted text of complete lines; "" if no line is complete. */
  push(piece: string): string {
    this.#buffer += piece;
    return this.#buffer.length > MAX_BUFFERED ? this.#take(this.#buffer.length) : this.#take(this.#complete());
  }

  end(): string {
    return this.#take(this.#buffer.length);
  }

  #complete(): number {
    const lines = this.#buffer.lastIndexOf("\n") + 1,
      key = this.#buffer.lastIndexOf("-----BEGIN ", lines);
    return key === -1 || this.#isInKey || this.#buffer.indexOf("-----END ", key) !== -1 ? lines : Math.min(key, lines);
  }

  #take(length: number): string {
    let text = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    if (this.#isInKey) {
      const end = text.indexOf("-----END ");
      if (end === -1) return "";
      text = text.slice(end);
      this.#isInKey = false;
    }
    const key = text.lastIndexOf("-----BEGIN ");
    this.#isInKey =
      key !== -1 &&
      text.indexOf("-----END ", key) === -1 &&
      /^-----BEGIN [A-Z\d ]*PRIVATE KEY/.test(text.slice(key, key + 60));
    return redactText(text);
  }
}
