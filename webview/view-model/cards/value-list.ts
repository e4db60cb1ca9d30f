/**
 * Parameters as lines `name: value`; the parts of a value are indented below it. Pure.
 *
 * Invariants:
 * - The list is HTML on one line, which the Markdown renderer passes through. All text in it is escaped, and hidden
 *   characters are visible.
 * - A value is shown in full, or not in a list. Text that could be mistaken for another value is quoted.
 */
import type { Fields } from "../../../src/protocol/wire/json";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { escapeHtml } from "../text/markdown-safe";

/** Characters of a parameter, and of a part of it. Longer text is more readable in a block. */
const MAX_TEXT = 120;
const MAX_PART_TEXT = 400;
/** Levels below a parameter, and lines of them. */
const MAX_DEPTH = 4;
const MAX_LINES = 40;

/** The line of a parameter with those of its parts; `undefined` if a block is more readable. */
export function valueLine(name: string, value: unknown): string | undefined {
  if (typeof value === "string") return isLine(value, MAX_TEXT) ? item(nameOf(name), shown(value)) : undefined;
  return lineCount(value, MAX_DEPTH) > MAX_LINES ? undefined : lineOf(nameOf(name), value);
}

export const valueList = (lines: readonly string[]): string => `<ul class="symposium-values">${lines.join("")}</ul>`;

function lineOf(name: string, value: unknown): string | undefined {
  if (typeof value === "string") {
    const text = quotedIfUnclear(value);
    return text.length <= MAX_PART_TEXT ? item(name, shown(text)) : undefined;
  }
  if (typeof value !== "object" || value === null) return item(name, shown(String(value)));
  const plain = plainList(value);
  if (plain !== undefined) return item(name, shown(plain));
  const parts = Object.entries(value as Fields);
  if (parts.length === 0) return item(name, Array.isArray(value) ? "[]" : "{}");
  const lines = parts.map(([key, part]) => lineOf(Array.isArray(value) ? `${Number(key) + 1}.` : nameOf(key), part));
  return lines.every(line => line !== undefined) ? item(name, `<ul>${lines.join("")}</ul>`) : undefined;
}

const nameOf = (name: string): string => `${shown(name)}:`;
const item = (name: string, content: string): string =>
  `<li><span class="symposium-value-name">${name}</span> ${content}</li>`;
const shown = (text: string): string => escapeHtml(visibleLine(text));

/** `levels`: the maximum number below the value. Deeper values have infinitely many lines. */
function lineCount(value: unknown, levels: number): number {
  if (typeof value !== "object" || value === null || plainList(value) !== undefined) return 1;
  const parts: readonly unknown[] = Object.values(value);
  if (parts.length > 0 && levels === 0) return Infinity;
  return parts.reduce((count: number, part) => count + lineCount(part, levels - 1), 1);
}

const isLine = (text: string, maxLength: number): boolean => text.length <= maxLength && !/[\r\n]/.test(text);

/** Quoted is text on several lines, with blanks at an end, or that looks like a list, an object or quoted text. */
function quotedIfUnclear(text: string): string {
  return text.trim() !== text || text === "" || /^["[{]|[\r\n]/.test(text) ? JSON.stringify(text) : text;
}

/** A list of plain values on one line, unless a value could be mistaken for several. */
function plainList(value: object): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const isPlain = value.every(
    each => ["string", "number", "boolean"].includes(typeof each) && /^[^"[{,\n\r][^,\n\r]*$/.test(String(each)),
  );
  const text = value.join(", ");
  return isPlain && text.length <= MAX_PART_TEXT ? text : undefined;
}
