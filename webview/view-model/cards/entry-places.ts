/**
 * Entries that show the content of others: the open question of a call instead of its line, the line with the answer
 * instead of the question, the plan above the prompt instead of its card, and groups of calls. Pure.
 */
import type { Entry, Permission, ToolCall } from "../../../src/protocol/chat/chat";
import { OWN_PLACE, type EntryPlace } from "./card";
import { groupParts } from "./tool-groups";

const HIDDEN: EntryPlace = { isHidden: true };

export interface PlaceOptions {
  /** Whether the entry has a card, for example not a question that waits for others. */
  readonly isDrawn: (entry: Entry) => boolean;
  /** The entry whose plan is above the prompt. */
  readonly pinnedPlan: Entry | undefined;
}

/** The place of each entry. Unchanged entries have equal places. */
export function entryPlaces(
  entries: readonly Entry[],
  { isDrawn, pinnedPlan }: PlaceOptions,
): (entry: Entry) => EntryPlace {
  const calls = new Map<string, ToolCall>(),
    questions = new Map<string, Permission>();
  for (const entry of entries)
    if (entry.kind === "tool") calls.set(entry.id, entry);
    else if (entry.kind === "permission" && calls.has(entry.toolEntryId)) questions.set(entry.toolEntryId, entry);
  const isHidden = (entry: Entry): boolean => {
    switch (entry.kind) {
      case "tool": {
        const question = questions.get(entry.id);
        return question !== undefined && question.answered === undefined && isDrawn(question);
      }
      case "permission":
        return entry.answered !== undefined && calls.has(entry.toolEntryId);
      case "notice":
        return entry.isOver === true;
      case "thought":
        return entry.text.trim() === "";
      default:
        return entry === pinnedPlan;
    }
  };
  const groups = groupParts(entries, entry => isHidden(entry) || !isDrawn(entry));
  return entry => {
    const asked = entry.kind === "tool" ? questions.get(entry.id) : undefined,
      question = asked?.answered === undefined ? undefined : asked,
      call = entry.kind === "permission" ? calls.get(entry.toolEntryId) : undefined,
      group = groups.get(entry.id);
    if (isHidden(entry)) return HIDDEN;
    return question === undefined && call === undefined && group === undefined
      ? OWN_PLACE
      : {
          isHidden: false,
          ...(group && { group }),
          ...(question && { question }),
          ...(call && { call }),
        };
  };
}
