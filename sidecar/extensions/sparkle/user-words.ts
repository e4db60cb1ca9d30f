/** What a user's prompt asks of Sparkle. Pure. */
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { forTheAgent, marked } from "./marks";
import { CHECKPOINT, META_MOMENT } from "./texts";

/** v1's shape of a command (schema v1, `AvailableCommand`). */
export const CHECKPOINT_COMMAND = { name: "checkpoint", description: "Sparkle: keep what this session has come to, for the next one", input: { hint: "what matters most (optional)" } };

/** With ours at the end, unless the agent has one of that name: then that is the one. */
export function withCheckpoint(commands: readonly unknown[]): readonly unknown[] {
  return hasCheckpoint(commands) ? commands : [...commands, CHECKPOINT_COMMAND];
}

export function hasCheckpoint(commands: readonly unknown[]): boolean { return commands.some(command => objectOr(command).name === CHECKPOINT_COMMAND.name); }

export interface Wish {
  /** What goes to the agent, without an embodiment. */
  readonly prompt: readonly unknown[];
  /** Of an agent's own, which it sees at the start of the first text only: nothing may come before it. */
  readonly isCommand: boolean;
}

/** `prompt`: content blocks. The list that came is the list that goes where there is nothing to change. `isCheckpointOurs`: the agent has no command of that name. */
export function readWish(prompt: readonly unknown[], isCheckpointOurs: boolean): Wish {
  const at = prompt.findIndex(isText), first = textOf(prompt[at]);
  const command = /^\s*\/(\S*)/.exec(first)?.[1];
  if (command === "checkpoint" && isCheckpointOurs) return { prompt: withMeta(prompt.toSpliced(at, 1, ...checkpoint(first)), prompt), isCommand: false };
  // A path (“/usr/bin is …”) is no command.
  if (command !== undefined && !command.includes("/")) return { prompt, isCommand: true };
  return { prompt: withMeta(prompt, prompt), isCommand: false };
}

function checkpoint(text: string): readonly JsonObject[] {
  const rest = text.replace(/^\s*\/checkpoint\s*/, "");
  return [{ type: "text", text: marked("checkpoint", CHECKPOINT) }, ...(rest === "" ? [] : [{ type: "text", text: rest }])];
}

function withMeta(prompt: readonly unknown[], said: readonly unknown[]): readonly unknown[] {
  return said.some(block => isMetaMoment(textOf(block))) ? [...prompt, forTheAgent(marked("meta-moment", META_MOMENT))] : prompt;
}

/** As words of their own, in any case, also at the end of one line and the beginning of the next. */
export function isMetaMoment(text: string): boolean { return /(?<![\p{L}\p{N}_])meta\s{1,20}moment(?![\p{L}\p{N}_])/iu.test(text); }

function isText(block: unknown): block is { readonly type: "text"; readonly text: string } { return isObject(block) && block.type === "text" && typeof block.text === "string"; }
function textOf(block: unknown): string { return isText(block) ? block.text : ""; }
