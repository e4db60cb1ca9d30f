/**
 * What a user attached to a prompt → ACP's content blocks (schema v1, `ContentBlock`). Text and links every agent
 * takes; the thing itself (`resource`) and images only those that say so in `promptCapabilities`.
 *
 * Invariants: the words come first; nothing that was attached is left out without a word: what cannot be embedded is
 * linked, what has no address is quoted as text, and images that the agent does not take are named in `left`.
 */
import { pathToFileURL } from "node:url";
import { ATTACHED_TEXT_LIMIT, lines, nameOf, type Attachment } from "../../src/protocol/attachments";
import type { JsonObject } from "../rpc/json";

export interface PromptCapabilities {
  readonly images: boolean;
  readonly embedded: boolean;
}

export interface PromptContent {
  readonly blocks: readonly JsonObject[];
  /** Names of what the agent does not take. */
  readonly left: readonly string[];
}

/** Characters of all files in one prompt that are embedded; what is more is linked. */
const EMBEDDED_LIMIT = 1_000_000;

/** `read` gives the text as the user sees it, and rejects for what is no text. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  { images, embedded }: PromptCapabilities,
  read: (path: string) => Promise<string>,
): Promise<PromptContent> {
  const texts = embedded ? await filesOf(attachments, read) : new Map<string, string>();
  const blocks: JsonObject[] = text === "" ? [] : [{ type: "text", text }];
  const left: string[] = [];
  let room = EMBEDDED_LIMIT;
  const resource = (uri: string, content: string): JsonObject | undefined => {
    if (!embedded || content.length > room) return undefined;
    room -= content.length;
    return { type: "resource", resource: { uri, text: content } };
  };
  for (const attachment of attachments) {
    const name = nameOf(attachment);
    switch (attachment.kind) {
      case "folder":
        blocks.push(link(uriOf(attachment.path), name));
        break;
      case "file": {
        const content = texts.get(attachment.path);
        blocks.push(
          (content === undefined ? undefined : resource(uriOf(attachment.path), content)) ??
            link(uriOf(attachment.path), name),
        );
        break;
      }
      case "symbol": {
        const uri = uriOf(attachment.path, attachment),
          content = linesOf(texts.get(attachment.path), attachment);
        blocks.push((content === undefined ? undefined : resource(uri, content)) ?? link(uri, name));
        break;
      }
      case "selection": {
        const uri =
          attachment.path === undefined
            ? `untitled:${encodeURIComponent(attachment.name)}${fragment(attachment)}`
            : uriOf(attachment.path, attachment);
        blocks.push(
          resource(uri, attachment.text) ??
            quote(`${attachment.path ?? attachment.name}, lines ${lines(attachment)}`, attachment.text),
        );
        break;
      }
      case "problems":
        blocks.push(quote("Problems that the editor shows", attachment.text));
        break;
      case "terminal":
        blocks.push(quote(`From the terminal “${attachment.name}”`, attachment.text));
        break;
      case "image":
        if (images) blocks.push({ type: "image", mimeType: attachment.mimeType, data: attachment.data });
        else left.push(name);
    }
  }
  return { blocks, left };
}

/** The texts of what is to be embedded, each file read once; one that cannot be read, or is too long, is not there. */
async function filesOf(
  attachments: readonly Attachment[],
  read: (path: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const paths = new Set(
    attachments.flatMap(attachment =>
      attachment.kind === "file" || attachment.kind === "symbol" ? [attachment.path] : [],
    ),
  );
  const texts = await Promise.all(
    [...paths].map(async path => [path, await read(path).catch(() => undefined)] as const),
  );
  return new Map(
    texts.flatMap(([path, text]) => (text === undefined || text.length > ATTACHED_TEXT_LIMIT ? [] : [[path, text]])),
  );
}

function linesOf(
  text: string | undefined,
  { startLine, endLine }: { readonly startLine: number; readonly endLine: number },
): string | undefined {
  return text
    ?.split("\n")
    .slice(startLine - 1, endLine)
    .join("\n");
}

function uriOf(path: string, range?: { readonly startLine: number; readonly endLine: number }): string {
  return `${pathToFileURL(path).href}${range === undefined ? "" : fragment(range)}`;
}

function fragment({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }): string {
  return startLine === endLine ? `#L${startLine}` : `#L${startLine}-L${endLine}`;
}

function link(uri: string, name: string): JsonObject {
  return { type: "resource_link", uri, name };
}

/** In a fence that is longer than any within. */
function quote(what: string, text: string): JsonObject {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return { type: "text", text: `${what}:\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}` };
}
