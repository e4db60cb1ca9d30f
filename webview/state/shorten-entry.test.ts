import { deepEqual, equal, ok } from "node:assert/strict";
import type { Attachment } from "../../src/protocol/chat/attachments";
import { TOOL_JSON_LIMIT, type Entry, type Permission, type ToolContent } from "../../src/protocol/chat/chat";
import type { Elicitation, Field } from "../../src/protocol/chat/elicitation";
import { isEntry } from "./saved-page-guards";
import { shortened, bare } from "./shorten-entry";

/** A text with the maximum JSON length per character. */
const LONG = "\0".repeat(200_000);
const LIMIT = 40_000;
const list = <T>(n: number, item: T): readonly T[] => Array.from({ length: n }, () => item);
const named = { name: LONG, title: LONG, description: LONG, required: true };
const fields: readonly Field[] = list(50, {
  ...named,
  type: "choices",
  options: list(500, { value: LONG, title: LONG, description: LONG }),
  initial: [LONG],
});

const permission: Permission = {
  kind: "permission",
  id: "id",
  agent: LONG,
  toolEntryId: "t",
  title: LONG,
  toolKind: LONG,
  input: LONG,
  content: [{ kind: "text", text: LONG }],
  options: list(1_000, { optionId: LONG, name: LONG, kind: "allow_once" }),
  answered: { kind: "selected", optionId: LONG, name: LONG, optionKind: "allow_once", by: "user" },
};
const form: Elicitation = {
  kind: "elicitation",
  id: "id",
  agent: LONG,
  message: LONG,
  ask: { mode: "form", title: LONG, description: LONG, fields },
};
const contents: readonly ToolContent[] = [
  { kind: "text", text: LONG },
  { kind: "diff", path: LONG, oldText: LONG, newText: LONG },
  { kind: "terminal", terminalId: LONG, output: LONG },
  { kind: "image", mimeType: LONG, data: LONG },
  { kind: "audio", mimeType: LONG, bytes: 3 },
  { kind: "resource", uri: LONG, name: LONG, description: LONG, mimeType: LONG, text: LONG, bytes: 3 },
  { kind: "other", what: LONG, json: LONG },
];
const attachments: readonly Attachment[] = [
  { kind: "file", path: LONG },
  { kind: "folder", path: LONG },
  { kind: "symbol", name: LONG, path: LONG, startLine: 1, endLine: 2 },
  { kind: "selection", name: LONG, path: LONG, startLine: 1, endLine: 2, text: LONG },
  { kind: "problems", count: 2, text: LONG },
  { kind: "terminal", name: LONG, text: LONG },
  { kind: "image", name: LONG, mimeType: LONG, data: LONG },
];
const entries: readonly Entry[] = [
  { kind: "user", id: "id", text: LONG },
  ...attachments.map(
    (attachment): Entry => ({ kind: "user", id: "id", text: LONG, attachments: list(50, attachment) }),
  ),
  { kind: "agent", id: "id", text: LONG },
  { kind: "thought", id: "id", text: LONG, ms: 3 },
  ...contents.map((content): Entry => ({ kind: "media", id: "id", content })),
  { kind: "plan", id: "id", steps: list(1_000, { content: LONG, priority: LONG, status: LONG }) },
  {
    kind: "tool",
    id: "id",
    toolCallId: LONG,
    title: LONG,
    toolKind: LONG,
    status: "completed",
    content: contents,
    locations: [{ path: LONG }],
    input: LONG,
    output: LONG,
  },
  permission,
  form,
  { ...form, ask: { mode: "url", url: LONG, elicitationId: LONG } },
  { kind: "notice", id: "id", severity: "info", text: LONG, from: LONG, detail: LONG, actions: [] },
  { kind: "compaction", id: "id", compactionId: LONG, status: LONG, text: LONG, error: LONG },
  { kind: "unknown", id: "id", what: LONG, json: LONG },
];

suite("shortened entries", () => {
  for (const entry of entries) {
    const what =
      entry.kind === "media"
        ? ` with ${entry.content.kind}`
        : entry.kind === "user" && entry.attachments
          ? ` with ${entry.attachments[0]?.kind ?? ""}`
          : "";
    test(`${entry.kind}${what}: bounds long content and stays a valid entry`, () => {
      const short = shortened(entry, LIMIT);
      ok(JSON.stringify(short).length <= LIMIT, String(JSON.stringify(short).length));
      deepEqual([short.kind, short.id, isEntry(JSON.parse(JSON.stringify(short)))], [entry.kind, "id", true]);
    });
  }

  test("keeps short entries unchanged", () => {
    const short: readonly Entry[] = [
      { kind: "notice", id: "n", severity: "info", text: "t", actions: [] },
      { kind: "compaction", id: "c", compactionId: "1", status: "completed", text: "x" },
      { kind: "media", id: "m", content: { kind: "resource", uri: "u" } },
      {
        kind: "permission",
        id: "p",
        agent: "A",
        toolEntryId: "t",
        title: "?",
        toolKind: "edit",
        content: [],
        options: [{ optionId: "o", name: "O", kind: "allow_once" }],
      },
    ];
    for (const entry of short) deepEqual(shortened(entry, TOOL_JSON_LIMIT), entry);
  });

  test("disables an incomplete form and keeps the result of an answered one", () => {
    const short = shortened(form, LIMIT);
    deepEqual(short.kind === "elicitation" && [short.ask.mode === "form" && short.ask.fields, short.answered], [
      [],
      { kind: "cancelled", why: "the question is too long to be stored" },
    ]);
    const answered = shortened({ ...form, answered: { kind: "declined" } }, LIMIT);
    deepEqual(answered.kind === "elicitation" && answered.answered, { kind: "declined" });
  });

  const question: Permission = {
    kind: "permission",
    id: "p",
    agent: "A",
    toolEntryId: "t",
    title: "?",
    toolKind: "edit",
    content: [],
    options: [],
  };
  test("keeps an entry without images and processes each once", () => {
    equal(bare(question), question);
    const picture: Entry = { kind: "media", id: "m", content: { kind: "image", mimeType: "image/png", data: "AA" } };
    equal(bare(picture), bare(picture));
    ok(
      !JSON.stringify(
        bare({ ...question, content: [{ kind: "image", mimeType: "image/png", data: "AAAA" }] }),
      ).includes("AAAA"),
    );
  });
});
