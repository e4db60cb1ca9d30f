/** The command in the parameters of a tool call. Agents name and write it in different ways. Pure. */
import { isFilled, isStrings, type Fields } from "../../../src/protocol/wire/json";

const NAMES = ["command", "cmd", "script", "commandLine"] as const;
const SHELL = /^(?:.*[\\/])?(?:ba|z|da|k)?sh(?:\.exe)?$/;

/** The command line; `undefined` if the parameters contain none. */
export function shellCommand(input: Fields): string | undefined {
  return commandIn(input)?.command;
}

/** Also the name of the parameter. */
export function commandIn(input: Fields): { readonly name: string; readonly command: string } | undefined {
  for (const name of NAMES) {
    const value = input[name];
    if (isFilled(value)) return { name, command: value };
    if (isStrings(value) && value.length > 0) return { name, command: lineOf(value) };
  }
  return undefined;
}

/** `bash -lc SCRIPT` runs the script, which alone is shown. */
function lineOf(words: readonly string[]): string {
  const [program = "", option = "", script] = words;
  return words.length === 3 && script !== undefined && SHELL.test(program) && /^-l?c$/.test(option)
    ? script
    : words.map(quoted).join(" ");
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
