/**
 * What a user really wrote, in a message into which the host's chat has put more: attachments, the date, reminders, all
 * in tags, and the user's words in `<userRequest>` (agent modes) or `<prompt>` (the older ones, which show the words
 * without tags when they are history). Pure.
 */

const WORDS = ["userRequest", "prompt"] as const;
/** The ends of what the chat puts before the words. */
const BEFORE_WORDS = /^<\/(?:attachments|context|editorContext|reminderInstructions|reminder|toolReferences)>/gm;
/** Of messages that are all the chat's. */
const CONTEXT: ReadonlySet<string> = new Set([
  "environment_info",
  "workspace_info",
  "userMemory",
  "sessionMemory",
  "repoMemory",
  "conversation-summary",
]);

/** The user's words; `undefined` when the message has no tag for them. */
export function wordsIn(text: string): string | undefined {
  for (const tag of WORDS) {
    const end = text.lastIndexOf(`</${tag}>`);
    if (end === -1) continue;
    const before = text.slice(0, end);
    const openings = [...before.matchAll(new RegExp(`^<${tag}>`, "gm"))].map(({ index, 0: opening }) => ({
      at: index,
      from: index + opening.length,
    }));
    // What is attached may quote the tags, and so may the words: theirs is the first behind all that the chat puts
    // before them.
    const context = [...before.matchAll(BEFORE_WORDS)].at(-1)?.index ?? 0;
    const opening = openings.find(({ at }) => at >= context) ?? openings.at(-1);
    if (opening) return text.slice(opening.from, end).trim();
  }
  return undefined;
}

/**
 * What is left of a message that has no tag for the words. `all`: every block is the chat's, also one that is new to
 * us.
 */
export function withoutContext(text: string, all: boolean): string {
  const lines = text.split("\n"),
    closings = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const name = /^<\/([\w-]+)>/.exec(line)?.[1];
    if (name !== undefined) (closings.get(name) ?? newList(closings, name)).push(i);
  });
  const left: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "",
      name = /^<([A-Za-z][\w-]*)(?: [^>]*)?>/.exec(line)?.[1];
    const ends = name !== undefined && (all || CONTEXT.has(name)) ? closings.get(name) : undefined;
    while (ends?.[0] !== undefined && ends[0] <= i) ends.shift();
    if (ends?.[0] === undefined) left.push(line);
    else i = ends[0];
  }
  return left.join("\n").trim();
}

function newList(lists: Map<string, number[]>, name: string): number[] {
  const list: number[] = [];
  lists.set(name, list);
  return list;
}

/** As texts are compared: white space comes and goes where they are rendered. */
export function normal(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
