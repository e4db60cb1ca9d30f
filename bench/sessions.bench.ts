/**
 * Cost of the journal of a conversation (issue 16): the time of a turn that is stored against one that is not, the
 * bytes written per byte received, the time to open a long journal against a plain read of its file, and the time from
 * the journal to the screen for a long conversation against a short one, and for twenty tabs against one. The list of
 * many sessions and the search in them (issue 17). The export and the import of a long session, against the reading,
 * parsing and serialising of its file.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SessionEvent, State } from "../sidecar/chat/session-model";
import { startSession, stepSession } from "../sidecar/chat/session-state";
import { Journal, UNPROTECTED } from "../sidecar/journal/journal";
import { SessionCatalog } from "../sidecar/sessions/session-catalog";
import { filesInThread } from "../sidecar/sessions/session-files";
import { ConversationLines, NOTHING_STORED, restored, storedIn } from "../sidecar/journal/stored-conversation";
import { RECORD } from "../sidecar/testing/sessions/session-record";
import { emptyConversation } from "../src/protocol/chat/chat";
import { floodedSidecar } from "./chat/flooded-session";
import { compare, type Bench, type Measured } from "./measure";
import { longHistory, versionsOf } from "./sessions/long-history";
import { restoredEntries } from "./webview/restored-entries";
import { inBrowser, View } from "./webview/view";

const CONVERSATION = "0b0b0b0b-0000-4000-8000-000000000001",
  IMPORTED = "0b0b0b0b-0000-4000-8000-000000000002";
/** Maximum time of a stored turn, bytes written per byte received, and time of opening against reading. */
const TIME_GOAL = 1.15,
  BYTES_GOAL = 1.2,
  OPENING_GOAL = 3,
  LONG_GOAL = 2,
  STREAMED_GOAL = 5,
  FILE_GOAL = 3;
const LONG = 5_000,
  SHORT = 50,
  TABS = 20,
  SESSIONS = 1_000;
/** Events per batch of 48 ms: an agent that sends one update every ten milliseconds. */
const PER_BATCH = 5;

const update = (fields: object): SessionEvent => ({ kind: "updated", version: 1, update: fields });
const content = (text: string): object => ({ type: "content", content: { type: "text", text } });
const line = (n: number): string => `${n}: ${"abcdefghij".repeat(9)}\n`;

/** Different text, because equal texts are stored once. `length`: a multiple of 4. */
function base64(n: number, length: number): string {
  return Buffer.from(`${n} `.repeat(length)).toString("base64").slice(0, length);
}

