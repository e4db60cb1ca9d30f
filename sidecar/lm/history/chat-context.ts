/**
 * Extracts the user's choices that the chat passes in its own messages: chat mode, custom instructions, notes and
 * workspace folders. An agent receives each of them once as quoted context, and again when it changes. Pure.
 *
 * The rest of the system text is not passed to the agent, because it explains tools that the agent does not have.
 */
import type { TextBlock } from "../../acp/schema";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { attachmentsIn, blocksIn, distinct } from "./parse-message";
import { quoted } from "./quote-block";
import { textOf } from "./parse-history";
import { userTextIn } from "./extract-user-text";

/** One choice. `title`: its name, as the start of a sentence. */
export interface ContextSection {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface ChatContext {
  /** The agent's mode that corresponds to the chat mode. */
  readonly mode: QuietMode;
  readonly sections: readonly ContextSection[];
}

export const NO_CONTEXT: ChatContext = { mode: undefined, sections: [] };

/** `cwd`: the folder in which the agent's session is opened. */
export function chatContextOf(request: ChatRequest, cwd: string): ChatContext {
  const system = blocksOf(request.messages, "system"),
    notifications = blocksOf(messagesBeforeUserText(request.messages), "user");
  const all = [...system, ...notifications];
  const chosen = chosenMode(all);
  return {
    mode: chosen ? QUIET_MODES[chosen.name.toLowerCase()] : isOldAskMode(request) ? "ask" : undefined,
    sections: [
      ...(chosen ? [{ id: MODE, title: modeTitle(chosen.name), text: chosen.text }] : []),
      ...instructions(all),
      ...notes(system, notifications),
      ...folders(notifications, cwd),
    ].map(section => ({ ...section, text: cut(section.text) })),
  };
}

/** Prompt blocks with the changes since `sent`, the sections that the agent's session has already received. */
export function contextBlocks(
  sections: readonly ContextSection[],
  sent: ReadonlyMap<string, ContextSection>,
): readonly TextBlock[] {
  const ended = [...sent.values()].filter(({ id }) => !sections.some(section => section.id === id));
  return [
    ...ended.map(({ title }): TextBlock => ({ type: "text", text: `(No longer valid: ${title}.)` })),
    ...sections.flatMap((section): readonly TextBlock[] => {
      const before = sent.get(section.id),
        isSame = before?.text === section.text && before.title === section.title;
      const hint = section.id === MODE ? ". They may name tools that you do not have" : "";
      if (!isSame) return [quoted(`${section.title}${hint}`, section.text)];
      return section.id === MODE ? [{ type: "text", text: `(Still valid: ${section.title}.)` }] : [];
    }),
  ];
}

interface Block {
  readonly name: string;
  readonly text: string;
}

const MODE = "mode";
const QUIET_MODES: Readonly<Record<string, QuietMode>> = { plan: "plan", ask: "ask" };
/** Maximum characters of one section, and maximum number of instruction files. */
const SECTION_LIMIT = 30_000,
  MAX_SECTIONS = 50;

function blocksOf(messages: readonly ChatMessage[], role: ChatMessage["role"]): readonly Block[] {
  return messages.filter(message => message.role === role).flatMap(blocksOfMessage);
}

/** Cache keyed by message object, because requests repeat their system messages. */
const BLOCKS = new WeakMap<ChatMessage, readonly Block[]>();

function blocksOfMessage(message: ChatMessage): readonly Block[] {
  const blocks = BLOCKS.get(message) ?? blocksIn(textOf(message.content));
  BLOCKS.set(message, blocks);
  return blocks;
}

/** The messages before the user's first text. */
function messagesBeforeUserText(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const isTurn = ({ role, content }: ChatMessage): boolean =>
    role === "assistant" || (role === "user" && userTextIn(textOf(content)) !== undefined);
  const end = messages.findIndex(isTurn);
  return end === -1 ? [] : messages.slice(0, end);
}

/** The chat's sentence about the mode. The mode's instructions follow. */
const MODE_SENTENCE = /^You are currently running in "([^"\n]{1,100})" mode\.[^\n]*\n?/;

function chosenMode(blocks: readonly Block[]): { readonly name: string; readonly text: string } | undefined {
  const text = blocks.findLast(({ name }) => name === "modeInstructions")?.text ?? "";
  const sentence = MODE_SENTENCE.exec(text),
    name = sentence?.[1];
  return sentence && name !== undefined ? { name, text: text.slice(sentence[0].length).trim() } : undefined;
}

/**
 * Detects the Ask mode of older versions, which has neither tools nor instructions. Their Edit mode starts the message
 * with a `<reminder>`.
 */
function isOldAskMode({ messages, options }: ChatRequest): boolean {
  const last = textOf(messages.findLast(({ role }) => role === "user")?.content ?? []);
  return options?.tools?.length === 0 && options.requestInitiator !== undefined && /^\s*<prompt>/.test(last);
}

function instructions(blocks: readonly Block[]): readonly ContextSection[] {
  const texts = blocks.filter(({ name }) => name === "instructions").map(({ text }) => text);
  const files = distinct(texts.flatMap(attachmentsIn))
    .filter(({ path }) => path !== undefined)
    .slice(0, MAX_SECTIONS);
  return files.map(({ path, text }) => ({
    id: `instructions ${path}`,
    title: `Instructions of the user, from ${path}`,
    text,
  }));
}

const NOTES: Readonly<Record<string, string>> = {
  userMemory: "The user’s notes for all workspaces",
  sessionMemory: "The notes of this chat",
  repoMemory: "The notes about this repository",
  repository_memories: "The notes about this repository",
};
/** The chat's text for missing notes, and its instructions for writing notes. */
const NO_NOTES =
  /^(?:No user preferences or notes saved yet|(?:Session|Repository) memory \([^)\n]*\) is empty|If you come across\b|\(nothing yet\))/;

function notes(...groups: readonly (readonly Block[])[]): readonly ContextSection[] {
  return groups.flat().flatMap(({ name, text }) => {
    const title = NOTES[name];
    if (title === undefined || text === "" || NO_NOTES.test(text)) return [];
    return [{ id: `notes ${name}`, title: `${title}, kept by VS Code`, text }];
  });
}

/** Lists the workspace folders, unless `cwd` is the only one. An agent is opened in a single folder. */
function folders(blocks: readonly Block[], cwd: string): readonly ContextSection[] {
  const text = blocks.find(({ name }) => name === "workspace_info")?.text ?? "";
  const list = /\bfollowing folders:\n((?:- .*\n?)+)/.exec(text)?.[1] ?? "";
  const found = list
    .split("\n")
    .map(line => line.replace(/^- /, "").trim())
    .filter(folder => folder !== "");
  if (found.length === 0 || (found.length === 1 && found[0] === cwd)) return [];
  return [{ id: "folders", title: "The folders of the workspace", text: found.join("\n") }];
}

function modeTitle(name: string): string {
  return `The instructions of the chat mode “${name}”, which the user selected`;
}

function cut(text: string): string {
  const remaining = text.length - SECTION_LIMIT;
  return remaining <= 0 ? text : `${text.slice(0, SECTION_LIMIT)} … (${remaining} more characters)`;
}

/** A chat mode in which an agent changes nothing; `undefined` for any other mode. */
export type QuietMode = "plan" | "ask" | undefined;
