/** Losses of a conversation in a crash (issue 16). Pure. */
import { isTerminal, type Conversation, type Entry } from "../../../src/protocol/chat/chat";

/**
 * Sentences about content of `before` that is missing in `after`, and about entries that appear twice. Empty if nothing
 * was lost.
 */
export function lossesBetween(before: Conversation, after: Conversation): readonly string[] {
  const now = new Map(after.entries.map(entry => [entry.id, entry])),
    known = new Set(before.entries.map(({ id }) => id)),
    waiting = after.queue?.prompts ?? [];
  return [
    ...before.entries.flatMap(entry => {
      const later = now.get(entry.id);
      return later === undefined ? [`${nameOf(entry)} is missing`] : changesOf(entry, later);
    }),
    ...(before.entries.map(({ id }) => id).join() ===
    after.entries
      .map(({ id }) => id)
      .filter(id => known.has(id))
      .join()
      ? []
      : ["the order has changed"]),
    ...(before.queue?.prompts ?? []).flatMap(({ messageId, text }) =>
      now.has(messageId) || waiting.some(prompt => prompt.messageId === messageId) ? [] : [`“${text}” is missing`],
    ),
    ...repeated([...after.entries.map(({ id }) => id), ...waiting.map(({ messageId }) => messageId)]).map(
      id => `${id} appears twice`,
    ),
  ];
}

/** Entries that a settled conversation must not contain. */
export function openIn({ entries, turn }: Conversation): readonly string[] {
  return [...(turn.state === "idle" ? [] : [`the turn is ${turn.state}`]), ...entries.flatMap(openEntries)];
}

function openEntries(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "tool":
      return isTerminal(entry.status) ? [] : [`${nameOf(entry)} is ${entry.status}`];
    case "permission":
    case "elicitation":
      return entry.answered ? [] : [`${nameOf(entry)} is open`];
    case "subagent":
      return entry.entries.flatMap(openEntries);
    default:
      return [];
  }
}

function changesOf(before: Entry, after: Entry): readonly string[] {
  if (before.kind !== after.kind) return [`${nameOf(before)} is now ${nameOf(after)}`];
  if ("text" in before && "text" in after && !(after.text ?? "").startsWith(before.text ?? ""))
    return [`${nameOf(before)} has lost text`];
  if (before.kind === "tool" && after.kind === "tool") {
    const [had, has] = [before, after].map(({ content }) =>
      content.map(part => (part.kind === "text" ? part.text : JSON.stringify(part))).join("\n"),
    );
    return (has ?? "").startsWith(had ?? "") ? [] : [`${nameOf(before)} has lost content`];
  }
  return [];
}

function repeated(ids: readonly string[]): readonly string[] {
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}

const nameOf = ({ kind, id }: Entry): string => `${kind} ${id}`;
