import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ATTACHED_TEXT_LIMIT, IMAGE_LIMIT, MAX_ATTACHMENTS, type Attachment } from "../chat/attachments";
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

const MESSAGES: readonly PageToHost[] = [
  { type: "webviewReady", tabs: [] },
  {
    type: "webviewReady",
    tabs: [
      { tabId: "t", at: { bootId: "b", seq: -1 }, requestNumber: 1, agentId: "elizacp", cwd: "/w" },
      { tabId: "u", requestNumber: 0 },
    ],
  },
  { type: "newTab", tabId: "t" },
  { type: "newTab", tabId: "t", agentId: "a" },
  { type: "closeTab", tabId: "t" },
  { type: "selectTab", tabId: "t" },
  { type: "focusChanged", hasFocus: true },
  { type: "cancel", tabId: "t" },
  { type: "prompt", tabId: "t", messageId: "m", text: "hi" },
  { type: "prompt", tabId: "t", messageId: "m", text: "hi" },
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
  { type: "cancelInstall", tabId: "t" },
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
  { type: "review", tabId: "t", action: "open" },
  { type: "review", tabId: "t", action: "undo", entryId: "u" },
  { type: "rewind", tabId: "t", entryId: "u" },
  { type: "rewind", tabId: "t", entryId: "u", newId: "v" },
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
      [{ type: "review", tabId: "t", action: "rewind" }, /action/],
      [{ type: "rewind", tabId: "t" }, /entryId/],
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
      [{ type: "webviewReady", tabs: {} }, /tabs/],
      [{ type: "webviewReady", tabs: Array(101).fill({ tabId: "t", requestNumber: 0 }) }, /tabs/],
      [
        {
          type: "webviewReady",
          tabs: [{ tabId: "t", requestNumber: 0, at: { bootId: "b", seq: -2 } }],
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

  test("accepts ids, names and titles of any length", () => {
    const long = "x".repeat(100_000);
    const messages = [
      { type: "answerPermission", tabId: "t", permissionId: long, choice: { kind: "option", optionId: long } },
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
