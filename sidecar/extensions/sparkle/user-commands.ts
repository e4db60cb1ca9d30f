/** What a user's prompt asks of Sparkle. Pure. */
import { forTheAgent } from "../../mcp/audience";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { marked, trailingSpace, type AskedPart, type Part } from "./marks";

/** v1's shape of a command (schema v1, `AvailableCommand`). */
export const CHECKPOINT_COMMAND = {
  name: "checkpoint",
  description: "Sparkle: keep what this session has come to, for the next one",
  input: { hint: "what matters most (optional)" },
};

/** The shape of a command in version 2 (schema v2, `AvailableCommand`). */
export const CHECKPOINT_COMMAND_V2 = {
  type: "command",
  ...CHECKPOINT_COMMAND,
  input: { type: "text", ...CHECKPOINT_COMMAND.input },
};

/** Adds the command at the end, in the shape of the version, unless the agent has one of that name. */
export function withCheckpoint(commands: readonly unknown[], version: 1 | 2): readonly unknown[] {
  if (hasCheckpoint(commands)) return commands;
  return [...commands, version === 2 ? CHECKPOINT_COMMAND_V2 : CHECKPOINT_COMMAND];
}

export function hasCheckpoint(commands: readonly unknown[]): boolean {
  return commands.some(command => objectOr(command).name === CHECKPOINT_COMMAND.name);
}

export type Wish =
  /**
   * A command of the agent, which takes the whole prompt as its input, or a prompt without words, in which a block of
   * ours would be the first text: nothing is added.
   */
  | { readonly kind: "closed" }
  /** `asked`: the parts that the words ask for. */
  | { readonly kind: "open"; readonly asked: readonly AskedPart[] };

/** `prompt`: content blocks. `isCheckpointOurs`: the agent has no command of that name. */
export function readWish(prompt: readonly unknown[], isCheckpointOurs: boolean): Wish {
  const texts = prompt.filter(isText),
    first = texts[0]?.text;
  if (first === undefined) return { kind: "closed" };
  const command = /^\s*\/(\S*)/.exec(first)?.[1],
    isCheckpoint = command === CHECKPOINT_COMMAND.name && isCheckpointOurs;
  // A path (“/usr/bin is …”) is no command.
  if (command !== undefined && !command.includes("/") && !isCheckpoint) return { kind: "closed" };
  const isMeta = texts.some(({ text }) => isMetaMoment(text));
  return {
    kind: "open",
    asked: [...(isCheckpoint ? (["checkpoint"] as const) : []), ...(isMeta ? (["meta-moment"] as const) : [])],
  };
}

/** To be marked and added behind the user's blocks. */
export interface SparkleBlock {
  readonly part: Part;
  readonly text: string;
}

/** The user's blocks as they are, and these behind them. */
export function withBlocks(prompt: readonly unknown[], blocks: readonly SparkleBlock[]): readonly unknown[] {
  const last = prompt.at(-1),
    keep = isText(last) ? trailingSpace(last.text) : 0;
  return [
    ...prompt,
    ...blocks.map(
      ({ part, text }, i): JsonObject => forTheAgent({ type: "text", text: marked(part, text, i === 0 ? keep : 0) }),
    ),
  ];
}

/** As words of their own, in any case, also at the end of one line and the beginning of the next. */
export function isMetaMoment(text: string): boolean {
  return /(?<![\p{L}\p{N}_])meta\s{1,20}moment(?![\p{L}\p{N}_])/iu.test(text);
}

function isText(block: unknown): block is { readonly type: "text"; readonly text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}
