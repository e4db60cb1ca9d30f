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
import { wordsIn } from "./extract-user-text";

/** One choice. `title` names it and begins a sentence. */
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
    notifications = blocksOf(opening(request.messages), "user");
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

/** Prompt blocks with the changes since `known`, the sections that this session has already sent to the agent. */
export function contextBlocks(
  sections: readonly ContextSection[],
  known: ReadonlyMap<string, ContextSection>,
): readonly TextBlock[] {
  const ended = [...known.values()].filter(({ id }) => !sections.some(section => section.id === id));
  return [
    ...ended.map(({ title }): TextBlock => ({ type: "text", text: `(No longer valid: ${title}.)` })),
    ...sections.flatMap((section): readonly TextBlock[] => {
      const before = known.get(section.id),
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
/** Characters of one section, and number of sections. */
const SECTION_LIMIT = 30_000,
  MAX_SECTIONS = 50;

function blocksOf(messages: readonly ChatMessage[], role: ChatMessage["role"]): readonly Block[] {
  return messages.filter(message => message.role === role).flatMap(blocksOfMessage);
}

/** Keyed by the message object: the next request repeats the same system text. */
const BLOCKS = new WeakMap<ChatMessage, readonly Block[]>();

function blocksOfMessage(message: ChatMessage): readonly Block[] {
  const known = BLOCKS.get(message) ?? blocksIn(textOf(message.content));
  BLOCKS.set(message, known);
  return known;
}

/** The messages of the chat before the user's first words. */
function opening(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const isTurn = ({ role, content }: ChatMessage): boolean =>
    role === "assistant" || (role === "user" && wordsIn(textOf(content)) !== undefined);
  const end = messages.findIndex(isTurn);
  return end === -1 ? [] : messages.slice(0, end);
}

/** The chat's sentence about the mode. The text of the mode's file follows it. */
const MODE_SENTENCE = /^You are currently running in "([^"\n]{1,100})" mode\.[^\n]*\n?/;

function chosenMode(blocks: readonly Block[]): { readonly name: string; readonly text: string } | undefined {
  const text = blocks.findLast(({ name }) => name === "modeInstructions")?.text ?? "";
  const sentence = MODE_SENTENCE.exec(text),
    name = sentence?.[1];
  return sentence && name !== undefined ? { name, text: text.slice(sentence[0].length).trim() } : undefined;
}

/** The Ask mode of older versions has neither tools nor instructions. Their Edit mode reminds the model how to edit. */
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
/** Text of the chat for missing notes, and its instructions for writing them. */
const NO_NOTES =
  /^(?:No user preferences or notes saved yet|(?:Session|Repository) memory \([^)\n]*\) is empty|If you come across\b|\(nothing yet\))/;

function notes(...groups: readonly (readonly Block[])[]): readonly ContextSection[] {
  return groups.flat().flatMap(({ name, text }) => {
    const title = NOTES[name];
    if (title === undefined || text === "" || NO_NOTES.test(text)) return [];
    return [{ id: `notes ${name}`, title: `${title}, kept by VS Code`, text }];
  });
}

/** An agent is opened in one folder. This section lists the folders of the workspace. */
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
/** Modes in which an agent changes nothing. `undefined`: any other mode. */

export type QuietMode = "plan" | "ask" | undefined;
