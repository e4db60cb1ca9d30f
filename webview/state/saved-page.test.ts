import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Entry } from "../../src/protocol/chat/chat";
import { noDrafts } from "./drafts";
import { emptyPage, newest, restored, type SavedPage } from "./saved-page";
import { areAttachments, isEntry, isHostToPage, isPrompt } from "./saved-page-guards";

const entry = fc.oneof(
  fc.record({
    kind: fc.constantFrom("user" as const, "agent" as const, "thought" as const),
    id: fc.uuid(),
    text: fc.string({ maxLength: 3_000 }),
  }),
  fc.record({
    kind: fc.constant("tool" as const),
    id: fc.uuid(),
    toolCallId: fc.uuid(),
    title: fc.string(),
    toolKind: fc.constant("read"),
    status: fc.constant("completed" as const),
    content: fc.constant([]),
    locations: fc.constant([]),
    input: fc.string({ maxLength: 5_000 }),
  }),
);

suite("saved page", () => {
  test("keeps the newest entries within the limit and notes omissions", () =>
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), entries => {
        const kept = newest(entries, 4_000);
        ok(JSON.stringify(kept).length <= 4_400);
        if (entries.length > 0) equal(kept.at(-1)?.id, entries.at(-1)?.id);
        if (kept === entries) return;
        equal(kept[0]?.kind, "notice");
        equal(newest(kept, 10_000), kept);
      }),
      { numRuns: 200 },
    ));

  test("notes omissions once after repeated saves", () => {
    const texts = (n: number): Entry[] =>
      Array.from({ length: n }, (_, i) => ({ kind: "user", id: `u${i}`, text: "x".repeat(100) }));
    const kept = newest(newest(texts(20), 1_500), 500);
    equal(kept.filter(({ kind }) => kind === "notice").length, 1);
  });

  const image = (characters: number) =>
    ({ kind: "image", mimeType: "image/png", data: "A".repeat(characters) }) as const;
  const media = (id: string, characters: number): Entry => ({ kind: "media", id, content: image(characters) });
  const words: Entry = { kind: "agent", id: "w", text: "what was said before" };

  test("replaces an oversized image by its name and keeps earlier text", () => {
    const named = { kind: "other", what: "image", json: "(an image that is too large to be stored)" } as const;
    const tool: Entry = {
      kind: "tool",
      id: "t",
      toolCallId: "c",
      title: "Draw",
      toolKind: "other",
      status: "completed",
      content: [{ kind: "text", text: "look" }, image(9_000)],
      locations: [],
    };
    deepEqual(newest([words, media("m", 9_000), tool], 4_000), [
      words,
      { kind: "media", id: "m", content: named },
      { ...tool, content: [{ kind: "text", text: "look" }, named] },
    ]);
  });

  test("keeps the newest images within half of the limit", () => {
    const small = [words, media("m", 900)];
    equal(newest(small, 4_000), small);
    const many = newest([words, ...["a", "b", "c", "d", "e"].map(id => media(id, 900))], 4_000);
    equal(many[0], words);
    deepEqual(
      many.flatMap(entry => (entry.kind === "media" ? [entry.content.kind] : [])),
      ["other", "other", "other", "image", "image"],
    );
  });

  test("keeps attachments within the other half, otherwise their names", () => {
    const prompt = (id: string, characters: number): Entry => ({
      kind: "user",
      id,
      text: "look",
      attachments: [
        { kind: "file", path: "/w/a" },
        { kind: "image", name: id, mimeType: "image/png", data: "A".repeat(characters / 2) },
        { kind: "terminal", name: "zsh", text: "x".repeat(characters / 2) },
      ],
    });
    const small = [words, prompt("p", 900)];
    equal(newest(small, 4_000), small);
    const bareOnes = newest([words, prompt("p", 9_000)], 4_000);
    deepEqual(bareOnes, [
      words,
      {
        kind: "user",
        id: "p",
        text: "look",
        attachments: [
          { kind: "file", path: "/w/a" },
          { kind: "image", name: "p", mimeType: "image/png", data: "" },
          { kind: "terminal", name: "zsh", text: "" },
        ],
      },
    ]);
    equal(newest(bareOnes, 4_000), bareOnes);
  });

  const attachments = [{ kind: "image", name: "i", mimeType: "image/png", data: "AA" }] as const;
  const prompt = { messageId: "m", text: "t", attachments };
  const whole: SavedPage["tabs"][number] = {
    tabId: "t",
    bootId: "",
    agent: { id: "e", name: "E" },
    cwd: "/",
    title: "",
    entries: [],
    drafts: { text: "half", attachments, onTheWay: [prompt], takenBack: [prompt] },
    queue: [prompt],
  };
  const read = (tab: unknown) =>
    restored(JSON.parse(JSON.stringify({ version: 1, asked: 3, selected: "t", tabs: [tab] }))).tabs;

  test("restores drafts with attachments: typed, sent and queued", () => deepEqual(read(whole), [whole]));

  test("restores a page saved without attachments", () => {
    const { queue: _, ...rest } = whole;
    deepEqual(read({ ...rest, drafts: { text: "half", onTheWay: [{ messageId: "m", text: "t" }] } }), [
      { ...rest, drafts: { ...noDrafts, text: "half", onTheWay: [{ messageId: "m", text: "t" }] } },
    ]);
  });

  test("drops only the tab of invalid drafts", () => {
    for (const drafts of [{ attachments: [{ kind: "image", name: "i" }] }, { takenBack: [{}] }, { attachments: {} }])
      deepEqual(read({ ...whole, drafts: { ...whole.drafts, ...drafts } }), []);
    deepEqual(read({ ...whole, queue: [{ messageId: "m" }] }), []);
  });

  test("restores an empty page for any other state", () => {
    for (const state of [
      undefined,
      null,
      7,
      "x",
      [],
      {},
      { version: 2, asked: 0, selected: "", tabs: [] },
      { version: 1, asked: "0", selected: "", tabs: [] },
    ])
      deepEqual(restored(state), emptyPage);
  });

  test("drops an invalid tab and keeps the others", () => {
    const tab = {
      tabId: "t",
      bootId: "",
      agent: { id: "e", name: "E" },
      cwd: "/",
      title: "",
      entries: [],
      drafts: { ...noDrafts, text: "half" },
    };
    const page: SavedPage = { version: 1, asked: 3, selected: "t", tabs: [tab] };
    deepEqual(
      restored(
        JSON.parse(
          JSON.stringify({
            ...page,
            tabs: [{ ...tab, drafts: 3 }, { ...tab, entries: [{ kind: "hologram", id: "x" }] }, tab],
          }),
        ),
      ),
      page,
    );
  });
});