const STREAMS: readonly (readonly [what: string, events: (n: number) => readonly SessionEvent[]])[] = [
  [
    "text",
    n =>
      Array.from({ length: n }, (_, i) =>
        update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${line(i)}` } }),
      ),
  ],
  [
    "a tool call that repeats its growing content",
    n =>
      Array.from({ length: n / 10 }, (_, i) =>
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          status: "in_progress",
          content: [content(Array.from({ length: i + 1 }, (__, k) => line(k)).join(""))],
        }),
      ),
  ],
  [
    "output of a terminal",
    n => [
      { kind: "terminalStarted", terminal: { terminalId: "1", command: "make", cwd: "/w" } },
      ...Array.from(
        { length: n },
        (_, i): SessionEvent => ({ kind: "terminalPrinted", terminalId: "1", text: line(i), isCut: false }),
      ),
    ],
  ],
  [
    "images",
    n =>
      Array.from({ length: n / 50 }, (_, i) =>
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: `t${i}`,
          status: "completed",
          content: [{ type: "content", content: { type: "image", mimeType: "image/png", data: base64(i, 40_000) } }],
        }),
      ),
  ],
];

function started(): State {
  const [opening] = startSession(emptyConversation({ id: "ada", name: "Ada" }, "/w"), "e-");
  return [
    { kind: "opened", accepts: { images: true }, isContinued: false } as const,
    { kind: "prompted", prompt: { messageId: "m", text: "go" } } as const,
  ].reduce<State>((state, event) => stepSession(state, event, 0)[0], opening);
}

function sizeOf(event: SessionEvent): number {
  return JSON.stringify(event.kind === "updated" ? event.update : event).length;
}

/** The lines that the journal of these events contains. */
function journalOf(events: readonly SessionEvent[]): string {
  const lines = new ConversationLines(NOTHING_STORED);
  let state = started(),
    journal = "";
  events.forEach((event, i) => {
    state = stepSession(state, event, i)[0];
    if (i % PER_BATCH !== PER_BATCH - 1 && i !== events.length - 1) return;
    const next = lines.of(state.conversation);
    journal += next.lines;
    next.written();
  });
  return journal;
}

function bytes(count: number): readonly Measured[] {
  return STREAMS.map(([what, events]) => {
    const all = events(count),
      received = all.reduce((sum, event) => sum + sizeOf(event), 0),
      written = journalOf(all).length;
    return {
      what: `bytes written for ${what}`,
      yardstick: "bytes received",
      ratio: written / received,
      goal: BYTES_GOAL,
      megabytes: { candidate: written / 1e6, yardstick: received / 1e6 },
    };
  });
}

async function time(rounds: number, updates: number): Promise<Measured> {
  await using sidecar = await floodedSidecar();
  const script = `stream ${updates} chunks of 20 chars`;
  const measured = await compare(
    `a turn of ${updates} pieces of text, with its journal`,
    () => sidecar.turn(script),
    "without a journal",
    () => sidecar.turn(script, "unstored"),
    rounds,
  );
  return { ...measured, goal: TIME_GOAL };
}

/** Opening includes validation. `megabytes`: size of the journal. */
async function opening(rounds: number, megabytes: number): Promise<Measured> {
  const storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  try {
    const journal = new Journal(storage, { warn: message => process.stderr.write(message) });
    journal.keep(CONVERSATION, RECORD);
    const file = path.join(storage, "sessions", `${CONVERSATION}.jsonl`),
      [, tools] = STREAMS[2] ?? STREAMS[0] ?? ["", () => []],
      part = journalOf(tools(10_000));
    writeFileSync(file, part.repeat(Math.ceil((megabytes * 1e6) / part.length)));
    const measured = await compare(
      `opening a journal of ${megabytes} MB`,
      () => restored(journal.read(CONVERSATION).text, "why"),
      "reading its file",
      () => readFileSync(file, "utf8"),
      rounds,
    );
    return { ...measured, goal: OPENING_GOAL };
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

/** Milliseconds to restore the journals of these tabs, and to draw their windows in Chromium. */
async function shown(
  what: string,
  candidate: { readonly tabs: number; readonly entries: number },
  goal: number,
  rounds: number,
): Promise<Measured> {
  return inBrowser(async browser => {
    const draw = async ({ tabs, entries }: typeof candidate): Promise<number> => {
      const conversation = {
          ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
          entries: restoredEntries(entries),
        },
        { lines } = new ConversationLines(NOTHING_STORED).of(conversation),
        began = performance.now();
      for (let tab = 0; tab < tabs; tab++) restored(storedIn(lines), "why");
      const read = performance.now() - began;
      await using view = await View.open(browser, tabs, entries);
      return read + view.opened;
    };
    const times: { readonly candidate: number; readonly yardstick: number }[] = [],
      short = { tabs: 1, entries: SHORT };
    for (let round = -1; round < rounds; round++) {
      const pair = { candidate: await draw(candidate), yardstick: await draw(short) };
      if (round >= 0) times.push(pair);
    }
    const milliseconds = {
      candidate: Math.min(...times.map(pair => pair.candidate)),
      yardstick: Math.min(...times.map(pair => pair.yardstick)),
    };
    return {
      what,
      yardstick: `one conversation of ${SHORT} entries`,
      ratio: milliseconds.candidate / milliseconds.yardstick,
      goal,
      milliseconds,
    };
  });
}

/**
 * The list of many sessions and the search in them, against a plain read of the files that they read. `megabytes`: size
 * of all journals. The list is that of a new process.
 */
async function listing(rounds: number, sessions: number, megabytes: number): Promise<readonly Measured[]> {
  const storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  try {
    const journal = new Journal(storage, { warn: message => process.stderr.write(message) }),
      catalog = (): SessionCatalog => new SessionCatalog(journal, async () => undefined),
      text = line(0),
      perSession = Math.ceil((megabytes * 1e6) / sessions / text.length);
    for (let i = 0; i < sessions; i++) {
      const words = Array.from({ length: perSession }, (_, n) => line(i * perSession + n)).join("");
      journal.import(`0b0b0b0b-0000-4000-8000-${String(i).padStart(12, "0")}`, {
        ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
        entries: [
          { kind: "user", id: "u", text: `Prompt ${i}` },
          { kind: "agent", id: "a", text: i === 500 ? `${words}needle` : words },
        ],
      });
    }
    await catalog().all();
    const indexes = journal.files().map(({ conversation }) => journal.indexFile(conversation));
    const listed = await compare(
      `list of ${sessions} sessions`,
      () => catalog().all(),
      "reading the status of their files",
      () => journal.files(),
      rounds,
    );
    const warm = catalog();
    const found = await compare(
      `search of a word in ${sessions} sessions (${megabytes} MB)`,
      () => warm.search("needle", 100, new AbortController().signal),
      "reading their files",
      () => indexes.map(file => readFileSync(file)),
      rounds,
    );
    return [listed, found];
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

/**
 * Reading a journal of many entries as a session writes it, and the export and import of the session. Throws if the
 * import loses anything. `megabytes`: size of the exported file.
 */
async function longSession(rounds: number, megabytes: number): Promise<readonly Measured[]> {
  const storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-")),
    file = (name: string): string => path.join(storage, name);
  try {
    const journal = new Journal(storage, { warn: message => process.stderr.write(message) }),
      files = filesInThread(journal),
      write = journal.writer(CONVERSATION, NOTHING_STORED, UNPROTECTED);
    for (const version of versionsOf(longHistory(megabytes))) write(version);
    const exportAs = (conversation: string, format: "json" | "markdown", name: string): Promise<void> =>
      files.export({ conversation, format, path: file(name) });
    const importAnew = async (): Promise<void> => {
      await journal.delete(IMPORTED);
      await files.import({ conversation: IMPORTED, path: file("first.json") });
    };
    const parseAndSerialise = (): string =>
      JSON.stringify(JSON.parse(readFileSync(file("first.json"), "utf8")), undefined, 1);
    await exportAs(CONVERSATION, "json", "first.json");
    await exportAs(CONVERSATION, "markdown", "first.md");
    await importAnew();
    await exportAs(IMPORTED, "json", "second.json");
    await exportAs(IMPORTED, "markdown", "second.md");
    for (const extension of ["json", "md"])
      if (!readFileSync(file(`first.${extension}`)).equals(readFileSync(file(`second.${extension}`))))
        throw new Error(`The imported session is exported to another file (${extension}).`);
    const size = `of a session of ${Math.round(statSync(file("first.json")).size / 1e6)} MB`,
      yardstick = "reading, parsing and serialising its file";
    const read = await compare(
      `reading the journal ${size}, line by line as it was written`,
      () => journal.read(CONVERSATION),
      "reading its file",
      () => readFileSync(journal.files().find(each => each.conversation === CONVERSATION)?.file ?? "", "utf8"),
      rounds,
    );
    const exported = await compare(
      `export ${size} as JSON`,
      () => exportAs(CONVERSATION, "json", "second.json"),
      yardstick,
      parseAndSerialise,
      rounds,
    );
    const imported = await compare(`import ${size}`, importAnew, yardstick, parseAndSerialise, rounds);
    return [
      { ...read, goal: STREAMED_GOAL },
      { ...exported, goal: FILE_GOAL },
      { ...imported, goal: FILE_GOAL },
    ];
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

const bench: Bench = async ({ quick }) => [
  ...bytes(quick ? 2_000 : 10_000),
  await time(quick ? 5 : 15, quick ? 5_000 : 20_000),
  await opening(quick ? 5 : 15, quick ? 10 : 50),
  ...(await longSession(5, quick ? 10 : 100)),
  ...(await listing(quick ? 5 : 15, SESSIONS, 100)),
  await shown(
    `a conversation of ${LONG} entries, from the journal to the screen`,
    { tabs: 1, entries: LONG },
    LONG_GOAL,
    quick ? 3 : 9,
  ),
  await shown(`${TABS} tabs of ${SHORT} entries`, { tabs: TABS, entries: SHORT }, TABS, quick ? 3 : 9),
];
export default bench;
