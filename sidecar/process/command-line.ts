/**
 * Parses a command as typed into a shell, without a shell: `KEY=value … command argument…`. Pure.
 *
 * Quoting follows POSIX:
 * - Single quotes preserve every character.
 * - In double quotes, a backslash escapes `$`, `` ` ``, `"` and `\`; elsewhere it escapes the next character.
 * - A backslash before a line end joins the lines.
 *
 * Nothing is expanded: `~`, `*`, `?` and `#` are literal. Unquoted shell syntax (variables, substitutions, pipes,
 * redirections, several commands) is rejected. On Windows, a backslash is part of a path and escapes only a double
 * quote.
 */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * `empty`: no command. `quote`: an unclosed quote. `escape`: a backslash at the end. `shell`: syntax that needs a
 * shell.
 */
export type CommandLineErrorCode = "empty" | "quote" | "escape" | "shell";

export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
  constructor(
    readonly code: CommandLineErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** A parsed word and the length of its unquoted prefix. `NAME=value` is an assignment only if its name is unquoted. */
interface Argument {
  readonly text: string;
  readonly plain: number;
}

const SHELL = "|&;<>()`$\n\r";
/** Characters that a backslash escapes in double quotes and elsewhere. Undefined: any character. */
interface Escapes {
  readonly inDouble: string;
  readonly elsewhere: string | undefined;
}
const POSIX: Escapes = { inDouble: '$`"\\\n', elsewhere: undefined };
const WINDOWS: Escapes = { inDouble: '"', elsewhere: '"' };

/** Throws `CommandLineError`. */
export function parseCommand(text: string, platform: string = process.platform): CommandLine {
  const words = [...wordsOf(text, platform === "win32" ? WINDOWS : POSIX)];
  const env: Record<string, string> = {};
  let next = 0;
  for (let word = words[next]; word; word = words[++next]) {
    const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(word.text)?.[1];
    if (name === undefined || word.plain <= name.length) break;
    env[name] = word.text.slice(name.length + 1);
  }
  const [command, ...args] = words.slice(next).map(word => word.text);
  if (!command)
    throw new CommandLineError(
      "empty",
      next === 0 ? "The command is missing." : "The command after the variables is missing.",
    );
  return { command, args, env };
}

function* wordsOf(text: string, escapes: Escapes): Generator<Argument> {
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at)) && !isLineEndInside(text, at)) {
      at++;
      continue;
    }
    if (escapes === POSIX && text.startsWith("\\\n", at)) {
      at += 2;
      continue;
    }
    const [word, end] = wordAt(text, at, escapes);
    yield word;
    at = end;
  }
}

/** A line end between words starts a second command. At the ends of the text it is white space. */
function isLineEndInside(text: string, at: number): boolean {
  return "\n\r".includes(text.charAt(at)) && text.slice(0, at).trim() !== "" && text.slice(at).trim() !== "";
}

function wordAt(text: string, start: number, escapes: Escapes): [Argument, end: number] {
  let word = "";
  let plain: number | undefined;
  let at = start;
  for (; at < text.length; ) {
    const c = text.charAt(at);
    if (c === "'" || c === '"') {
      plain ??= word.length;
      const [quoted, end] = c === "'" ? singleQuoted(text, at + 1) : doubleQuoted(text, at + 1, escapes);
      word += quoted;
      at = end;
    } else if (c === "\\" && (escapes.elsewhere === undefined || isOneOf(escapes.elsewhere, text.charAt(at + 1)))) {
      if (at + 1 === text.length)
        throw new CommandLineError("escape", "The command ends with a backslash that escapes nothing.");
      if (text.charAt(at + 1) !== "\n") {
        plain ??= word.length;
        word += text.charAt(at + 1);
      }
      at += 2;
    } else if (/\s/.test(c) && !isLineEndInside(text, at)) {
      break;
    } else {
      refuseShell(c);
      word += c;
      at++;
    }
  }
  return [{ text: word, plain: plain ?? word.length }, at];
}

function singleQuoted(text: string, start: number): [string, end: number] {
  const end = text.indexOf("'", start);
  if (end === -1) throw unclosed("'");
  return [text.slice(start, end), end + 1];
}

function doubleQuoted(text: string, start: number, { inDouble }: Escapes): [string, end: number] {
  let quoted = "";
  for (let at = start; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"') return [quoted, at + 1];
    if (c === "$" || c === "`") refuseShell(c);
    const next = text.charAt(at + 1);
    if (c === "\\" && isOneOf(inDouble, next)) {
      if (next !== "\n") quoted += next;
      at++;
    } else quoted += c;
  }
  throw unclosed('"');
}

function isOneOf(characters: string, c: string): boolean {
  return c !== "" && characters.includes(c);
}

function unclosed(quote: string): CommandLineError {
  return new CommandLineError("quote", `A quote (${quote}) is not closed.`);
}

function refuseShell(c: string): void {
  if (!SHELL.includes(c)) return;
  const what = c === "\n" || c === "\r" ? "A second line" : `“${c}”`;
  throw new CommandLineError(
    "shell",
    `${what} needs a shell: put it in single quotes, or use sh -c '…' as the command.`,
  );
}