const named = { name: "f", title: "F", required: false };
const FIELDS = [
  { ...named, type: "text", initial: "x" },
  { ...named, type: "number", initial: 1.5 },
  { ...named, type: "integer" },
  { ...named, type: "boolean", initial: true },
  { ...named, type: "choice", options: [{ value: "a", title: "A" }], initial: "a" },
  { ...named, type: "choices", options: [{ value: "a", title: "A" }], initial: ["a"] },
];

suite("shape of a saved page", () => {
  const CONTENT = [
    { kind: "image", mimeType: "image/png", data: "" },
    { kind: "audio", mimeType: "audio/wav", bytes: 3 },
    { kind: "resource", uri: "u", bytes: 3 },
  ];
  const elicitation = (ask: unknown) => ({ kind: "elicitation", id: "l", agent: "E", message: "?", ask });
  const media = (content: unknown) => ({ kind: "media", id: "m", content });
  const ATTACHMENTS = [
    { kind: "file", path: "/a" },
    { kind: "folder", path: "/b" },
    { kind: "symbol", name: "f", path: "/a", startLine: 1, endLine: 2 },
    { kind: "selection", name: "a", path: "/a", startLine: 1, endLine: 2, text: "x" },
    { kind: "selection", name: "u", startLine: 1, endLine: 1, text: "x" },
    { kind: "problems", count: 1, text: "x" },
    { kind: "terminal", name: "zsh", text: "x" },
    { kind: "image", name: "i", mimeType: "image/png", data: "AA" },
  ];

  test("accepts entries of every form", () => {
    for (const entry of [
      { kind: "user", id: "u", text: "hi", attachments: ATTACHMENTS },
      { kind: "plan", id: "p", steps: [] },
      { kind: "thought", id: "h", text: "hm", ms: 12.5 },
      { kind: "notice", id: "n", severity: "info", text: "t", from: "E", detail: "d", actions: [] },
      { kind: "compaction", id: "c", compactionId: "1", status: "completed", text: "short" },
      ...CONTENT.map(media),
      {
        ...elicitation({ mode: "url", url: "https://example.org", elicitationId: "1" }),
        answered: { kind: "completed" },
      },
      elicitation({ mode: "form", fields: FIELDS }),
    ])
      ok(isEntry(entry), JSON.stringify(entry));
  });

  test("rejects entries that lack what the page relies on", () => {
    for (const entry of [
      undefined,
      { kind: "__proto__", id: "p" },
      { kind: "agent", id: "a" },
      { kind: "compaction", id: "c", compactionId: "1", text: "short" },
      { kind: "notice", id: "n", severity: "info", text: "t", detail: {}, actions: [] },
      { kind: "thought", id: "h", text: "hm", ms: "12" },
      ...[
        { mode: "url", url: "https://example.org" },
        { mode: "dance" },
        { mode: "form", fields: {} },
        ...FIELDS.flatMap(field => [
          { ...field, initial: {} },
          { ...field, options: [{}], required: 1 },
          { ...field, type: "color" },
        ]).map(field => ({ mode: "form", fields: [field] })),
      ].map(elicitation),
      ...[
        { kind: "image", mimeType: "image/png" },
        { kind: "audio", mimeType: "a", bytes: "3" },
        { kind: "resource", uri: "u", text: 3 },
        { kind: "smell" },
        undefined,
      ].map(media),
    ])
      ok(!isEntry(entry), JSON.stringify(entry));
  });

  test("accepts attachments of every form, and rejects others", () => {
    const bad = [
      ...ATTACHMENTS.flatMap(attachment =>
        Object.keys(attachment)
          .filter(key => !(attachment.kind === "selection" && key === "path"))
          .map(key => [{ ...attachment, [key]: {} }]),
      ),
      [{ kind: "hologram" }],
      {},
    ];
    ok(areAttachments(ATTACHMENTS));
    ok(isPrompt({ messageId: "m", text: "t", attachments: ATTACHMENTS }));
    for (const attachments of bad) {
      ok(!areAttachments(attachments), JSON.stringify(attachments));
      ok(!isPrompt({ messageId: "m", text: "t", attachments }), JSON.stringify(attachments));
      ok(!isEntry({ kind: "user", id: "u", text: "", attachments }), JSON.stringify(attachments));
    }
    ok(!isPrompt({ text: "t" }));
  });
});

test("recognizes messages of the host by their type", () => {
  ok(isHostToPage({ type: "requestReplay" }));
  for (const message of [undefined, "requestReplay", {}, { type: "toString" }, { type: "hologram" }])
    ok(!isHostToPage(message), JSON.stringify(message));
});
