/**
 * Extracts the user's text from a message of the host's chat, which adds attachments, the date and reminders in tags.
 * The user's text is in `<userRequest>` (agent modes) or `<prompt>` (older modes, which omit the tags in the history).
 * Pure.
 */

const USER_TAGS = ["userRequest", "prompt"] as const;
/** Closing tags of the blocks that the chat puts before the user's text. */
const BEFORE_USER_TEXT = /^<\/(?:attachments|context|editorContext|reminderInstructions|reminder|toolReferences)>/gm;
/** Blocks in messages without user text. */
const CONTEXT: ReadonlySet<string> = new Set([
  "environment_info",
  "workspace_info",
  "userMemory",
  "sessionMemory",
  "repoMemory",
  "conversation-summary",
]);

/** The user's text; `undefined` if the message has no tag for it. */
export function userTextIn(text: string): string | undefined {
  for (const tag of USER_TAGS) {
    const end = text.lastIndexOf(`</${tag}>`);
    if (end === -1) continue;
    const before = text.slice(0, end);
    const openings = [...before.matchAll(new RegExp(`^<${tag}>`, "gm"))].map(({ index, 0: opening }) => ({
      at: index,
      from: index + opening.length,
    }));
    // Attachments and user text may quote the tags. The real opening tag is the first after the chat's own blocks.
    const context = [...before.matchAll(BEFORE_USER_TEXT)].at(-1)?.index ?? 0;
    const opening = openings.find(({ at }) => at >= context) ?? openings.at(-1);
    if (opening) return text.slice(opening.from, end).trim();
  }
  return undefined;
}

/** Removes the chat's blocks from a message without a tag for the user's text. `all`: also removes unknown blocks. */
export function withoutContext(text: string, all: boolean): string {
  const lines = text.split("\n"),
    closings = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const name = /^<\/([\w-]+)>/.exec(line)?.[1];
    if (name !== undefined) (closings.get(name) ?? newList(closings, name)).push(i);
  });
  const remaining: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "",
      name = /^<([A-Za-z][\w-]*)(?: [^>]*)?>/.exec(line)?.[1];
    const ends = name !== undefined && (all || CONTEXT.has(name)) ? closings.get(name) : undefined;
    while (ends?.[0] !== undefined && ends[0] <= i) ends.shift();
    if (ends?.[0] === undefined) remaining.push(line);
    else i = ends[0];
  }
  return remaining.join("\n").trim();
}

function newList(lists: Map<string, number[]>, name: string): number[] {
  const list: number[] = [];
  lists.set(name, list);
  return list;
}

/** Normalises white space for comparison, because rendering changes it. */
export function normal(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
