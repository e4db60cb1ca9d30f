/**
 * Facts about a tool call that do not depend on the agent's text (title, kind): whether its input carries a command.
 * Pure.
 */
import { arrayOr, isObject, objectOr, type JsonObject } from "../rpc/json";

/** Members in which agents pass a command to a shell. */
const COMMAND = /^(commands?|cmds?|command_?line|shell_?command|script|argv)$/i;
const MAX_DEPTH = 8,
  MAX_MEMBERS = 1_000;

/**
 * Whether `input` has a command at its top level, or nested in objects or lists. An input that is too large to search
 * counts as a command.
 */
export function carriesCommand(input: unknown): boolean {
  const open: (readonly [value: unknown, depth: number])[] = [[input, 0]];
  for (let next = open.pop(), seen = 0; next; next = open.pop()) {
    const [value, depth] = next,
      members = isObject(value) ? Object.entries(value) : arrayOr(value).map(each => ["", each] as const);
    if (members.some(([name, member]) => COMMAND.test(name) && isCommand(member))) return true;
    if (members.length > 0 && (depth >= MAX_DEPTH || (seen += members.length) > MAX_MEMBERS)) return true;
    open.push(...members.map(([, member]) => [member, depth + 1] as const));
  }
  return false;
}

/** The name of a member that holds a command. */
export function isCommandName(name: string): boolean {
  return COMMAND.test(name);
}

function isCommand(value: unknown): boolean {
  return (typeof value === "string" && value.trim() !== "") || (Array.isArray(value) && value.length > 0);
}

/** Whether the call shows the agent's own action: a file change or a terminal. */
export function showsOwnAct({ content }: JsonObject): "edit" | "execute" | undefined {
  const types = arrayOr(content).map(each => objectOr(each).type);
  return types.includes("terminal") ? "execute" : types.includes("diff") ? "edit" : undefined;
}
