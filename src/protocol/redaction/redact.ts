/**
 * The redactor: whatever goes into a log, a trace, a report or an error message loses its secrets here, in every
 * program. Where the structure is
 * known (members, headers, variables, arguments) names decide; in text `scan.ts` finds names and forms. Values that
 * Symposium itself hands to an
 * agent are hidden wherever they occur (`knownSecrets`).
 *
 * Invariants: linear in what is looked at, and bounded by `Limits`; redacting twice changes nothing; ordinary text
 * stays (`redact.test.ts`). Pure, but
 * for `knownSecrets`.
 */
import { isCount, isSecretFlag, isSecretName, PROGRAMS, shortFlagOf } from "./names";
import { LOOKAHEAD, secretsIn, type Span } from "./scan";

export { isSecretName } from "./names";

/** In place of a secret. */
export const HIDDEN = "…";

/** Text without its secrets; of a text that is longer than `longest` its beginning, and how much is missing. */
export function redactText(text: string, longest = Infinity): string {
  if (text.length <= longest) return withoutSecrets(text);
  // What is cut must not be the part by which a secret is known.
  const seen = withoutSecrets(text.slice(0, longest + LOOKAHEAD));
  return `${seen.slice(0, longest)}… (${text.length - longest} more characters)`;
}

function withoutSecrets(text: string): string {
  return without(text, [...secretsIn(text).spans, ...knownSecrets.spansIn(text)]);
}

/** The text with each span hidden, and what overlaps hidden as one. */
function without(text: string, spans: readonly Span[]): string {
  let out = "",
    at = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= at) out += text.slice(at, from) + HIDDEN;
    at = Math.max(at, to);
  }
  return out + text.slice(at);
}

/** An error for a log: its stack where there is one. */
export function redactError(error: unknown, longest?: number): string {
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error), longest);
}

/** The words of a command, with the values of its secret options, variables and headers hidden. */
export function redactArguments(words: readonly string[]): readonly string[] {
  const program =
    words[0]
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(?:exe|cmd)$/i, "") ?? "";
  const known = !PROGRAMS.has(program) ? "" : words.slice(1, 4).includes("login") ? `${program} login` : program;
  return words.map((word, i) => redactArgument(word, words[i - 1] ?? "", known));
}

/** `before`: the word before it. `program`: one that has options of one letter, or nothing. */
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

/** How much of a value is looked at. `text`, `name`: characters of one; `total`: of all, about. */
export interface Limits {
  readonly text: number;
  readonly name: number;
  readonly items: number;
  readonly depth: number;
  readonly total: number;
}

/** What parsers accept can be nested deeper than anybody can walk. */
const ALL: Limits = { text: Infinity, name: Infinity, items: Infinity, depth: 100, total: Infinity };

/**
 * A copy without secrets that JSON can write. An error becomes its message, an address or a date its text, a map an
 * object.
 */
export function redactValue(value: unknown, limits: Partial<Limits> = {}): unknown {
  return new Copy({ ...ALL, ...limits }).of(value, OPEN, 0);
}

/** The same for the fields of a line. */
export function redactFields(
  fields: Readonly<Record<string, unknown>>,
  limits: Partial<Limits> = {},
): Readonly<Record<string, unknown>> {
  return new Copy({ ...ALL, ...limits }).fields(fields);
}

/** What is known of a value from around it. `isSecret`: all text in it is. */
interface Context {
  readonly name: string;
  readonly isSecret: boolean;
}
const OPEN: Context = { name: "", isSecret: false };
/** Lists of variables and headers: their values are hidden, whatever they are called. */
const LISTS = /^(?:env|headers|environment)$/i;
const PAIR_NAMES = ["name", "key", "header", "variable"];
const ARGUMENTS = /^(?:args|argv|arguments|command)$/i;

