/**
 * Finds secrets in text by token format, by the name before a value, and in headers, options, URLs and private keys.
 * Pure.
 *
 * Invariant: linear time. Each character is read a bounded number of times for every input: lookahead is bounded, or
 * the scan continues after it. `steps` counts the characters read; `redact.test.ts` checks it.
 */
import { BACKSLASH, BITS, CLOSE_LIST, CLOSE_OBJECT, Is, isRandom, OPEN_LIST, OPEN_OBJECT } from "./characters";
import { FORMS, MAX_FORM_MINIMUM, SHAPES, SHAPE_WINDOW, MIN_SHAPE_LENGTH, type Form } from "./secret-formats";
import {
  isCount,
  isSecretFlag,
  isSecretHeader,
  isSecretName,
  isSecretParameter,
  NO_VALUE,
  PROGRAMS,
  SCHEMES,
  shortFlagOf,
} from "./secret-names";
import { TextReader } from "./text-reader";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The secrets of `text`, in order and without overlaps. */
export function secretsIn(text: string): { readonly spans: readonly Span[]; readonly steps: number } {
  const scan = new Scan(text);
  scan.run();
  return scan;
}

/** Keyed by the first two characters. */
const FORMS_BY_START = new Map<string, Form[]>();
for (const form of FORMS) {
  const start = form.prefix.slice(0, 2),
    others = FORMS_BY_START.get(start);
  if (others) others.push(form);
  else FORMS_BY_START.set(start, [form]);
}

/** Maximum number of blanks between a name, its separator and its value. */
const MAX_BLANKS = 9;
const MAX_SEPARATOR_LENGTH = 40,
  MIN_CREDENTIAL_LENGTH = 8,
  MIN_RANDOM_LENGTH = 40,
  WINDOW = 120;
const KEY_END = /^-----END [A-Z\d ]*PRIVATE KEY/;
const KEY_BEGINS = "-----BEGIN ",
  KEY_ENDS = "-----END ";
/** Start of a quoted text: number of backslashes before the quote, and the quote character. */
interface Quote {
  readonly escapes: number;
  readonly code: number;
  readonly from: number;
}

class Scan extends TextReader {
  readonly spans: Span[] = [];
  /** Program of the current line that has single-letter options. */
  #program = "";
  /** End of the text already checked for randomness. */
  #checkedUntil = 0;
  /** A `value` member before this position is secret, because a preceding member names a secret. */
  #pairUntil = 0;
  #words: [before: string, last: string] = ["", ""];

  run(): void {
    const { length } = this.text;
    const cutKey = this.#keyWithoutBeginning();
    for (let at = 0; at < length; ) {
      if (at >= cutKey.from && at < cutKey.to) at = this.#hide(at, cutKey.to);
      else if (this.is(at, Is.Name)) at = this.starts(at, KEY_BEGINS) ? this.#keyFile(at) : this.#word(at);
      else if (this.starts(at, "://")) at = this.#authority(at + 3);
      else {
        if (this.is(at, Is.Line)) {
          this.#program = "";
          this.#words = ["", ""];
        }
        at++;
      }
    }
  }

