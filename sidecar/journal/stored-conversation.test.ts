import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type ChatEvent, type Conversation } from "../../src/protocol/chat/chat";
import { MIN_LENGTH } from "./packing";
import { ConversationLines, FORMAT, NOTHING_STORED, restored, storedIn } from "./stored-conversation";

const EMPTY = emptyConversation({ id: "ada", name: "Ada" }, "/w");
const LONG = "long ".repeat(MIN_LENGTH);

const entryId = fc.constantFrom("a", "b", "c"),
  text = fc.constantFrom("", "x", "xy", LONG);
/** Changes of a conversation as the sidecar makes them, without regard to what an agent would send. */
const event: fc.Arbitrary<ChatEvent> = fc.oneof(
  fc.record({ id: entryId, text }).map(fields => ({ type: "upsert", entry: { kind: "agent", ...fields } }) as const),
  fc.record({ id: entryId, text, offset: fc.nat(4) }).map(fields => ({ type: "append", ...fields }) as const),
  fc.record({ id: fc.constantFrom("t", "u"), status: fc.constantFrom("pending", "completed"), text }).map(
    ({ id, status, text: output }) =>
      ({
        type: "upsert",
        entry: {
          kind: "tool",
          id,
          toolCallId: id,
          title: "Tool",
          toolKind: "execute",
          status,
          content: [{ kind: "text", text: output }],
          locations: [],
        },
      }) as const,
  ),
  text.map(title => ({ type: "title", title }) as const),
  fc
    .array(fc.record({ messageId: entryId, text }, { noNullPrototype: true }), { maxLength: 2 })
    .map(prompts => ({ type: "queue", queue: { prompts, held: false } }) as const),
  fc
    .record({ terminalId: fc.constantFrom("1", "2"), output: text })
    .map(fields => ({ type: "terminal", terminal: { command: "ls", cwd: "/w", isCut: false, ...fields } }) as const),
);
const versions = fc
  .array(fc.array(event, { maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .map(batches =>
    batches.reduce<readonly Conversation[]>(
      (all, batch) => [...all, batch.reduce(applyEvent, all.at(-1) ?? EMPTY)],
      [],
    ),
  );

function written(all: readonly Conversation[], isWritten: (index: number) => boolean = () => true): string {
  const lines = new ConversationLines(NOTHING_STORED);
  let journal = "";
  all.forEach((version, i) => {
    const next = lines.of(version);
    if (!isWritten(i)) return;
    journal += next.lines;
    next.written();
  });
  return journal;
}
const shown = ({ agent, title, entries, terminals = [], queue }: Conversation) => ({
  agent,
  ...(title === undefined ? {} : { title }),
  entries: entries.map(entry =>
    entry.kind === "tool" && entry.status === "pending" ? { ...entry, status: "cancelled" } : entry,
  ),
  terminals,
  ...(queue === undefined || queue.prompts.length === 0 ? {} : { queue: { ...queue, held: true } }),
});

suite("stored conversation", () => {
  test("is restored as it was last shown, also after writes that failed", () => {
    fc.assert(
      fc.property(versions, fc.infiniteStream(fc.boolean()), (all, outcomes) => {
        const results = [...outcomes.take(all.length - 1)],
          journal = written(all, i => results[i] ?? true);
        deepEqual(restored(storedIn(journal), "why"), shown(all.at(-1) ?? EMPTY));
      }),
    );
  });

  test("continues after a restart with the differences from the stored content", () => {
    fc.assert(
      fc.property(versions, versions, (before, after) => {
        const journal = written(before),
          stored = storedIn(journal),
          lines = new ConversationLines(stored);
        equal(lines.of(before.at(-1) ?? EMPTY).lines, "");
        const last = after.at(-1) ?? EMPTY;
        deepEqual(restored(storedIn(journal + lines.of(last).lines), "why"), shown(last));
      }),
    );
  });

  test("loses only the content of a damaged line, and restores valid entries", () => {
    fc.assert(
      fc.property(
        versions,
        fc.nat(),
        fc.constantFrom("", "\u0000", '{"type":"change","change":null}', "torn"),
        (all, at, damage) => {
          const lines = written(all).split("\n"),
            index = at % lines.length,
            torn = (lines[index] ?? "").slice(0, at % 50);
          const { entries } = restored(
            storedIn(lines.with(index, damage === "torn" ? torn : damage).join("\n")),
            "why",
          );
          const known = shown(all.at(-1) ?? EMPTY).entries.map(({ id }) => id);
          ok(entries.every(({ kind, id }) => kind === "unknown" || known.includes(id)));
        },
      ),
    );
  });

  test("loses only the torn line before the first lines of a later process, and after a failed write", () => {
    const first = applyEvent(EMPTY, { type: "upsert", entry: { kind: "agent", id: "a", text: "One " } }),
      second = applyEvent(first, { type: "append", id: "a", offset: 4, text: "two " }),
      third = applyEvent(second, { type: "append", id: "a", offset: 8, text: "three" });
    const torn = `${written([first])}{"type":"chan`,
      lines = new ConversationLines(storedIn(torn));
    const failed = lines.of(second).lines.slice(0, 20);
    deepEqual(restored(storedIn(torn + failed + lines.of(third).lines), "why").entries, third.entries);
  });

  test("begins with the number of its format, and reports a later one", () => {
    const journal = written([applyEvent(EMPTY, { type: "title", title: "T" })]);
    deepEqual(JSON.parse(journal.trim().split("\n")[0] ?? ""), { type: "journal", format: FORMAT });
    equal(storedIn(journal).format, FORMAT);
    const later = storedIn(journal.replace(`"format":${FORMAT}`, `"format":${FORMAT + 1}`));
    deepEqual([later.format, restored(later, "why").title], [FORMAT + 1, "T"]);
  });

  test("shows an entry whose beginning is damaged as far as it is known", () => {
    const first = applyEvent(EMPTY, { type: "upsert", entry: { kind: "agent", id: "a", text: "One " } }),
      second = applyEvent(first, { type: "append", id: "a", offset: 4, text: "two" });
    const change = written([first, second]).trimEnd().split("\n").at(-1) ?? "";
    deepEqual(restored(storedIn(change), "why").entries, [{ kind: "agent", id: "a", text: "two" }]);
  });

  test("shows a damaged entry of any length as the same placeholder after it was stored again", () => {
    const entries = [{ kind: "agent", id: "a", text: '🙂"'.repeat(2 * 1024 * 1024) }] as const,
      once = restored(storedIn(written([{ ...EMPTY, entries }])), "why").entries;
    equal(once[0]?.kind, "unknown");
    deepEqual(restored(storedIn(written([{ ...EMPTY, entries: once }])), "why").entries, once);
  });

  test("stores a long text once, and the growth of a text by its growth", () => {
    const image = { kind: "image", name: "i", mimeType: "image/png", data: "A".repeat(100_000) } as const;
    const all = [
      applyEvent(EMPTY, { type: "upsert", entry: { kind: "user", id: "u", text: "see", attachments: [image] } }),
    ];
    for (const id of ["v", "w"])
      all.push(
        applyEvent(all.at(-1) ?? EMPTY, {
          type: "upsert",
          entry: { kind: "user", id, text: "see", attachments: [image] },
        }),
      );
    for (let i = 0; i < 100; i++)
      all.push(
        applyEvent(all.at(-1) ?? EMPTY, {
          type: "upsert",
          entry: {
            kind: "tool",
            id: "t",
            toolCallId: "t",
            title: "Run",
            toolKind: "execute",
            status: "in_progress",
            content: [{ kind: "text", text: "output line\n".repeat(100 * i) }],
            locations: [],
          },
        }),
      );
    const received = 100_000 + 12 * 100 * 100;
    ok(written(all).length < 1.2 * received, `${written(all).length} characters`);
  });
});