class Copy {
  readonly #limits: Limits;
  #left: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#left = limits.total;
  }

  of(value: unknown, context: Context, depth: number): unknown {
    const text = textOf(value);
    if (text !== undefined) return this.#text(text, context);
    this.#left -= 4;
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
    const { text: longest } = this.#limits,
      shown = isSecret && text !== "" ? HIDDEN : redactText(text, longest);
    this.#left -= 4 + shown.length;
    return shown;
  }

  #list(list: readonly unknown[], context: Context, depth: number): readonly unknown[] {
    const { items } = this.#limits,
      most = Math.min(list.length, items),
      copy: unknown[] = [];
    const words = ARGUMENTS.test(context.name) && list.every(item => typeof item === "string") ? list : undefined,
      hidden = words && redactArguments(words);
    while (copy.length < most && this.#left > 0) {
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
      { items, name: longest } = this.#limits;
    const isPair = entries.some(
      ([key, value]) => PAIR_NAMES.includes(key) && typeof value === "string" && isSecretName(value),
    );
    for (const [key, value] of entries) {
      if (copy.length >= items || this.#left <= 0)
        return Object.fromEntries([...copy, ["…", `(${entries.length - copy.length} more)`]]);
      // A name that is a token is one, too: a map by key.
      const shown = redactText(key, longest),
        isSecret = context.isSecret || isSecretName(key) || (isPair && key === "value");
      this.#left -= shown.length;
      copy.push([
        shown,
        LISTS.test(key) ? this.#values(value, depth + 1) : this.of(value, { name: key, isSecret }, depth + 1),
      ]);
    }
    return Object.fromEntries(copy);
  }

  /** Both `{NAME: value}` and `[{name, value}]`: names stay. */
  #values(value: unknown, depth: number): unknown {
    if (!Array.isArray(value)) return this.of(value, { name: "", isSecret: true }, depth);
    const most = Math.min(value.length, this.#limits.items),
      pairs = value.slice(0, most).map((item: unknown) => {
        const isPair = typeof item === "object" && item !== null && "value" in item;
        return isPair
          ? this.of({ ...item, value: HIDDEN }, OPEN, depth + 1)
          : this.of(item, { name: "", isSecret: true }, depth + 1);
      });
    return most === value.length ? pairs : [...pairs, `… (${value.length - most} more)`];
  }
}

/** What is written as text. Addresses are known by their `href`: no type of a browser or of Node is known here. */
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

/** A `Map`, `Headers`, `URLSearchParams`. */
function isMap(value: object): value is { entries(): Iterable<readonly [string, unknown]> } {
  return (
    "entries" in value &&
    typeof value.entries === "function" &&
    "get" in value &&
    typeof value.get === "function" &&
    "has" in value
  );
}

/** Shorter ones are in too many words. */
const SHORTEST_KNOWN = 6;
const MOST_KNOWN = 500;

/**
 * Values that are secret whatever they look like: keys from the secret storage, tokens of our own servers. Hidden as
 * they are, and as JSON and addresses spell them.
 */
export class KnownSecrets {
  /** How often each is known, and how it may be written; the oldest first. */
  readonly #values = new Map<string, { count: number; readonly spellings: readonly string[] }>();

  /** Known until it is disposed; beyond `MOST_KNOWN` the oldest are forgotten. */
  add(values: Iterable<string>): Disposable {
    const added = [...values].filter(value => value.trim().length >= SHORTEST_KNOWN);
    for (const value of added) {
      const { count } = this.#values.get(value) ?? { count: 0 };
      this.#values.delete(value);
      this.#values.set(value, { count: count + 1, spellings: spellingsOf(value) });
    }
    for (const value of this.#values.keys()) if (this.#values.size > MOST_KNOWN) this.#values.delete(value);
    let isDisposed = false;
    return {
      [Symbol.dispose]: () => {
        if (!isDisposed) for (const value of added) this.#forget(value);
        isDisposed = true;
      },
    };
  }

  #forget(value: string): void {
    const known = this.#values.get(value);
    if (known && --known.count <= 0) this.#values.delete(value);
  }

  /** Where they are in the text. */
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

/** Those of this process. */
export const knownSecrets = new KnownSecrets();

/** What a program is given that its names say is secret: values of variables and of options. */
export function secretsGiven(words: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const options = words.flatMap((word, i) => {
    const [, name = "", value = ""] = /^(-{0,2}[\w.-]+)=([^]*)$/.exec(word) ?? [];
    return isSecretFlag(words[i - 1] ?? "") ? [word] : isSecretFlag(name) || isSecretName(name) ? [value] : [];
  });
  return [...options, ...Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))];
}

/** The longest part of a stream that is held back for its end. */
const MOST_HELD = 64 * 1024;

/**
 * Text that arrives in pieces, for a log: whole lines at a time, and a key file as one, so that no secret is cut in
 * two.
 */
export class RedactedStream {
  #held = "";
  /** Within a key file that was too long to be held. */
  #isInKey = false;

  /** What can be shown now; empty: nothing yet. */
  push(piece: string): string {
    this.#held += piece;
    return this.#held.length > MOST_HELD ? this.#take(this.#held.length) : this.#take(this.#complete());
  }

  end(): string {
    return this.#take(this.#held.length);
  }

  #complete(): number {
    const lines = this.#held.lastIndexOf("\n") + 1,
      key = this.#held.lastIndexOf("-----BEGIN ", lines);
    return key === -1 || this.#isInKey || this.#held.indexOf("-----END ", key) !== -1 ? lines : Math.min(key, lines);
  }

  #take(length: number): string {
    let text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
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
