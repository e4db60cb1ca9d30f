/** A long conversation of all kinds of content. Half of its texts are not ASCII, and some have Windows line ends. */
import { emptyConversation, type Conversation, type Entry, type TerminalView } from "../../src/protocol/chat/chat";

const ENGLISH = "The function returns the sum of both numbers. ",
  OTHERS = 'Größe in µm — «déjà vu» 函数返回两个数的和。🙂 \u001B[1mok\u001B[0m\t"\\"';
/** Approximate bytes of one round of entries as JSON. */
const ROUND_BYTES = 132_000;
/** Versions of an answer. */
const PIECES = 4;

/** `megabytes`: approximate size of its export as JSON. */
export function longHistory(megabytes: number): Conversation {
  const rounds = Math.ceil((megabytes * 1e6) / ROUND_BYTES),
    parts = Array.from({ length: rounds }, (_, i) => roundOf(i));
  return {
    ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
    title: "A long history",
    entries: parts.flatMap(({ entries }) => entries),
    usage: { used: 1_000, size: 200_000, cost: { amount: 0.37, currency: "USD" } },
    terminals: parts.flatMap(({ terminals }) => terminals),
  };
}

/** The versions that a session stores: entry by entry, and each answer in pieces. */
export function* versionsOf(conversation: Conversation): Iterable<Conversation> {
  const entries: Entry[] = [];
  for (const entry of conversation.entries) {
    if (entry.kind === "agent")
      for (let piece = 1; piece < PIECES; piece++) {
        const text = entry.text.slice(0, (entry.text.length * piece) / PIECES);
        yield { ...conversation, entries: [...entries, { ...entry, text }] };
      }
    entries.push(entry);
    yield { ...conversation, entries: [...entries] };
  }
}

function roundOf(i: number): { readonly entries: readonly Entry[]; readonly terminals: readonly TerminalView[] } {
  const terminalId = `terminal-${i}`,
    tool = { toolKind: "edit", status: "completed", locations: [{ path: `/w/src/file-${i}.ts`, line: 1 }] } as const;
  return {
    entries: [
      { kind: "user", id: `u${i}`, text: lines(i, 5), ...(i % 10 === 0 ? { attachments: [imageOf(i)] } : {}) },
      { kind: "thought", id: `h${i}`, text: lines(i, 10), ms: 1_200 },
      {
        kind: "tool",
        id: `r${i}`,
        toolCallId: `r${i}`,
        title: `Read src/file-${i}.ts`,
        ...tool,
        content: [{ kind: "text", text: lines(i, 250) }],
        input: JSON.stringify({ path: `src/file-${i}.ts` }, undefined, 2),
        output: lines(i, 100),
      },
      {
        kind: "tool",
        id: `e${i}`,
        toolCallId: `e${i}`,
        title: `Edit src/file-${i}.ts`,
        ...tool,
        content: [
          { kind: "diff", path: `/w/src/file-${i}.ts`, oldText: lines(i, 100), newText: lines(i + 1, 110) },
          { kind: "terminal", terminalId },
        ],
      },
      // Many short entries, as of a stream with tool calls between its texts.
      ...Array.from({ length: 20 }, (_, n): Entry => ({ kind: "agent", id: `a${i}-${n}`, text: lines(i + n, 12) })),
    ],
    terminals: [{ terminalId, command: "npm test", cwd: "/w", output: lines(i, 130), isCut: false, exit: { code: 0 } }],
  };
}

function imageOf(i: number) {
  return {
    kind: "image",
    name: `image-${i}.png`,
    mimeType: "image/png",
    data: Buffer.from(`${i} `.repeat(20_000)).toString("base64").slice(0, 100_000),
  } as const;
}

/** Different text for each `seed`, because equal texts are stored once. */
function lines(seed: number, count: number): string {
  const end = seed % 2 === 0 ? "\n" : "\r\n";
  return Array.from(
    { length: count },
    (_, n) => `${seed}.${n}: ${n % 2 === 0 ? ENGLISH : OTHERS}${ENGLISH}${end}`,
  ).join("");
}