  /** Hides the range and returns the position to continue at. */
  #hide(from: number, to: number): number {
    if (to > from && !(to - from <= 12 && NO_VALUE.test(this.slice(from, to)))) this.spans.push({ from, to });
    return to;
  }

  // --- words

  /** `at`: first character of a run of letters, digits, `_`, `-` and `.`. */
  #word(at: number): number {
    const end = this.while(at, Is.Name),
      from = this.#withoutEscape(at, end);
    const token = this.#token(from, end) ?? this.#random(from);
    if (token !== undefined) return token;
    const name = this.slice(Math.max(from, end - 2 * MAX_SEPARATOR_LENGTH), end);
    const found = this.#named(from, end, name) ?? this.#credential(name, end);
    this.#recordWord(name);
    return found === undefined ? end : Math.max(found, end);
  }

  /** Skips the end of an escape: `\n`, `\u0026`, `%3D`, or a terminal colour. */
  #withoutEscape(at: number, end: number): number {
    const before = this.text[at - 1];
    let skip = 0;
    if (before === "\\") skip = this.starts(at, "u") ? 5 : this.is(at, Is.Letter) ? 1 : 0;
    else if (before === "%") skip = 2;
    else if (before === "[" || before === ";") {
      const number = this.while(at, Is.Digit, 3);
      skip = this.text[number] === "m" ? number + 1 - at : 0;
    }
    return Math.min(at + skip, end);
  }

  #recordWord(name: string): void {
    const word = name.length <= 20 ? name.toLowerCase() : "";
    this.#words = [this.#words[1], word];
    if (PROGRAMS.has(word)) this.#program = word;
    else if (word === "login" && this.#program !== "" && !this.#program.endsWith("login")) this.#program += " login";
  }

  // --- tokens

  /** Checks the start of the run, and the positions after each `_`, `-` and `.` in it. */
  #token(from: number, end: number): number | undefined {
    for (let at = from; at < end; at++) {
      if (at !== from && this.is(at - 1, Is.Letter)) continue;
      const form = this.#form(at) ?? (at === from ? this.#matchShape(at, end) : undefined);
      if (form === undefined) continue;
      this.spans.push(form);
      return form.to;
    }
    return undefined;
  }

  #form(at: number): Span | undefined {
    for (const { prefix, of, minLength, exactly } of FORMS_BY_START.get(this.text.slice(at, at + 2)) ?? []) {
      if (!this.starts(at, prefix)) continue;
      const from = at + prefix.length,
        length = this.while(from, BITS[of], exactly ? minLength + 1 : minLength) - from;
      if (length !== minLength || (exactly && this.is(from + minLength, Is.Letter))) continue;
      return { from, to: exactly ? from + minLength : this.while(from + minLength, BITS[of] | Is.Word) };
    }
    return undefined;
  }

  #matchShape(at: number, end: number): Span | undefined {
    if (end - at < MIN_SHAPE_LENGTH && this.text[end] !== "~") return undefined;
    const seen = this.slice(at, at + SHAPE_WINDOW);
    for (const shape of SHAPES) {
      const length = shape.exec(seen)?.[0].length;
      if (length !== undefined) return { from: at, to: at + length };
    }
    return undefined;
  }

  #random(from: number): number | undefined {
    if (from < this.#checkedUntil) return undefined;
    const end = (this.#checkedUntil = this.while(from, Is.Base64));
    if (end - from < MIN_RANDOM_LENGTH || this.starts(from, "sha") || !isRandom(this.slice(from, end)))
      return undefined;
    return this.#hide(from, end);
  }

  // --- names and their values

  #named(from: number, end: number, name: string): number | undefined {
    const parameter = this.#parameter(from, end, name),
      option = parameter ?? this.#option(from, end, name);
    if (option !== undefined) return option;
    const value = this.#separator(end);
    if (value === undefined) return undefined;
    const isPair = value.at <= this.#pairUntil && /^value$/i.test(name);
    if (/^(?:name|key|id|variable|header)$/i.test(name)) this.#notePair(value.at);
    if (value.kind === ">" && this.text[from - 1] !== "<") return undefined;
    if (isSecretHeader(name)) return this.#header(value.at);
    return isPair || isSecretName(name) ? this.#value(value, name) : undefined;
  }

  /** Matches `?sig=…`, `&token=…`. */
  #parameter(from: number, end: number, name: string): number | undefined {
    const before = this.text[from - 1];
    const isEscaped = this.text.startsWith("\\u0026", from - 6) || this.text.startsWith("%26", from - 3);
    const isParameter = this.text[end] === "=" && (before === "?" || before === "&" || before === "#" || isEscaped);
    if (!isParameter || !isSecretParameter(name)) return undefined;
    let to = end + 1;
    while (to < this.text.length && !this.is(to, Is.Ends) && !"&#\\".includes(this.text[to] ?? "")) to++;
    return this.#hide(end + 1, to);
  }

  /** Matches `--api-key V`, `"--api-key", "V"`, `mysql -pV`; with `=` it is handled like other names. */
  #option(from: number, end: number, name: string): number | undefined {
    if (!this.starts(from, "-")) return undefined;
    const short =
      this.#program === ""
        ? undefined
        : shortFlagOf(this.#program, this.slice(from, Math.min(this.until(from, Is.Ends), from + WINDOW)));
    if (short?.attached) return this.#hide(from + short.flag.length, this.until(from, Is.Ends));
    const isUser = name === "--user" || name === "--proxy-user";
    if (!short && !isUser && !isSecretFlag(name)) return undefined;
    let at = this.#closing(end);
    if (this.text[at] === "=") at++;
    else {
      const next = this.while(at, Is.Blank, MAX_BLANKS),
        comma = this.text[next] === "," ? this.while(next + 1, Is.Blank | Is.Line, MAX_BLANKS) : next;
      if (comma === at) return undefined;
      at = comma;
    }
    const value = this.#bounds(at);
    if ((short?.pair || isUser) && !this.slice(value.from, Math.min(value.to, value.from + WINDOW)).includes(":"))
      return undefined;
    return this.#hide(value.from, value.to);
  }

  /** Start of the value of a name that ends at `end`: after quotes, blanks and one of `=`, `:`, `=>`, `:=`, `>`. */
  #separator(end: number): { readonly kind: string; readonly at: number } | undefined {
    const closed = this.#closing(end),
      blank = this.while(closed, Is.Blank, MAX_BLANKS);
    const kind = ["===", "==", "=>", "=", ":=", ":", ">"].find(separator => this.starts(blank, separator));
    if (kind === undefined || this.starts(blank, "://")) return undefined;
    return { kind, at: this.while(blank + kind.length, Is.Blank, MAX_BLANKS) };
  }

  /** Skips the quotes and brackets after a name. */
  #closing(end: number): number {
    let at = end;
    while (at - end < MAX_SEPARATOR_LENGTH && "\\\"'`])".includes(this.text[at] ?? " ")) at++;
    this.steps += at - end + 1;
    return at;
  }

  #value({ at, kind }: { readonly at: number; readonly kind: string }, name: string): number {
    if (kind === ">") return this.#hide(at, this.untilText(at, "<"));
    const first = this.text[at] ?? "";
    // An object after an unquoted name is code, where the names of its members are more reliable.
    if (first === "[" || (first === "{" && this.#isQuoteBefore(at))) return this.#nested(at);
    if (first === "|" || (first === ">" && kind === ":")) return this.#block(at);
    if (this.starts(at, KEY_BEGINS)) return this.#keyFile(at);
    const { from, to, quoted } = this.#bounds(at),
      text = this.slice(from, Math.min(to, from + WINDOW));
    if (!quoted) {
      if (/^passphrase$/i.test(name)) return this.#hide(from, this.until(from, Is.Line));
      if (isCount(name) && (/^\d/.test(text) || text.length < 16)) return to;
      if (kind === ":" && !/[\p{L}\d]/u.test(text)) return to;
    }
    const scheme = /^(\S+)\s+\S/.exec(text)?.[1];
    return this.#hide(
      scheme !== undefined && quoted && SCHEMES.has(scheme.toLowerCase()) ? from + scheme.length + 1 : from,
      to,
    );
  }

  /** A quoted value without its quotes, or an unquoted one up to the next blank. */
  #bounds(at: number): Span & { readonly quoted: boolean } {
    const quote = this.#quote(at);
    if (quote) return { from: quote.from, to: this.#quoted(quote), quoted: true };
    let to = at;
    while (to < this.text.length && !this.is(to, Is.Ends) && !this.#isEscape(to)) to++;
    return { from: at, to, quoted: false };
  }

  /** Whether an escaped line break or quote starts here. */
  #isEscape(at: number): boolean {
    return this.text[at] === "\\" && "nrt\"'\\".includes(this.text[at + 1] ?? " ");
  }

  #quote(at: number): Quote | undefined {
    let from = at;
    while (from - at < MAX_SEPARATOR_LENGTH && this.text[from] === "\\") from++;
    this.steps += from - at;
    return this.is(from, Is.Quote) ? { escapes: from - at, code: this.code(from), from: from + 1 } : undefined;
  }

  /** End of a quoted text: the same quote at the same escape depth or an outer one, or the end of the line. */
  #quoted({ escapes, code, from }: Quote): number {
    let backslashes = 0,
      at = from;
    for (; at < this.text.length && !this.is(at, Is.Line); at++) {
      const here = this.code(at);
      if (here === code && (backslashes <= escapes || (backslashes - escapes) % (2 * (escapes + 1)) === 0))
        return at - Math.min(backslashes, escapes);
      backslashes = here === BACKSLASH ? backslashes + 1 : 0;
    }
    return at;
  }

  #isQuoteBefore(at: number): boolean {
    return /["'`]\s*[:=]>?\s*$/.test(this.slice(Math.max(0, at - 20), at));
  }

  /** Hides a list or an object with nested brackets; without a closing bracket, the rest of the text. */
  #nested(at: number): number {
    let depth = 0,
      to = at;
    for (; to < this.text.length; to++) {
      const here = this.code(to);
      if (here === OPEN_LIST || here === OPEN_OBJECT) depth++;
      if ((here === CLOSE_LIST || here === CLOSE_OBJECT) && --depth === 0) break;
    }
    return this.#hide(at + 1, to);
  }

  /** Hides a YAML block: its first indented line, or a whole private key. */
  #block(at: number): number {
    const line = this.until(at, Is.Line),
      from = this.while(line, Is.Line | Is.Blank, WINDOW);
    return this.#hide(from, this.starts(from, KEY_BEGINS) ? this.#keyEnd(from) : this.until(from, Is.Line));
  }

  /** Hides up to the end of the line, or up to the quote that ends the surrounding text; the scheme is preserved. */
  #header(at: number): number {
    const quote = this.#quote(at),
      from = quote?.from ?? at;
    let to = from;
    if (quote) to = this.#quoted(quote);
    else
      while (to < this.text.length && !this.is(to, Is.Line)) {
        if (this.text[to] === "\\" && "nr".includes(this.text[to + 1] ?? " ")) break;
        if (this.is(to, Is.Quote)) {
          if (this.text[to - 1] !== "=") break;
          to = this.#quoted({ escapes: 0, code: this.code(to), from: to + 1 });
        }
        to++;
      }
    to = Math.min(to, this.text.length);
    const scheme = /^(\S+)\s+(?=\S)/.exec(this.slice(from, Math.min(to, from + MAX_SEPARATOR_LENGTH))),
      isKnown = SCHEMES.has(scheme?.[1]?.toLowerCase() ?? "");
    return this.#hide(from + (isKnown ? (scheme?.[0].length ?? 0) : 0), to);
  }

  /** Matches `Bearer …` without a header, `password "…"`, `login … password …`. */
  #credential(name: string, end: number): number | undefined {
    if (name.length > 12 || !this.is(end, Is.Blank)) return undefined;
    const word = name.toLowerCase(),
      at = this.while(end, Is.Blank, MAX_BLANKS);
    switch (word) {
      case "bearer":
      case "basic":
      case "token": {
        const { to } = this.#bounds(at),
          text = this.slice(at, Math.min(to, at + WINDOW)).replace(/[.,;:)\]}]{1,9}$/, "");
        const isSecret =
          word === "token"
            ? text.length >= 16 && /\d/.test(text) && /[A-Za-z]/.test(text)
            : text.length >= MIN_CREDENTIAL_LENGTH && !/^[A-Z]?[a-z]{1,15}=?$/.test(text);
        return isSecret ? this.#hide(at, to) : undefined;
      }
      case "password":
      case "passphrase":
      case "passwd": {
        const isNetrc = /login|account/.test(this.#words[0]),
          quote = this.#quote(at);
        if (!isNetrc && !quote) return undefined;
        const { from, to } = this.#bounds(at);
        return this.#hide(from, to);
      }
      default:
        return undefined;
    }
  }

  /** Matches `name: "API_KEY", value: …`. */
  #notePair(at: number): void {
    const quote = this.#quote(at),
      from = quote?.from ?? at,
      to = this.while(from, Is.Name, MAX_SEPARATOR_LENGTH * 2);
    if (isSecretName(this.slice(from, to))) this.#pairUntil = to + WINDOW;
  }

  // --- URLs and private keys

  /** `at`: position after `://`. Hides user and password, whatever characters they contain. */
  #authority(at: number): number {
    let to = at,
      end = -1,
      colon = -1;
    for (; to < this.text.length && !this.is(to, Is.Ends) && to - at < 4 * WINDOW; to++) {
      const here = this.text[to] ?? "";
      if (here === "@") end = to;
      else if (here === ":" && colon === -1 && end === -1) colon = to;
      // A path follows a port; a password may contain a slash.
      else if (
        "/?#".includes(here) &&
        (colon === -1 || (end === -1 && /^\d*$/.test(this.slice(colon + 1, Math.min(to, colon + 8)))))
      )
        break;
      else if (here === "\\") break;
    }
    if (end === -1 || (colon === -1 && end - at < MIN_CREDENTIAL_LENGTH && /^\w+$/.test(this.slice(at, end))))
      return at;
    return this.#hide(at, end);
  }

  /** `at`: position of `-----BEGIN `. Certificates and public keys are preserved. */
  #keyFile(at: number): number {
    const kind = this.slice(at, at + 60),
      end = /^-----BEGIN [A-Z\d ]*PRIVATE KEY(?: BLOCK)?-----/.exec(kind)?.[0].length;
    return end === undefined ? this.while(at, Is.Name) : this.#hide(at + end, this.#keyEnd(at + end));
  }

  /** The lines before the end of a private key whose start was cut off. */
  #keyWithoutBeginning(): Span {
    const to = this.untilText(0, KEY_ENDS);
    let from = to;
    if (KEY_END.test(this.slice(to, to + 60)) && this.text.lastIndexOf(KEY_BEGINS, to) === -1)
      while (from > 0 && this.is(from - 1, Is.Base64 | Is.Line)) from--;
    return { from, to };
  }

  #keyEnd(at: number): number {
    return this.untilText(at, KEY_ENDS);
  }
}

/** Maximum number of characters after a cut that the rules need to recognize a secret before it. */
export const LOOKAHEAD = Math.max(MAX_FORM_MINIMUM, SHAPE_WINDOW) + 2 * MAX_SEPARATOR_LENGTH;
