/**
 * Converts a prompt's attachments to ACP content blocks (schema v1, `ContentBlock`). Every agent accepts text and
 * links. Embedded content (`resource`) and images require an agent that advertises them in `promptCapabilities`.
 *
 * Invariants:
 * - The text is the first block.
 * - Content that cannot be embedded is linked. Content without an address is quoted as text.
 * - No attachment is dropped silently: `omitted` names the images that the agent does not accept.
 */
import { pathToFileURL } from "node:url";
import { ATTACHED_TEXT_LIMIT, lines, nameOf, type Attachment } from "../../../src/protocol/chat/attachments";
import type { ContentBlock } from "../../acp/schema";

export interface PromptCapabilities {
  readonly images: boolean;
  readonly embedded: boolean;
}

export interface PromptBlocks {
  readonly blocks: readonly ContentBlock[];
  /** Names of the attachments that the agent does not accept. */
  readonly omitted: readonly string[];
}

/** Maximum total characters embedded in one prompt. Further content is linked or quoted. */
const EMBEDDED_LIMIT = 1_000_000;

/** `read` resolves with the text including unsaved changes, and rejects for content that is not text. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  { images, embedded }: PromptCapabilities,
  read: (path: string) => Promise<string>,
): Promise<PromptBlocks> {
  const texts = embedded ? await filesOf(attachments, read) : new Map<string, string>();
  const blocks: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  const omitted: string[] = [];
  let remaining = EMBEDDED_LIMIT;
  const resource = (uri: string, content: string): ContentBlock | undefined => {
    if (!embedded || content.length > remaining) return undefined;
    remaining -= content.length;
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
      case "transcript":
        blocks.push(quote("Transcript of this conversation, which you do not remember", attachment.text));
        break;
      case "image":
        if (images) blocks.push({ type: "image", mimeType: attachment.mimeType, data: attachment.data });
        else omitted.push(name);
    }
  }
  return { blocks, omitted };
}

/** The texts to embed. Each file is read once. Files that cannot be read or are too long are omitted. */
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

function link(uri: string, name: string): ContentBlock {
  return { type: "resource_link", uri, name };
}

/** Quotes the text in a fence that is longer than any fence in it. */
function quote(what: string, text: string): ContentBlock {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return { type: "text", text: `${what}:\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}` };
}
