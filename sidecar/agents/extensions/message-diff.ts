/**
 * Compares a message before and after an extension. Pure.
 *
 * Invariants: equal values are no change, regardless of their serialisation. Names and texts are bounded for any input.
 */
import { isDeepStrictEqual } from "node:util";
import {
  ADDED_LIMIT,
  type AddedText,
  type PromptChange,
  type SetupChange,
} from "../../../src/protocol/chat/session-details";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";

/** Maximum number of names in a list, and of characters in a name. */
const MAX_NAMES = 50,
  MAX_NAME_LENGTH = 100;
/** Maximum number of compared pairs of blocks. Beyond it, blocks in the middle count as altered. */
const MAX_COMPARED_PAIRS = 10_000;

/** Compares params of `session/new`, `load`, `resume` or `fork`. Returns `undefined` if they are equal. */
export function setupChange(before: unknown, after: unknown): SetupChange | undefined {
  if (same(before, after)) return undefined;
  const was = objectOr(before),
    is = objectOr(after),
    [old, now] = [serversIn(was.mcpServers), serversIn(is.mcpServers)];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    key => key !== "mcpServers" && !same(was[key], is[key]),
  );
  const added = limited([...now.keys()].filter(name => !old.has(name))),
    removed = limited([...old.keys()].filter(name => !now.has(name)));
  const replaced = limited([...now.keys()].filter(name => old.has(name) && !same(old.get(name), now.get(name)))),
    members = limited(keys),
    text = addedText([inserted(systemPromptIn(was), systemPromptIn(is)).trim()]);
  return added || removed || replaced || members
    ? {
        ...(added && { added }),
        ...(removed && { removed }),
        ...(replaced && { replaced }),
        ...(members && { members }),
        ...text,
      }
    : undefined;
}

function limited(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names.slice(0, MAX_NAMES).map(name => short(name, MAX_NAME_LENGTH));
}

/** Groups servers by name. */
function serversIn(servers: unknown): ReadonlyMap<string, readonly unknown[]> {
  const byName = new Map<string, unknown[]>();
  for (const server of arrayOr(servers)) {
    const name = stringOr(objectOr(server).name, "?");
    byName.set(name, [...(byName.get(name) ?? []), server]);
  }
  return byName;
}

/** Compares the blocks of `session/prompt` params, ignoring other members. Returns `undefined` if they are equal. */
export function promptChange(before: unknown, after: unknown): PromptChange | undefined {
  const [was, is] = [arrayOr(objectOr(before).prompt), arrayOr(objectOr(after).prompt)];
  if (was === is) return undefined;
  let added = 0,
    removed = 0,
    altered = 0;
  const texts: string[] = [];
  for (const [old, now] of gaps(was, is)) {
    const both = Math.min(old.length, now.length);
    altered += both;
    removed += old.length - both;
    added += now.length - both;
    texts.push(
      ...now
        .map((block, i) => (i < both ? inserted(textOf(old[i]), textOf(block)) : textOf(block)))
        .filter(text => text.trim() !== ""),
    );
  }
  if (added + removed + altered === 0) return undefined;
  return { added, removed, altered, ...addedText(texts) };
}

/** Empty for blank texts. */
function addedText(texts: readonly string[]): Partial<AddedText> {
  const text = texts.filter(each => each.trim() !== "").join("\n\n");
  if (text === "") return {};
  return text.length <= ADDED_LIMIT ? { text } : { text: short(text, ADDED_LIMIT), cutFrom: Buffer.byteLength(text) };
}

/** The text that a client adds to the agent's system prompt, in both forms (`extensions/system-prompt.ts`). */
function systemPromptIn({ systemPrompt, _meta }: JsonObject): string {
  const older = objectOr(_meta).systemPrompt;
  return [
    ...arrayOr(objectOr(systemPrompt).content).map(textOf),
    typeof older === "string" ? older : stringOr(objectOr(older).append, ""),
  ]
    .filter(text => text !== "")
    .join("\n\n");
}

type Gap = readonly [old: readonly unknown[], now: readonly unknown[]];

/** Returns the gaps between the common blocks. */
function gaps(was: readonly unknown[], is: readonly unknown[]): readonly Gap[] {
  const shorter = Math.min(was.length, is.length);
  let start = 0,
    end = 0;
  while (start < shorter && same(was[start], is[start])) start++;
  while (end < shorter - start && same(was[was.length - 1 - end], is[is.length - 1 - end])) end++;
  const old = was.slice(start, was.length - end),
    now = is.slice(start, is.length - end);
  const kept = old.length * now.length > MAX_COMPARED_PAIRS ? [] : common(old, now);
  const ends = [...kept, [old.length, now.length] as const];
  return ends.map(([toOld, toNow], i) => {
    const [fromOld, fromNow] = i === 0 ? [0, 0] : [(ends[i - 1]?.[0] ?? 0) + 1, (ends[i - 1]?.[1] ?? 0) + 1];
    return [old.slice(fromOld, toOld), now.slice(fromNow, toNow)] as const;
  });
}

/** The longest common subsequence, as pairs of indices. */
function common(old: readonly unknown[], now: readonly unknown[]): readonly (readonly [old: number, now: number])[] {
  const equal = old.map(item => now.map(second => same(item, second)));
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0)),
    at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row) row[j] = equal[i]?.[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (equal[i]?.[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** Removes the common prefix and suffix from `after`. */
function inserted(before: string, after: string): string {
  const shorter = Math.min(before.length, after.length);
  let start = 0,
    end = 0;
  while (start < shorter && before[start] === after[start]) start++;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return after.slice(start, after.length - end);
}

/** A block that is not text is shown as its type and its name or URI. */
function textOf(block: unknown): string {
  if (!isObject(block)) return "";
  const { type, text, name, uri, resource } = block;
  return (
    stringOr(text, undefined) ??
    stringOr(objectOr(resource).text, undefined) ??
    `[${[type, name ?? uri ?? objectOr(resource).uri].filter(part => typeof part === "string").join(" ")}]`
  );
}

function same(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}

function short(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
