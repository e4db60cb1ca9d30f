import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ATTACHED_TEXT_LIMIT, IMAGE_LIMIT, MAX_ATTACHMENTS, type Attachment } from "../chat/attachments";
import type { Entry } from "../chat/chat";
import { pageToHost } from "./page-to-host";
import { validated } from "../wire/schema";
import type { PageToHost } from "./host-to-page";

const validate = (value: unknown) => validated(pageToHost, value);

const ATTACHMENTS: readonly Attachment[] = [
  { kind: "file", path: "/w/a.ts" },
  { kind: "folder", path: "/w/src" },
  { kind: "symbol", name: "f", path: "/w/a.ts", startLine: 1, endLine: 3 },
  { kind: "selection", name: "a.ts", path: "/w/a.ts", startLine: 7, endLine: 7, text: "x" },
  { kind: "selection", name: "Untitled-1", startLine: 1, endLine: 2, text: "" },
  { kind: "problems", count: 1, text: "a.ts:1:1 error x" },
  { kind: "terminal", name: "zsh", text: "$ ls" },
  { kind: "image", name: "a.png", mimeType: "image/svg+xml", data: "AAA=" },
];

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
  { kind: "user", id: "17", text: "", attachments: ATTACHMENTS },
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

const MESSAGES: readonly PageToHost[] = [
  { type: "webviewReady", tabs: [], losses: 0 },
  {
    type: "webviewReady",
    tabs: [
      { tabId: "t", at: { bootId: "b", seq: -1 }, requestNumber: 1, shown: ENTRIES, agentId: "elizacp", cwd: "/w" },
      { tabId: "u", requestNumber: 0, shown: [] },
    ],
    losses: 2,
  },
  { type: "newTab", tabId: "t" },
  { type: "newTab", tabId: "t", agentId: "a" },
  { type: "closeTab", tabId: "t" },
  { type: "selectTab", tabId: "t" },
  { type: "cancel", tabId: "t" },
  { type: "prompt", tabId: "t", messageId: "m", text: "hi" },
  { type: "prompt", tabId: "t", messageId: "m", text: "hi", losses: 1 },
  { type: "prompt", tabId: "t", messageId: "m", text: "", attachments: ATTACHMENTS },
  { type: "withdraw", tabId: "t", messageId: "m" },
  { type: "sendQueued", tabId: "t" },
  { type: "clearQueue", tabId: "t", messageIds: ["m", "n"] },
  { type: "findMentions", requestNumber: 0, query: "" },
  { type: "findMentions", requestNumber: 7, query: "src/a b" },
  { type: "requestContext", tabId: "t", source: { kind: "selection" } },
  { type: "requestContext", tabId: "t", source: { kind: "problems" } },
  { type: "requestContext", tabId: "t", source: { kind: "terminal" } },
  { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: ["file:///w/a.ts"] } },
  { type: "answerPermission", tabId: "t", permissionId: "p", choice: { kind: "option", optionId: "o" } },
  { type: "bypass", tabId: "t" },
  { type: "endBypass", tabId: "t" },
  {
    type: "answerElicitation",
    tabId: "t",
    elicitationId: "e",
    choice: { kind: "accept", values: { a: "text", b: 1.5, c: false, d: ["x", "y"] } },
  },
  { type: "answerElicitation", tabId: "t", elicitationId: "e", choice: { kind: "decline" } },
  { type: "setControl", tabId: "t", controlId: "model", value: "large" },
  { type: "setControl", tabId: "t", controlId: "fast", value: true },
  { type: "action", tabId: "t", action: "manageTrust" },
  { type: "action", tabId: "t", action: "openSettings" },
  { type: "selectAgent", agentId: "elizacp" },
  { type: "openLink", href: "https://example.com" },
  { type: "openLink", href: "file:///w/a.ts#L3", preview: true },
  { type: "openDiff", tabId: "t", path: "/w/a.ts", newText: "new" },
  { type: "openDiff", tabId: "t", path: "/w/a.ts", oldText: "", newText: "" },
  { type: "openTerminal", tabId: "t", command: "ls", output: "a\n" },
  { type: "openTerminal", tabId: "t", command: "ls", output: "", exit: { code: 1, signal: "SIGTERM" } },
  { type: "ack", handled: 3 },
  { type: "log", level: "warn", message: "m", data: { a: [1] } },
  { type: "log", level: "info", message: "m" },
];

