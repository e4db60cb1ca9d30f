/** The agent's commands while a prompt is typed: which fit what stands there so far. Pure. */
import type { Command } from "../../src/protocol/chat";
import { readableLine, visibleLine, visibleText } from "../../src/protocol/visible-text";
export interface CommandChoice {
  readonly command: Command;
  /** `/name`, as it goes into the prompt. */
  readonly text: string;
  readonly about: string;
}

/** The commands whose name fits, best first; none as soon as the name is complete and the rest begins. */
export function fitting(commands: readonly Command[], typed: string): readonly CommandChoice[] {
  const [, part] = /^\/(\S*)$/.exec(typed) ?? [];
  if (part === undefined) return [];
  const looked = part.toLowerCase();
  return commands
    .filter(({ name }) => isTypable(name))
    .map(command => ({ command, fit: fitOf(command, looked) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit) // stable: the agent's order among equals
    .map(({ command }) => ({ command, text: `/${command.name}`, about: readableLine(command.description) }));
}

/** A name with a space in it could not be told from its arguments. */
const isTypable = (name: string): boolean => name !== "" && !/\s/.test(name) && visibleText(name) === name;

function fitOf({ name, description }: Command, looked: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(looked)) return 4;
  if (lower.split(/[-_:./]/).some(word => word.startsWith(looked))) return 3;
  if (lower.includes(looked)) return 2;
  return looked.length >= 3 && description.toLowerCase().includes(looked) ? 1 : 0;
}

/** Whether the text is a command and nothing else, so that Enter means to send it. */
export function isWhole(commands: readonly Command[], typed: string): boolean {
  return commands.some(({ name }) => typed === `/${name}`);
}

/** What the command that stands there takes, as long as nothing is typed after it. */
export function hintFor(commands: readonly Command[], typed: string): string | undefined {
  const [, name] = /^\/(\S+)\s*$/.exec(typed) ?? [];
  const hint = name === undefined ? undefined : commands.find(command => command.name === name)?.hint;
  return hint === undefined || hint.trim() === "" ? undefined : visibleLine(hint);
}
