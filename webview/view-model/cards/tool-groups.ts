/**
 * Consecutive calls that only read: one line shows them together, and opens to its parts. Pure.
 *
 * Invariant: only calls without a change, a command's output, a picture or a failure are in a group.
 */
import * as l10n from "@vscode/l10n";
import type { Entry, ToolCall } from "../../../src/protocol/chat/chat";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { isFilled, objectOr, parseJson } from "../../../src/protocol/wire/json";
import { keyOf, type GroupHead, type GroupPart } from "./card";
import { stateOf } from "./tool-line";

const KINDS: ReadonlySet<string> = new Set(["read", "search"]);

/** The parts by entry id; calls outside groups are absent. `isHidden`: entries that do not end a group. */
export function groupParts(
  entries: readonly Entry[],
  isHidden: (entry: Entry) => boolean,
): ReadonlyMap<string, GroupPart> {
  const parts = new Map<string, GroupPart>();
  let group: ToolCall[] = [];
  const end = (): void => {
    const [first] = group;
    if (first !== undefined && group.length > 1) {
      const key = keyOf(first.id);
      for (const { id } of group) parts.set(id, { key, ...(id === first.id ? { head: headOf(group) } : {}) });
    }
    group = [];
  };
  for (const entry of entries)
    if (isHidden(entry)) continue;
    else if (isGrouped(entry)) group.push(entry);
    else end();
  end();
  return parts;
}

function isGrouped(entry: Entry): entry is ToolCall {
  return (
    entry.kind === "tool" &&
    KINDS.has(entry.toolKind) &&
    stateOf(entry.status) !== "failed" &&
    entry.content.every(({ kind }) => kind === "text" || kind === "resource")
  );
}

function headOf(calls: readonly ToolCall[]): GroupHead {
  const reads = calls.filter(({ toolKind }) => toolKind === "read"),
    searches = calls.filter(({ toolKind }) => toolKind === "search"),
    isRunning = calls.some(({ status }) => stateOf(status) === "running");
  return {
    isRunning,
    text: [
      ...(reads.length === 0 ? [] : [readText(fileCount(reads))]),
      ...searchTexts(searches, reads.length > 0),
    ].join(", "),
  };
}

/** Files that are named; a call without a path counts as one file. */
function fileCount(reads: readonly ToolCall[]): number {
  const paths = new Set(reads.flatMap(({ locations }) => locations.map(({ path }) => path)));
  return paths.size + reads.filter(({ locations }) => locations.length === 0).length;
}

const readText = (count: number): string => (count === 1 ? l10n.t("Read 1 file") : l10n.t`Read ${count} files`);

function searchTexts(searches: readonly ToolCall[], follows: boolean): readonly string[] {
  const [first] = searches;
  if (first === undefined) return [];
  const pattern = searches.length === 1 ? patternOf(first) : undefined;
  if (pattern !== undefined) return [follows ? l10n.t`searched “${pattern}”` : l10n.t`Searched “${pattern}”`];
  if (searches.length === 1) return [follows ? l10n.t("searched once") : l10n.t("Searched once")];
  return [follows ? l10n.t`searched ${searches.length} times` : l10n.t`Searched ${searches.length} times`];
}

/** Maximum characters of a searched text in the line. */
const MAX_PATTERN = 40;

function patternOf({ input = "" }: ToolCall): string | undefined {
  const given = objectOr(parseJson(input)),
    pattern = [given["pattern"], given["query"], given["regex"]].find(isFilled);
  if (pattern === undefined) return undefined;
  const line = visibleLine(pattern);
  return line.length > MAX_PATTERN ? `${line.slice(0, MAX_PATTERN)}…` : line;
}
