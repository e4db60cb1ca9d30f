/**
 * Extracts the user's text from a message to which the host's chat has added attachments, the date and reminders, all
 * in tags. The user's words are in `<userRequest>` (agent modes) or `<prompt>` (older modes, which drop the tags once
 * the words are history). Pure.
 */

const WORDS = ["userRequest", "prompt"] as const;
/** Closing tags of the blocks that the chat puts before the words. */
const BEFORE_WORDS = /^<\/(?:attachments|context|editorContext|reminderInstructions|reminder|toolReferences)>/gm;
/** Blocks of messages that the chat wrote entirely. */
const CONTEXT: ReadonlySet<string> = new Set([
  "environment_info",
  "workspace_info",
  "userMemory",
  "sessionMemory",
  "repoMemory",
  "conversation-summary",
]);

/** The user's words; `undefined` if the message has no tag for them. */
export function wordsIn(text: string): string | undefined {
  for (const tag of WORDS) {
    const end = text.lastIndexOf(`</${tag}>`);
    if (end === -1) continue;
    const before = text.slice(0, end);
    const openings = [...before.matchAll(new RegExp(`^<${tag}>`, "gm"))].map(({ index, 0: opening }) => ({
      at: index,
      from: index + opening.length,
    }));
    // Both attachments and words may quote the tags. The right opening tag is the first one after everything that the
    // chat puts before the words.
    const context = [...before.matchAll(BEFORE_WORDS)].at(-1)?.index ?? 0;
    const opening = openings.find(({ at }) => at >= context) ?? openings.at(-1);
    if (opening) return text.slice(opening.from, end).trim();
  }
  return undefined;
}

/**
 * Removes the chat's blocks from a message that has no tag for the words. `all`: every block is the chat's, including
 * unknown ones.
 */
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
