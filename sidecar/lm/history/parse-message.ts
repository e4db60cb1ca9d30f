/**
 * Splits a user message of the host's chat into user text, attachments and editor context. Omits the chat's
 * instructions about its own tools. Pure.
 */
import type { ChatMessage } from "../../../src/protocol/lm/lm";
import { textOf } from "./parse-history";
import { userTextIn } from "./extract-user-text";

export interface Attached {
  /** Absolute path of the attached file, or of the file that contains the attachment. */
  readonly path: string | undefined;
  /** Name that the chat uses. */
  readonly name: string;
  readonly text: string;
}

export interface PromptParts {
  readonly userText: string;
  readonly attached: readonly Attached[];
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
  /** Names of tools that the user referred to. */
  readonly tools: readonly string[];
  /** Other blocks that the chat added, by tag name. */
  readonly context: readonly { readonly name: string; readonly text: string }[];
}

/** Instructions for tools that the agent does not have. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(["reminderInstructions", "reminder"]);
const USER_TAGS: ReadonlySet<string> = new Set(["userRequest", "prompt"]);

export function partsOf(messages: readonly ChatMessage[]): PromptParts {
  const users = messages.filter(({ role }) => role === "user"),
    texts = users.map(({ content }) => textOf(content));
  const blocks = texts
    .flatMap(text => (userTextIn(text) === undefined ? [] : blocksIn(text)))
    .filter(({ name }) => !INSTRUCTIONS.has(name) && !USER_TAGS.has(name));
  const named = (tag: string): readonly string[] => blocks.filter(({ name }) => name === tag).map(({ text }) => text);
  return {
    userText: texts
      .map(text => userTextIn(text) ?? text.trim())
      .filter(text => text !== "")
      .join("\n"),
    attached: distinct(named("attachments").flatMap(attachmentsIn)),
    images: users.flatMap(({ content }) =>
      content.flatMap(part =>
        part.type === "data" && part.mimeType.startsWith("image/")
          ? [{ mimeType: part.mimeType, data: part.data }]
          : [],
      ),
    ),
    tools: named("toolReferences").flatMap(text =>
      [...text.matchAll(/^- (\S+)\s*$/gm)].flatMap(([, name]) => name ?? []),
    ),
    context: blocks
      .filter(({ name }) => name !== "attachments" && name !== "toolReferences")
      .map(({ name, text }) => ({ name, text: withoutCatalogues(text) }))
      .filter(({ text }) => text !== ""),
  };
}

/**
 * Removes the lists of skills and agents that the chat adds when they change. The lists name tools and files of the
 * chat only.
 */
function withoutCatalogues(text: string): string {
  return text.replace(/^<customizationsUpdate>\n[^]*?^<\/customizationsUpdate>\n?/gm, "").trim();
}

/**
 * Blocks whose opening tag starts a line. A block ends at its first closing tag before another tag or the end of the
 * text, otherwise at its first closing tag.
 */
export function blocksIn(text: string): readonly { readonly name: string; readonly text: string }[] {
  const found: { name: string; text: string }[] = [];
  for (let rest = text; ; ) {
    const opening = /^<([A-Za-z][\w-]*)>\n?/m.exec(rest),
      name = opening?.[1];
    if (!opening || name === undefined) return found;
    const from = opening.index + opening[0].length,
      end = endOf(rest, name, from);
    if (end === undefined) rest = rest.slice(from);
    else {
      found.push({ name, text: rest.slice(from, end).trim() });
      rest = rest.slice(end + name.length + 3);
    }
  }
}

function endOf(text: string, name: string, from: number): number | undefined {
  const closing = `</${name}>`;
  let first: number | undefined;
  for (let at = text.indexOf(closing, from); at !== -1; at = text.indexOf(closing, at + 1)) {
    first ??= at;
    if (/^\s*(<[A-Za-z]|$)/.test(text.slice(at + closing.length, at + closing.length + 100))) return at;
  }
  return first;
}

export function attachmentsIn(text: string): readonly Attached[] {
  return [...text.matchAll(/^<attachment((?: [\w-]+="[^"]*")*)>\n?([^]*?)\n?^<\/attachment>/gm)].map(
    ([, attributes = "", content = ""]) => {
      const attribute = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
      const path = attribute("filePath");
      return { path, name: attribute("id") ?? path?.split(/[\\/]/).at(-1) ?? "attachment", text: content };
    },
  );
}

/** Removes duplicates: the chat attaches some items twice. */
export function distinct(attached: readonly Attached[]): readonly Attached[] {
  return attached.filter(
    (each, i) => attached.findIndex(second => second.path === each.path && second.text === each.text) === i,
  );
}
