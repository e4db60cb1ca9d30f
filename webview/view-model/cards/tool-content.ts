/** Content of tool calls as safe Markdown. Pure. */
import * as l10n from "@vscode/l10n";
import type { Resource, ToolContent, ToolLocation } from "../../../src/protocol/chat/chat";
import { readableText, visibleLine, visibleText } from "../../../src/protocol/text/visible-text";
import type { Part } from "./card";
import { closed } from "../text/code-fence";
import { escapeHtml, literal, safeCode, safeMarkdown } from "../text/markdown-safe";
import { size } from "../text/format-numbers";

/** Longer content slows a card down, and users do not read it there. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 16_000;
/** Highlighting longer code takes more than a frame. */
const MAX_COLOURED = 8_000;

/**
 * Text of a program or a file as a code block. `whole`: for decisions of the user, complete and with visible hidden
 * characters. `cut`: for output, without ANSI colours and with a note if the end is omitted.
 */
export function textBlock(text: string, language: string, how: "whole" | "cut" = "cut"): string {
  const [shown, omitted] = how === "whole" ? [visibleText(text), ""] : shortened(readableText(text.replace(ANSI, "")));
  const code = safeCode(shown, shown.length > MAX_COLOURED ? PLAIN : language);
  return omitted === "" ? code : `${code}\n\n${omitted}`;
}
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

function shortened(text: string): readonly [shown: string, left: string] {
  const lines = text.split("\n");
  const excerpt = lines.slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARACTERS);
  const omitted = lines.length - excerpt.split("\n").length;
  return [
    excerpt,
    omitted > 0
      ? l10n.t`*${omitted} more lines are not shown.*`
      : excerpt.length < text.length
        ? moreCharacters(text.length - excerpt.length)
        : "",
  ];
}

function shortMarkdown(text: string): string {
  if (text.length <= MAX_CHARACTERS) return safeMarkdown(closed(text));
  const shown = text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
  return `${safeMarkdown(closed(shown))}\n\n${moreCharacters(text.length - shown.length)}`;
}

const moreCharacters = (omitted: number): string => l10n.t`*${omitted} more characters are not shown.*`;

/** The renderer assumes C for a block without a language. */
export const PLAIN = "text";
export const languageOf = (text: string): string => (/^\s*[[{]/.test(text) ? "json" : PLAIN);

/** Highlights pretty-printed JSON; other text, such as a command, is shown as it is. */
export function parameterBlock(text: string): string {
  return textBlock(text, languageOf(text), "whole");
}

/** The content as Markdown or an image. */
export function contentPart(content: ToolContent, how: "whole" | "cut" = "cut"): Part {
  switch (content.kind) {
    case "text":
      return how === "cut" ? shortMarkdown(content.text) : safeMarkdown(closed(visibleText(content.text)));
    case "diff":
      return fileLink({ path: content.path }); // `Card.diffs` has its lines
    case "terminal":
      return content.output === undefined
        ? l10n.t("*The output is in a terminal.*")
        : textBlock(content.output, PLAIN, how);
    case "image":
      return IMAGES.has(content.mimeType.toLowerCase()) && BASE64.test(content.data)
        ? {
            src: `data:${content.mimeType.toLowerCase()};base64,${content.data}`,
            alt: l10n.t`Image (${visibleText(content.mimeType)}, ${size(bytesOf(content.data))})`,
          }
        : l10n.t`*Image that cannot be displayed (${literal(content.mimeType) || l10n.t("unknown type")}, ${size(bytesOf(content.data))})*`;
    case "audio":
      return contentName(content);
    case "resource":
      return [
        contentName(content),
        ...resourceAbout(content),
        ...(content.text === undefined ? [] : [textBlock(content.text, PLAIN, how)]),
      ].join("\n\n");
    case "other":
      return `${l10n.t`*Unsupported content: ${literal(content.what)}*`}\n\n${textBlock(content.json, "json", how)}`;
  }
}

/** Image types that are safe to decode from untrusted sources: an `<img>` never runs scripts. */
const IMAGES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/jpg",
  "image/gif",
  "image/webp",
  "image/bmp",
  "image/avif",
  "image/svg+xml",
]);
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** One line of Markdown: type and size of audio, or the link to a resource. */
export function contentName(content: Extract<ToolContent, { kind: "audio" | "resource" }>): string {
  return content.kind === "audio"
    ? l10n.t`Audio (${literal(content.mimeType) || l10n.t("unknown type")}, ${size(content.bytes)})`
    : resourceLink(content);
}

/** Further facts about a resource, as lines of Markdown. */
export function resourceAbout({ description, mimeType, bytes, text }: Resource): readonly string[] {
  const facts = [
    ...(mimeType === undefined || mimeType === "" ? [] : [literal(mimeType)]),
    ...(bytes === undefined ? [] : [size(bytes)]),
  ];
  return [
    ...(description === undefined || description.trim() === "" ? [] : [literal(description)]),
    ...(text !== undefined || facts.length === 0 ? [] : [`*${facts.join(", ")}*`]),
  ];
}

/** Files open in the editor, web pages through the host after a confirmation; other addresses are not links. */
function resourceLink({ uri, name }: Resource): string {
  const address = URL.canParse(uri) ? new URL(uri) : undefined;
  if (address === undefined || address.username !== "" || !LINK_PROTOCOLS.has(address.protocol))
    return name === undefined || name === uri ? literal(uri) : `${literal(name)} (${literal(uri)})`;
  const { protocol, host, pathname, search, hash } = address;
  return link(
    name ?? (protocol === "file:" ? decoded(pathname) : uri),
    `${protocol}//${host}${inParentheses(pathname + search + hash)}`,
  );
}
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(["file:", "http:", "https:"]);

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A link that the host opens in the editor. The renderer parses the link text as HTML without Markdown. */
export function fileLink(location: ToolLocation): string {
  return link(whole(location.path) + (location.line === undefined ? "" : `:${location.line}`), fileAddress(location));
}

export function fileAddress({ path, line }: ToolLocation): string {
  const address = encodeURI(whole(path).replaceAll("\\", "/")).replace(
    /[()'#?]/g,
    character => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `file://${address.startsWith("/") ? "" : "/"}${address}${line === undefined ? "" : `#L${line}`}`;
}

/** `address` is encoded and contains no character that ends the link. */
function link(text: string, address: string): string {
  return `[${escapeHtml(visibleLine(text)).replace(/[[\]]/g, " ")}](${address})`;
}

const inParentheses = (address: string): string =>
  address.replace(/[()[\]'"`<>\\\s]/g, character => `%${character.charCodeAt(0).toString(16)}`);

const whole = (path: string): string => path.replace(LONE_SURROGATE, "\ufffd");

/** A lone surrogate, which is invalid in an address. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
