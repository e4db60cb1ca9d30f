/**
 * What Sparkle adds to a prompt stands between marks, so that a person sees what it is, and so that it can be taken out again where an agent
 * repeats the user's words. Pure.
 *
 * Invariant: between marks there is no other mark, whatever was written into the files.
 */
import type { JsonObject } from "../../rpc/json";

const PARTS = ["embodiment", "checkpoint", "meta-moment"] as const;
export type Part = typeof PARTS[number];

/** What the user wrote in place of it. */
const WRITTEN: Readonly<Record<Part, string>> = { embodiment: "", checkpoint: "/checkpoint", "meta-moment": "" };

const opening = (part: Part): string => `<sparkle part="${part}">\n`, CLOSING = "\n</sparkle>";
const OPENING = new RegExp(`<sparkle part="(${PARTS.join("|")})">\\n`, "g");

export function marked(part: Part, text: string): string { return `${opening(part)}${harmless(text)}${CLOSING}`; }

/** A block that is not for the user's eyes (schema v1, `Annotations`): beside their words, not in place of them. */
export function forTheAgent(text: string): JsonObject { return { type: "text", text, annotations: { audience: ["assistant"] } }; }

/** Bytes of the marks themselves. */
export function markBytes(part: Part): number { return Buffer.byteLength(opening(part) + CLOSING); }

/** Without what would be a mark, and without control characters. */
export function harmless(text: string): string {
  return text.replaceAll(/<(?=\/?sparkle)/gi, "‹").replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** It begins with one, whole or not. */
export function isMark(text: string): boolean { return /^\s*<sparkle part="/.test(text); }

/** As the user wrote it. One look at each character: what agents send may be large, and full of openings. */
export function unmarked(text: string): string {
  let kept = "", read = 0;
  for (const opened of text.matchAll(OPENING)) {
    if (opened.index < read) continue;
    const closing = text.indexOf(CLOSING, opened.index);
    if (closing === -1) break;
    kept += text.slice(read, opened.index) + (PARTS.flatMap(part => part === opened[1] ? [WRITTEN[part]] : [])[0] ?? "");
    read = closing + CLOSING.length;
    while (text[read] === "\n") read++;
  }
  return kept + text.slice(read);
}