suite("page message validation", () => {
  test("accepts every valid message unchanged", () => {
    for (const message of MESSAGES) deepEqual(validate(structuredClone(message)), { ok: true, message });
  });

  test("drops unknown fields", () => {
    deepEqual(validate({ type: "cancel", tabId: "t", command: "rm" }), {
      ok: true,
      message: { type: "cancel", tabId: "t" },
    });
  });

  const accept = (values: unknown) => ({
    type: "answerElicitation",
    tabId: "t",
    elicitationId: "e",
    choice: { kind: "accept", values },
  });
  test("accepts form values under any name, including object members", () => {
    const message: unknown = JSON.parse(JSON.stringify(accept({ a: "x" })).replace('"a"', '"__proto__"'));
    const result = validate(message);
    deepEqual(result.ok && JSON.stringify(result.message), JSON.stringify(message));
  });

  test("rejects an unknown or invalid message with a reason", () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /type/],
      [null, /type/],
      ["cancel", /type/],
      [[], /type/],
      [{}, /type/],
      [{ type: "toString" }, /type/],
      [{ type: "__proto__" }, /type/],
      [{ type: "quit" }, /type/],
      [{ type: "cancel" }, /tabId/],
      [{ type: "cancel", tabId: "" }, /tabId/],
      [{ type: "cancel", tabId: "x".repeat(600) }, /tabId/],
      [{ type: "cancel", tabId: { toString: () => "t" } }, /tabId/],
      [{ type: "prompt", tabId: "t", messageId: "m", text: "x".repeat(5 * 1024 * 1024) }, /text/],
      [{ type: "ack", handled: -1 }, /handled/],
      [{ type: "ack", handled: 1.5 }, /handled/],
      [{ type: "ack", handled: NaN }, /handled/],
      [{ type: "action", tabId: "t", action: "workbench.action.quit" }, /action/],
      [{ type: "answerPermission", tabId: "t", permissionId: "p", choice: { kind: "always" } }, /choice\.kind/],
      [{ type: "answerPermission", tabId: "t", permissionId: "p", choice: { kind: "option" } }, /choice\.optionId/],
      [{ type: "answerPermission", tabId: "t", permissionId: "p", choice: { kind: "bypass" } }, /choice/],
      ...[
        null,
        {},
        [1],
        [["x"]],
        { toString: "x" },
        Array(1_001).fill("x"),
        "x".repeat(5 * 1024 * 1024),
        Infinity,
        undefined,
      ].map((value): readonly [unknown, RegExp] => [accept({ a: value }), /values/]),
      [accept(["x"]), /values/],
      [accept("x"), /values/],
      [accept(undefined), /values/],
      [accept(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, "x"]))), /values/],
      [accept({ ["x".repeat(5 * 1024 * 1024)]: 1 }), /values/],
      [{ type: "answerElicitation", tabId: "t", elicitationId: "e", choice: { kind: "cancel" } }, /choice\.kind/],
      [{ type: "answerElicitation", tabId: "t", elicitationId: "", choice: { kind: "decline" } }, /elicitationId/],
      ...[1, null, {}, ["x"], undefined, "x".repeat(5 * 1024 * 1024)].map((value): readonly [unknown, RegExp] => [
        { type: "setControl", tabId: "t", controlId: "c", value },
        /value/,
      ]),
      [{ type: "setControl", tabId: "t", controlId: "", value: true }, /controlId/],
      [{ type: "openLink", href: "a", preview: false }, /preview/],
      [{ type: "openDiff", tabId: "t", path: "", newText: "" }, /path/],
      [{ type: "openDiff", tabId: "t", path: "/a", newText: "x".repeat(300_001) }, /newText/],
      [{ type: "openDiff", tabId: "t", path: "/a", newText: "", oldText: null }, /oldText/],
      [{ type: "openTerminal", tabId: "t", command: "ls", output: "x".repeat(300_001) }, /output/],
      [{ type: "openTerminal", tabId: "t", command: "ls", output: "", exit: { code: "1" } }, /code/],
      [{ type: "webviewReady", tabs: {}, losses: 0 }, /tabs/],
      [{ type: "webviewReady", tabs: Array(101).fill({ tabId: "t", requestNumber: 0, shown: [] }), losses: 0 }, /tabs/],
      [{ type: "webviewReady", tabs: [] }, /losses/],
      [
        {
          type: "webviewReady",
          tabs: [{ tabId: "t", requestNumber: 0, shown: [], at: { bootId: "b", seq: -2 } }],
          losses: 0,
        },
        /seq/,
      ],
      [{ type: "log", level: "trace", message: "m" }, /level/],
      [{ type: "log", level: "info", message: "m", data: { x: "y".repeat(20_000) } }, /data/],
    ];
    for (const [value, why] of wrong) {
      const result = validate(value);
      ok(!result.ok && why.test(result.why), JSON.stringify(value)?.slice(0, 80));
    }
  });

  test("limits attachments in prompts and entries", () => {
    const file: Attachment = { kind: "file", path: "/a" },
      selection = { kind: "selection", name: "a", startLine: 1, endLine: 1, text: "" },
      image = { kind: "image", name: "a", mimeType: "image/png", data: "AAAA" };
    const fits = (attachment: unknown): boolean =>
      validate({ type: "prompt", tabId: "t", messageId: "m", text: "", attachments: [attachment] }).ok;
    const wrong: readonly unknown[] = [
      undefined,
      null,
      "x",
      {},
      { kind: "toString" },
      { kind: "hologram", path: "/a" },
      { kind: "file" },
      { kind: "file", path: "" },
      { kind: "file", path: "x".repeat(4_097) },
      { kind: "folder", path: 1 },
      { ...selection, startLine: 0 },
      { ...selection, endLine: 0 },
      { ...selection, startLine: 1.5 },
      { ...selection, endLine: "1" },
      { ...selection, path: "" },
      { ...selection, text: undefined },
      { ...selection, name: "" },
      { ...selection, text: "x".repeat(ATTACHED_TEXT_LIMIT + 1) },
      { kind: "symbol", name: "f", path: "/a", startLine: 1 },
      { kind: "symbol", name: "f", startLine: 1, endLine: 1 },
      { kind: "problems", count: -1, text: "" },
      { kind: "problems", count: 1, text: "x".repeat(ATTACHED_TEXT_LIMIT + 1) },
      { kind: "terminal", name: "a", text: "x".repeat(ATTACHED_TEXT_LIMIT + 1) },
      { kind: "terminal", text: "" },
      { ...image, data: "not base64" },
      { ...image, data: "data:image/png;base64,AAAA" },
      { ...image, data: "A".repeat(IMAGE_LIMIT + 4) },
      { ...image, mimeType: "text/html" },
      { ...image, mimeType: "image/png;x" },
      { ...image, mimeType: `image/${"x".repeat(100)}` },
    ];
    for (const attachment of wrong) ok(!fits(attachment), JSON.stringify(attachment)?.slice(0, 80));
    for (const attachment of [
      file,
      selection,
      { ...image, data: "" },
      { ...selection, text: "x".repeat(ATTACHED_TEXT_LIMIT) },
      { ...image, data: "A".repeat(IMAGE_LIMIT) },
    ])
      ok(fits(attachment), attachment.kind);
    const prompt = (attachments: unknown) =>
      validate({ type: "prompt", tabId: "t", messageId: "m", text: "", attachments });
    deepEqual(
      [
        prompt(Array(MAX_ATTACHMENTS).fill(file)).ok,
        prompt(Array(MAX_ATTACHMENTS + 1).fill(file)).ok,
        prompt({}).ok,
        prompt(null).ok,
      ],
      [true, false, false, false],
    );
    const shown = validate({
      type: "webviewReady",
      tabs: [{ tabId: "t", requestNumber: 0, shown: [ENTRIES[0], { ...ENTRIES[0], attachments: [{ kind: "file" }] }] }],
      losses: 0,
    });
    deepEqual(shown.ok && shown.message.type === "webviewReady" && shown.message.tabs[0]?.shown, [ENTRIES[0]]);
  });

  test("limits searches, requests and withdrawals", () => {
    const wrong: readonly unknown[] = [
      { type: "findMentions", requestNumber: -1, query: "" },
      { type: "findMentions", requestNumber: 1 },
      { type: "findMentions", requestNumber: 1, query: "x".repeat(1_001) },
      { type: "withdraw", tabId: "t" },
      { type: "withdraw", tabId: "t", messageId: "" },
      { type: "sendQueued" },
      { type: "clearQueue", tabId: "t" },
      { type: "clearQueue", tabId: "t", messageIds: [1] },
      { type: "clearQueue", tabId: "t", messageIds: Array(21).fill("m") },
      { type: "requestContext", tabId: "t" },
      { type: "requestContext", tabId: "t", source: { kind: "passwords" } },
      { type: "requestContext", source: { kind: "selection" } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped" } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: [1] } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: [""] } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: ["x".repeat(8_193)] } },
      { type: "requestContext", tabId: "t", source: { kind: "dropped", uris: Array(10_001).fill("file:///a") } },
    ];
    for (const value of wrong) ok(!validate(value).ok, JSON.stringify(value).slice(0, 80));
  });

  test("drops only an invalid entry of another version", () => {
    const result = validate({
      type: "webviewReady",
      tabs: [
        {
          tabId: "t",
          requestNumber: 0,
          shown: [ENTRIES[0], { kind: "hologram", id: "x" }, { ...ENTRIES[4], status: "dreaming" }, ENTRIES[1]],
        },
      ],
      losses: 0,
    });
    deepEqual(result, {
      ok: true,
      message: {
        type: "webviewReady",
        tabs: [{ tabId: "t", requestNumber: 0, shown: [ENTRIES[0], ENTRIES[1]] }],
        losses: 0,
      },
    });
  });

  test("accepts ids, names and titles of any length", () => {
    const long = "x".repeat(100_000);
    const [tool, question] = [ENTRIES[4], ENTRIES[6]];
    const messages = [
      { type: "answerPermission", tabId: "t", permissionId: long, choice: { kind: "option", optionId: long } },
      {
        type: "webviewReady",
        tabs: [
          {
            tabId: "t",
            requestNumber: 0,
            shown: [
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
            ],
          },
        ],
        losses: 0,
      },
    ];
    for (const message of messages) deepEqual(validate(message), { ok: true, message });
  });

  test("never throws for any JSON", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...MESSAGES), (value, message) => {
        equal(typeof validate(value).ok, "boolean");
        for (const key of Object.keys(message).filter(key => key !== "type"))
          equal(typeof validate({ ...message, [key]: value }).ok, "boolean");
      }),
      { numRuns: 200 },
    ));
});
