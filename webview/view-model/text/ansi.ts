/**
 * Interprets program output as a terminal does: lines of text with colours. Pure.
 *
 * Supported: SGR (16, 256 and true colours; bold, dim, italic, underlined, inverse), carriage return, backspace, tab
 * and erase-line. All other sequences and incomplete ones are dropped.
 *
 * Invariants:
 * - The result has at most as many characters as the output, apart from expanded tabs.
 * - Time is linear in the output, regardless of cursor movements.
 */

export interface AnsiStyle {
  readonly colour?: Colour;
  readonly background?: Colour;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
}

/** An index into the theme's 16 colours, or red, green and blue. */
export type Colour = { readonly theme: number } | { readonly rgb: readonly [red: number, green: number, blue: number] };

export interface AnsiRun {
  readonly text: string;
  readonly style: AnsiStyle;
}
export type AnsiLine = readonly AnsiRun[];

const PLAIN: AnsiStyle = {};
const TAB = 8;
/** Longer lines are broken, because nothing else bounds the expansion of tabs. */
const MAX_LINE_LENGTH = 10_000;

/** Alternatives: CSI; OSC and similar up to BEL or ST; two-character sequences; incomplete sequences. */
const SEQUENCE =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-OQ-WYZ\\`-~]|\u001b\[[0-?]*[ -/]*$/y;

interface Cell {
  readonly text: string;
  readonly style: AnsiStyle;
}

export function ansiLines(output: string): readonly AnsiLine[] {
  const lines: AnsiLine[] = [];
  let line = new Line(),
    style = PLAIN;
  const endLine = () => {
    lines.push(line.runs());
    line = new Line();
  };
  for (let i = 0; i < output.length; ) {
    const code = output.codePointAt(i) ?? 0;
    if (code === 0x1b) {
      SEQUENCE.lastIndex = i;
      const [whole, parameters = "", final] = SEQUENCE.exec(output) ?? ["\u001b"];
      i += whole.length;
      if (final === "m") style = restyled(style, parameters);
      else if (final === "K") line.erase(parameters);
      continue;
    }
    const text = String.fromCodePoint(code);
    i += text.length;
    if (text === "\n") endLine();
    else line.put(text, code, style);
    if (line.at >= MAX_LINE_LENGTH) endLine();
  }
  if (!line.isEmpty) lines.push(line.runs());
  return lines;
}

/** A line under construction: its cells and the cursor. */
class Line {
  readonly #cells: Cell[] = [];
  /** All columns before this one are blank and need not be erased again. */
  #blankTo = 0;
  at = 0;

  get isEmpty(): boolean {
    return this.#cells.length === 0;
  }

  put(text: string, code: number, style: AnsiStyle): void {
    if (text === "\r") this.at = 0;
    else if (text === "\b") this.at = Math.max(0, this.at - 1);
    else if (text === "\t") {
      do {
        if (this.at < this.#cells.length) this.at++;
        else this.#write(" ", style);
      } while (this.at % TAB !== 0);
    } else if (code >= 0x20 && !(code >= 0x7f && code < 0xa0)) this.#write(text, style);
  }

  /** 0: from the cursor to the end; 1: from the start to the cursor; 2: the whole line. The cursor does not move. */
  erase(parameters: string): void {
    if (parameters === "1" || parameters === "2") this.#blank(Math.min(this.at + 1, this.#cells.length));
    if (parameters === "" || parameters === "0" || parameters === "2")
      this.#cells.length = Math.min(this.at, this.#cells.length);
    this.#blankTo = Math.min(this.#blankTo, this.#cells.length);
  }

  runs(): AnsiLine {
    const all: { text: string; readonly style: AnsiStyle }[] = [];
    for (const cell of this.#cells) {
      const last = all.at(-1);
      if (last !== undefined && last.style === cell.style) last.text += cell.text;
      else all.push({ ...cell });
    }
    return all;
  }

  #write(text: string, style: AnsiStyle): void {
    this.#cells[this.at] = { text, style };
    this.#blankTo = Math.min(this.#blankTo, this.at++);
  }

  #blank(to: number): void {
    for (let i = this.#blankTo; i < to; i++) this.#cells[i] = BLANK;
    this.#blankTo = Math.max(this.#blankTo, to);
  }
}

const BLANK: Cell = { text: " ", style: PLAIN };

// --- SGR

function restyled(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map(code => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(i + 1, i + 5));
      i += used;
      if (colour) style = code === 38 ? { ...style, colour } : { ...style, background: colour };
    } else style = simple(style, code);
  }
  return style;
}

function simple(style: AnsiStyle, code: number): AnsiStyle {
  const { colour: _colour, ...noColour } = style,
    { background: _background, ...noBackground } = style;
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 22: {
      const { bold: _bold, dim: _dim, ...rest } = style;
      return rest;
    }
    case 23: {
      const { italic: _italic, ...rest } = style;
      return rest;
    }
    case 24: {
      const { underline: _underline, ...rest } = style;
      return rest;
    }
    case 27: {
      const { inverse: _inverse, ...rest } = style;
      return rest;
    }
    case 39:
      return noColour;
    case 49:
      return noBackground;
  }
  if (code >= 30 && code <= 37) return { ...style, colour: { theme: code - 30 } };
  if (code >= 40 && code <= 47) return { ...style, background: { theme: code - 40 } };
  if (code >= 90 && code <= 97) return { ...style, colour: { theme: code - 82 } };
  if (code >= 100 && code <= 107) return { ...style, background: { theme: code - 92 } };
  return style;
}

/** Parses the codes after 38 or 48: `5;N` or `2;R;G;B`. `used` is the number of parsed codes. */
function extended([kind, a, b, c]: readonly number[]): readonly [colour: Colour | undefined, used: number] {
  if (kind === 5) return [a === undefined ? undefined : indexed(a), 2];
  if (kind === 2) return [[a, b, c].every(isByte) ? { rgb: [a ?? 0, b ?? 0, c ?? 0] } : undefined, 4];
  return [undefined, 1];
}

const isByte = (value: number | undefined): boolean =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;

/** The theme's 16 colours, a cube of 6 × 6 × 6, and 24 greys. */
function indexed(n: number): Colour | undefined {
  if (!isByte(n)) return undefined;
  if (n < 16) return { theme: n };
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10;
    return { rgb: [grey, grey, grey] };
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  return { rgb: [level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)] };
}
