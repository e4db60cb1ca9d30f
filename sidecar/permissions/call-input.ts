/** Classifies a tool call by its content, independently of the agent's text (title, kind). Pure. */
import { arrayOr, isObject, objectOr, type JsonObject } from "../rpc/json";

/** Names of members in which agents pass a shell command. */
const COMMAND = /^(commands?|cmds?|command_?line|shell_?command|script|argv)$/i;
const MAX_DEPTH = 8,
  MAX_MEMBERS = 1_000;

/** Whether `input` contains a command at any depth. An input that exceeds the search limits counts as a command. */
export function carriesCommand(input: unknown): boolean {
  const stack: (readonly [value: unknown, depth: number])[] = [[input, 0]];
  for (let next = stack.pop(), visited = 0; next; next = stack.pop()) {
    const [value, depth] = next,
      members = isObject(value) ? Object.entries(value) : arrayOr(value).map(each => ["", each] as const);
    if (members.some(([name, member]) => COMMAND.test(name) && isCommand(member))) return true;
    if (members.length > 0 && (depth >= MAX_DEPTH || (visited += members.length) > MAX_MEMBERS)) return true;
    stack.push(...members.map(([, member]) => [member, depth + 1] as const));
  }
  return false;
}

/** Whether a member with this name contains a command. */
export function isCommandName(name: string): boolean {
  return COMMAND.test(name);
}

function isCommand(value: unknown): boolean {
  return (typeof value === "string" && value.trim() !== "") || (Array.isArray(value) && value.length > 0);
}

/** The agent's own action that the call shows: a file change or a terminal. */
export function ownActionIn({ content }: JsonObject): "edit" | "execute" | undefined {
  const types = arrayOr(content).map(each => objectOr(each).type);
  return types.includes("terminal") ? "execute" : types.includes("diff") ? "edit" : undefined;
}
