/** Detects Sparkle's commands and phrases in a user's prompt. Pure. */
import { forTheAgent } from "../../mcp/content-audience";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { marked, trailingSpace, type AskedPart, type Part } from "./marks";

/** The command in version 1 (schema v1, `AvailableCommand`). */
export const CHECKPOINT_COMMAND = {
  name: "checkpoint",
  description: "Sparkle: save the state of this session for the next one",
  input: { hint: "focus of the checkpoint (optional)" },
};

/** The command in version 2 (schema v2, `AvailableCommand`). */
export const CHECKPOINT_COMMAND_V2 = {
  type: "command",
  ...CHECKPOINT_COMMAND,
  input: { type: "text", ...CHECKPOINT_COMMAND.input },
};

/** Appends the command in the form of `version`, unless the agent has a command of that name. */
export function withCheckpoint(commands: readonly unknown[], version: 1 | 2): readonly unknown[] {
  if (hasCheckpoint(commands)) return commands;
  return [...commands, version === 2 ? CHECKPOINT_COMMAND_V2 : CHECKPOINT_COMMAND];
}

export function hasCheckpoint(commands: readonly unknown[]): boolean {
  return commands.some(command => objectOr(command).name === CHECKPOINT_COMMAND.name);
}

export type PromptRequest =
  /** No block may be added, because the prompt is a command of the agent, or a block would be its first text. */
  | { readonly kind: "closed" }
  /** The requested parts. */
  | { readonly kind: "open"; readonly parts: readonly AskedPart[] };

/** `prompt`: content blocks. `isCheckpointOurs`: the agent has no command of that name. */
export function parsePrompt(prompt: readonly unknown[], isCheckpointOurs: boolean): PromptRequest {
  const texts = prompt.filter(isText),
    first = texts[0]?.text;
  if (first === undefined) return { kind: "closed" };
  const command = /^\s*\/(\S*)/.exec(first)?.[1],
    isCheckpoint = command === CHECKPOINT_COMMAND.name && isCheckpointOurs;
  // A path (“/usr/bin is …”) is not a command.
  if (command !== undefined && !command.includes("/") && !isCheckpoint) return { kind: "closed" };
  const isMeta = texts.some(({ text }) => isMetaMoment(text));
  return {
    kind: "open",
    parts: [...(isCheckpoint ? (["checkpoint"] as const) : []), ...(isMeta ? (["meta-moment"] as const) : [])],
  };
}

/** A block that is marked and appended to the user's blocks. */
export interface SparkleBlock {
  readonly part: Part;
  readonly text: string;
}

/** Appends Sparkle's blocks to the unchanged user's blocks. */
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

/** Matches whole words in any case, also across a line break. */
export function isMetaMoment(text: string): boolean {
  return /(?<![\p{L}\p{N}_])meta\s{1,20}moment(?![\p{L}\p{N}_])/iu.test(text);
}

function isText(block: unknown): block is { readonly type: "text"; readonly text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}
