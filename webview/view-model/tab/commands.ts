/** Completion of the agent's commands. Pure. */
import type { Command } from "../../../src/protocol/chat/chat";
import { readableLine, visibleLine, visibleText } from "../../../src/protocol/text/visible-text";
export interface CommandChoice {
  readonly command: Command;
  /** `/name`, as inserted into the prompt. */
  readonly text: string;
  readonly about: string;
}

/** Commands whose names match the text, best first; none after the name is complete. */
export function fitting(commands: readonly Command[], typed: string): readonly CommandChoice[] {
  const [, part] = /^\/(\S*)$/.exec(typed) ?? [];
  if (part === undefined) return [];
  const query = part.toLowerCase();
  return commands
    .filter(({ name }) => isTypable(name))
    .map(command => ({ command, fit: fitOf(command, query) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit) // stable: equal matches keep the agent's order
    .map(({ command }) => ({ command, text: `/${command.name}`, about: readableLine(command.description) }));
}

/** A name with a space cannot be distinguished from its arguments. */
const isTypable = (name: string): boolean => name !== "" && !/\s/.test(name) && visibleText(name) === name;

function fitOf({ name, description }: Command, query: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(query)) return 4;
  if (lower.split(/[-_:./]/).some(word => word.startsWith(query))) return 3;
  if (lower.includes(query)) return 2;
  return query.length >= 3 && description.toLowerCase().includes(query) ? 1 : 0;
}

/** Whether the text is exactly a command, so that Enter sends it. */
export function isWhole(commands: readonly Command[], typed: string): boolean {
  return commands.some(({ name }) => typed === `/${name}`);
}

/** Argument hint of the typed command, until arguments are typed. */
export function hintFor(commands: readonly Command[], typed: string): string | undefined {
  const [, name] = /^\/(\S+)\s*$/.exec(typed) ?? [];
  const hint = name === undefined ? undefined : commands.find(command => command.name === name)?.hint;
  return hint === undefined || hint.trim() === "" ? undefined : visibleLine(hint);
}
