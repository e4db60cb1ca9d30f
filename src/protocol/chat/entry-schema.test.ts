/** The schema of entries, with which the sidecar reads the journals of all versions. */
import { deepEqual } from "node:assert/strict";
import { parsed } from "../wire/schema";
import type { Entry } from "./chat";
import { entry } from "./entry-schema";

const ENTRIES: readonly Entry[] = [
  { kind: "user", id: "1", text: "hi" },
  { kind: "agent", id: "2", text: "", interrupted: true },
  { kind: "thought", id: "3", text: "hm" },
  { kind: "plan", id: "4", steps: [{ content: "a", priority: "high", status: "pending" }] },
  {
    kind: "tool",
    id: "5",
    toolCallId: "c",
    title: "t",
    toolKind: "edit",
    status: "completed",
    input: "{}",
    output: "x",
    locations: [{ path: "/a", line: 3 }, { path: "/b" }],
    content: [
      { kind: "text", text: "a" },
      { kind: "diff", path: "/a", oldText: "x", newText: "y" },
      { kind: "diff", path: "/a", newText: "y" },
      { kind: "terminal", terminalId: "t", output: "o" },
      { kind: "image", mimeType: "image/png", data: "AA==" },
      { kind: "resource", uri: "u", name: "n", text: "t" },
      { kind: "resource", uri: "u", description: "d", mimeType: "m", bytes: 3 },
      { kind: "audio", mimeType: "audio/wav", bytes: 3 },
      { kind: "other", what: "w", json: "{}" },
    ],
  },
  {
    kind: "permission",
    id: "6",
    agent: "A",
    toolEntryId: "5",
    title: "t",
    toolKind: "edit",
    input: "i",
    content: [],
    options: [{ optionId: "o", name: "Allow", kind: "allow_once" }],
  },
  {
    kind: "permission",
    id: "7",
    agent: "A",
    toolEntryId: "5",
    title: "t",
    toolKind: "edit",
    content: [],
    options: [],
    answered: { kind: "selected", optionId: "o", name: "Allow", optionKind: "allow_once", by: "bypass" },
  },
  {
    kind: "permission",
    id: "8",
    agent: "A",
    toolEntryId: "5",
    title: "t",
    toolKind: "edit",
    content: [],
    options: [],
    answered: { kind: "cancelled", why: "w" },
  },
  { kind: "notice", id: "9", severity: "error", text: "t", actions: ["sendAgain", "restartAgent", "showLogs"] },
  { kind: "unknown", id: "10", what: "w", json: "{}" },
  { kind: "thought", id: "11", text: "hm", ms: 12.5 },
  { kind: "media", id: "12", content: { kind: "image", mimeType: "image/png", data: "AA==" } },
  { kind: "notice", id: "13", severity: "info", text: "t", from: "A", detail: "d", actions: [] },
  { kind: "compaction", id: "14", compactionId: "c", status: "failed", text: "", error: "no" },
  {
    kind: "elicitation",
    id: "15",
    agent: "A",
    message: "?",
    ask: {
      mode: "form",
      purpose: "signIn",
      title: "T",
      description: "D",
      fields: [
        {
          type: "text",
          name: "a",
          title: "A",
          description: "d",
          required: true,
          format: "email",
          minLength: 1,
          maxLength: 9,
          pattern: ".",
          initial: "x",
        },
        { type: "number", name: "b", title: "B", required: false, minimum: 0.5, maximum: 9, initial: 1.5 },
        { type: "integer", name: "c", title: "C", required: false, initial: 1 },
        { type: "boolean", name: "d", title: "D", required: false, initial: false },
        {
          type: "choice",
          name: "e",
          title: "E",
          required: false,
          options: [{ value: "x", title: "X", description: "d" }],
          initial: "x",
        },
        {
          type: "choices",
          name: "f",
          title: "F",
          required: false,
          options: [{ value: "x", title: "X" }],
          minItems: 1,
          maxItems: 2,
          initial: ["x"],
        },
      ],
    },
  },
  ...[
    { kind: "accepted" } as const,
    { kind: "declined" } as const,
    { kind: "completed" } as const,
    { kind: "cancelled", why: "w" } as const,
  ].map(
    (answered): Entry => ({
      kind: "elicitation",
      id: "16",
      agent: "A",
      message: "?",
      ask: { mode: "url", url: "https://example.org", elicitationId: "e" },
      answered,
    }),
  ),
  { kind: "user", id: "17", text: "", attachments: [{ kind: "file", path: "/w/a.ts" }] },
  { kind: "unknown", id: "18", what: "w", json: "{}", count: 3 },
  { kind: "message", id: "19", from: "A", to: "B", text: "hi" },
  { kind: "plan", id: "20", steps: [], text: "# Plan" },
  {
    kind: "permission",
    id: "21",
    agent: "A",
    toolEntryId: "5",
    title: "t",
    toolKind: "edit",
    content: [],
    options: [],
    subagent: { sessionId: "c", name: "B" },
  },
  {
    kind: "subagent",
    id: "22",
    sessionId: "c",
    name: "B",
    status: "failed",
    description: "d",
    error: "e",
    entries: [
      { kind: "agent", id: "23", text: "x" },
      { kind: "subagent", id: "24", sessionId: "d", name: "C", status: "running", entries: [] },
    ],
  },
];

suite("entries of a journal", () => {
  test("are accepted unchanged", () => {
    for (const each of ENTRIES) deepEqual(parsed(entry, each), each);
  });

  test("are rejected without a known kind and valid members", () => {
    const [user, , , , tool] = ENTRIES;
    for (const each of [
      { kind: "hologram", id: "x" },
      { ...tool, status: "dreaming" },
      { ...user, attachments: [{ kind: "file" }] },
      { ...user, id: undefined },
      null,
      "user",
    ])
      deepEqual(parsed(entry, each), undefined);
  });

  test("can have ids, names and titles of any length", () => {
    const long = "x".repeat(100_000),
      [, , , , tool, , question] = ENTRIES;
    for (const each of [
      { ...tool, id: long, toolCallId: long, title: long, toolKind: long, locations: [{ path: long }] },
      {
        ...question,
        id: long,
        toolEntryId: long,
        title: long,
        agent: long,
        options: [{ optionId: long, name: long, kind: "allow_once" }],
        answered: { kind: "selected", optionId: long, name: long, optionKind: "allow_once", by: "user" },
      },
    ])
      deepEqual(parsed(entry, each), each);
  });
});
