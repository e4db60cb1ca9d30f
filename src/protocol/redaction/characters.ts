/** Character classes for scanning text. Non-ASCII characters are in no class. Pure. */
import type { Alphabet } from "./secret-formats";

/** Bit masks. `Ends`: characters that end an unquoted value. */
export const Is = {
  Name: 1,
  Base64: 2,
  Blank: 4,
  Line: 8,
  Quote: 16,
  Letter: 32,
  Digit: 64,
  Hex: 128,
  Upper: 256,
  Word: 512,
  Dotted: 1024,
  Ends: 2048,
} as const;

const MEMBERS: readonly (readonly [bit: number, members: RegExp])[] = [
  [Is.Name, /[\w.-]/],
  [Is.Base64, /[\w+/=.-]/],
  [Is.Blank, /[ \t]/],
  [Is.Line, /[\n\r]/],
  [Is.Quote, /["'`]/],
  [Is.Letter, /[A-Za-z\d]/],
  [Is.Digit, /\d/],
  [Is.Hex, /[a-f\d]/i],
  [Is.Upper, /[A-Z\d]/],
  [Is.Word, /[\w-]/],
  [Is.Dotted, /[\w.=-]/],
  [Is.Ends, /[\s"'`<>]/],
];
/** Made at the first use, because the start of each program loads this module. */
let classes: readonly number[] | undefined;

function classesOf(): readonly number[] {
  return Array.from({ length: 128 }, (_, code) =>
    MEMBERS.reduce((bits, [bit, members]) => (members.test(String.fromCharCode(code)) ? bits | bit : bits), 0),
  );
}

/** Whether the character is in any of the classes; `NaN`, after the end of the text, is in none. */
export function isIn(code: number, bits: number): boolean {
  return (((classes ??= classesOf())[code] ?? 0) & bits) !== 0;
}

export const BITS: Readonly<Record<Alphabet, number>> = {
  digits: Is.Digit,
  hex: Is.Hex,
  upper: Is.Upper,
  letters: Is.Letter,
  word: Is.Word,
  dotted: Is.Dotted,
  base64: Is.Base64,
};

export const BACKSLASH = 92,
  OPEN_LIST = 91,
  CLOSE_LIST = 93,
  OPEN_OBJECT = 123,
  CLOSE_OBJECT = 125;

const NUMBER = 1,
  CAPITAL = 2,
  SMALL = 4,
  OTHER_KIND = 8,
  ALL_KINDS = NUMBER | CAPITAL | SMALL;

function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return NUMBER;
  if (code >= 65 && code <= 90) return CAPITAL;
  return code >= 97 && code <= 122 ? SMALL : OTHER_KIND;
}

/**
 * Whether a base64 text looks random: lower-case letters, capitals and digits in an order that forms no words, unlike a
 * name or a path.
 */
export function isRandom(text: string): boolean {
  let changes = 0,
    kinds = 0,
    last = 0,
    inWords = 0,
    run = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind !== last) changes++;
    kinds |= last = kind;
    run = kind === SMALL ? run + 1 : 0;
    if (run >= 3) inWords += run === 3 ? 3 : 1;
  }
  return (kinds & ALL_KINDS) === ALL_KINDS && changes >= 0.35 * text.length && inWords < 0.45 * text.length;
}
