/** Content of a terminal in a card. Pure. */
import type { TerminalView } from "../../../src/protocol/chat/chat";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { ansiLines, type AnsiLine, type AnsiStyle, type Colour } from "../text/ansi";
import type { Tone } from "./card";
/** Maximum number of lines in a card; the whole output can be opened in a terminal. */
export const MAX_TERMINAL_LINES = 500;

export interface TerminalText {
  readonly command: string;
  readonly state: string;
  readonly tone: Tone;
  readonly lines: readonly AnsiLine[];
  /** Output before `lines` is not shown. */
  readonly isCut: boolean;
}

export function terminalText({ command, output, isCut, exit }: TerminalView): TerminalText {
  const lines = ansiLines(output);
  return {
    command: visibleLine(command),
    ...stateOf(exit),
    lines: lines.slice(-MAX_TERMINAL_LINES),
    isCut: isCut || lines.length > MAX_TERMINAL_LINES,
  };
}

function stateOf(exit: TerminalView["exit"]): { readonly state: string; readonly tone: Tone } {
  if (exit === undefined) return { state: "running", tone: "info" };
  if (exit.signal !== undefined) return { state: visibleLine(exit.signal), tone: "warning" };
  return exit.code === undefined
    ? { state: "ended", tone: "plain" }
    : { state: `exit code ${exit.code}`, tone: exit.code === 0 ? "success" : "error" };
}

const THEME = [
  "Black",
  "Red",
  "Green",
  "Yellow",
  "Blue",
  "Magenta",
  "Cyan",
  "White",
  "BrightBlack",
  "BrightRed",
  "BrightGreen",
  "BrightYellow",
  "BrightBlue",
  "BrightMagenta",
  "BrightCyan",
  "BrightWhite",
] as const;
const FOREGROUND = "var(--vscode-terminal-foreground, var(--vscode-foreground))";
const BACKGROUND = "var(--symposium-terminal-background)";

/**
 * CSS properties. The theme's text colours are mixed with the text colour, so that they are readable on the card's
 * background.
 */
export function cssOf({
  colour,
  background,
  bold,
  dim,
  italic,
  underline,
  inverse,
}: AnsiStyle): Readonly<Record<string, string>> {
  const text =
    colour === undefined
      ? undefined
      : "rgb" in colour || background !== undefined || inverse
        ? css(colour)
        : `color-mix(in srgb, ${css(colour)} 65%, ${FOREGROUND})`;
  const backgroundCss = background === undefined ? undefined : css(background);
  const [front, back] = inverse ? [backgroundCss ?? BACKGROUND, text ?? FOREGROUND] : [text, backgroundCss];
  return {
    ...(front === undefined ? {} : { color: front }),
    ...(back === undefined ? {} : { "background-color": back }),
    ...(bold ? { "font-weight": "bold" } : {}),
    ...(dim ? { opacity: "0.75" } : {}),
    ...(italic ? { "font-style": "italic" } : {}),
    ...(underline ? { "text-decoration": "underline" } : {}),
  };
}

function css(colour: Colour): string {
  return "rgb" in colour
    ? `rgb(${colour.rgb.join(" ")})`
    : `var(--vscode-terminal-ansi${THEME[colour.theme] ?? "White"})`;
}
