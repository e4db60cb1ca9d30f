import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { emptyConversation, type Entry } from "../../src/protocol/chat";
import { noDrafts } from "./drafts";
import { emptyPage, newest, restored, type SavedPage } from "./saved-page";
import { isHostToPage } from "./message-guards";

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
    const named = { kind: "other", what: "image", json: "(an image that is too large to be kept)" } as const;
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
const TERMINAL = { terminalId: "t", command: "ls", cwd: "/", output: "", isCut: false };
const CONTROLS = [
  { kind: "switch", id: "s", name: "S", category: "", value: false },
  {
    kind: "select",
    id: "m",
    name: "M",
    category: "model",
    value: "a",
    groups: [{ choices: [{ value: "a", name: "A" }] }, { name: "G", choices: [] }],
  },
];

suite("host message validation", () => {
  const conversation = {
    ...emptyConversation({ id: "e", name: "E" }, "/"),
    entries: [{ kind: "user", id: "u", text: "hi" }],
  };
  const good = [
    { type: "askAgain" },
    { type: "openTab" },
    { type: "failed", tabId: "t", message: "No." },
    {
      type: "state",
      agents: [{ id: "e", name: "E" }],
      currentAgentId: "e",
      tabs: ["t"],
      sidecar: { state: "failed", message: "No.", actions: ["showLogs"] },
    },
    { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation },
    { type: "event", tabId: "t", bootId: "b", seq: 1, event: { type: "append", id: "a", offset: 0, text: "x" } },
    ...[
      { kind: "plan", id: "p", steps: [] },
      { kind: "thought", id: "h", text: "hm", ms: 12.5 },
      { kind: "notice", id: "n", severity: "info", text: "t", from: "E", detail: "d", actions: [] },
      { kind: "compaction", id: "c", compactionId: "1", status: "completed", text: "short" },
      ...[
        { kind: "image", mimeType: "image/png", data: "" },
        { kind: "audio", mimeType: "audio/wav", bytes: 3 },
        { kind: "resource", uri: "u", bytes: 3 },
      ].map(content => ({ kind: "media", id: "m", content })),
      {
        kind: "elicitation",
        id: "l",
        agent: "E",
        message: "?",
        ask: { mode: "url", url: "https://example.org", elicitationId: "1" },
        answered: { kind: "completed" },
      },
      { kind: "elicitation", id: "l", agent: "E", message: "?", ask: { mode: "form", fields: FIELDS } },
    ].map(entry => ({ type: "event", tabId: "t", bootId: "b", seq: 1, event: { type: "upsert", entry } })),
    ...[
      { type: "controls", controls: CONTROLS },
      { type: "usage", usage: { used: 1, size: 2 } },
      { type: "usage", usage: { used: 1, size: 2, cost: { amount: 0.1, currency: "credits" } } },
      { type: "commands", commands: [{ name: "a", description: "", hint: "x" }] },
      { type: "terminal", terminal: TERMINAL },
      { type: "terminal", terminal: { ...TERMINAL, exit: { code: 0 } } },
      { type: "terminal", terminal: { ...TERMINAL, exit: {} } },
      { type: "terminalOutput", terminalId: "t", offset: 3, text: "x" },
    ].map(event => ({ type: "event", tabId: "t", bootId: "b", seq: 1, event })),
    {
      type: "snapshot",
      tabId: "t",
      bootId: "b",
      seq: 0,
      conversation: { ...conversation, controls: CONTROLS, usage: { used: 1, size: 2 }, terminals: [TERMINAL] },
    },
  ];
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
  const event = (event: unknown) => ({ type: "event", tabId: "t", bootId: "b", seq: 1, event });
  const queue = {
    prompts: [
      { messageId: "m", text: "t" },
      { messageId: "n", text: "", attachments: ATTACHMENTS },
    ],
    held: true,
  };
  const attaching = (attachments: unknown) => [
    { type: "attach", attachments },
    event({ type: "upsert", entry: { kind: "user", id: "u", text: "", attachments } }),
    event({ type: "queue", queue: { prompts: [{ messageId: "m", text: "t", attachments }], held: false } }),
  ];
  const mention = (adds: unknown) => ({ type: "found", asked: 3, mentions: [{ name: "a", about: "file", adds }] });

  const DETAILS = {
    program: { name: "a", version: "1" },
    extensions: [
      { id: "a", name: "A", leftOut: "why" },
      {
        id: "b",
        name: "B",
        setup: { added: ["x"], removed: [], replaced: [], members: ["y"] },
        prompts: { count: 1, last: { added: 1, removed: 0, altered: 0, text: "t" } },
        time: { setup: 1, setupAnswer: 0, prompt: 1.5, lastPrompt: 2, answer: 0 },
      },
      {
        id: "c",
        name: "C",
        tools: [
          {
            server: "c",
            transport: "http",
            stage: "offered",
            offered: 3,
            connections: 0,
            listed: 0,
            calls: 0,
            listFailed: true,
          },
        ],
      },
    ],
    missingTools: "why",
  };
  /** Variants of the value with one member at any depth replaced by an invalid value. */
  const spoilt = (value: unknown): readonly unknown[] =>
    typeof value !== "object" || value === null
      ? [{ warnings: [] }]
      : [
          ...(Array.isArray(value) ? [7] : ["odd"]),
          ...Object.entries(value).flatMap(([key, inner]) =>
            spoilt(inner).map(odd => (Array.isArray(value) ? value.with(Number(key), odd) : { ...value, [key]: odd })),
          ),
        ];

  test("accepts session details and rejects similar ones", () => {
    const told = (details: unknown) => [
      event({ type: "details", details }),
      { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, details } },
    ];
    for (const message of [
      ...told(DETAILS),
      ...told({ extensions: [] }),
      ...told({ program: {}, extensions: [{ id: "a", name: "A" }] }),
    ])
      ok(isHostToPage(message), JSON.stringify(message));
    for (const details of spoilt(DETAILS))
      for (const message of told(details)) ok(!isHostToPage(message), JSON.stringify(message));
  });

  test("accepts attachments, queues and mentions", () => {
    const good = [
      ...attaching(ATTACHMENTS),
      { type: "attach", tabId: "t", attachments: [] },
      event({ type: "queue", queue }),
      event({ type: "accepts", accepts: { images: false } }),
      {
        type: "snapshot",
        tabId: "t",
        bootId: "b",
        seq: 0,
        conversation: { ...conversation, queue, accepts: { images: true } },
      },
      { type: "found", asked: 0, mentions: [] },
      ...ATTACHMENTS.map(attachment => mention({ kind: "attachment", attachment })),
      ...["selection", "problems", "terminal"].map(kind => mention({ kind: "want", want: { kind } })),
      mention({ kind: "want", want: { kind: "dropped", uris: ["file:///a"] } }),
    ];
    for (const message of good) ok(isHostToPage(message), JSON.stringify(message));
  });

  test("rejects invalid attachments, queues and mentions", () => {
    const bad = [
      ...ATTACHMENTS.flatMap(attachment =>
        Object.keys(attachment)
          .filter(key => !(attachment.kind === "selection" && key === "path"))
          .flatMap(key => attaching([{ ...attachment, [key]: {} }])),
      ),
      ...attaching([{ kind: "hologram" }]),
      ...attaching({}),
      ...[{ prompts: [{ text: "t" }], held: true }, { prompts: [] }, { prompts: {}, held: false }].flatMap(queue => [
        event({ type: "queue", queue }),
        { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, queue } },
      ]),
      event({ type: "accepts", accepts: {} }),
      { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, accepts: { images: 1 } } },
      { type: "attach" },
      { type: "attach", tabId: 3, attachments: [] },
      { type: "found", mentions: [] },
      { type: "found", asked: 1, mentions: [{ name: "a" }] },
      mention({ kind: "attachment", attachment: {} }),
      mention({ kind: "want", want: {} }),
      mention({ kind: "want", want: { kind: "dropped" } }),
      mention({ kind: "wish" }),
      mention(undefined),
    ];
    for (const message of bad) ok(!isHostToPage(message), JSON.stringify(message));
  });

  test("accepts every valid message", () => {
    for (const message of good) ok(isHostToPage(message), JSON.stringify(message));
  });

  test("rejects every invalid message", () => {
    const bad = [
      undefined,
      "askAgain",
      { type: "toString" },
      { type: "hologram" },
      { type: "failed", tabId: "t" },
      { type: "event", tabId: "t", bootId: "b", seq: 1.5, event: { type: "title", title: "x" } },
      {
        type: "event",
        tabId: "t",
        bootId: "b",
        seq: 1,
        event: { type: "upsert", entry: { kind: "__proto__", id: "p" } },
      },
      {
        type: "snapshot",
        tabId: "t",
        bootId: "b",
        seq: 0,
        conversation: { ...conversation, entries: [{ kind: "agent", id: "a" }] },
      },
      { type: "state", agents: [], currentAgentId: "e", tabs: [], sidecar: { state: "restarting" } },
      { type: "state", agents: [], currentAgentId: "e", tabs: [], sidecar: { state: "running" }, outdated: [1] },
      ...[["t"], [{ tabId: "t" }], [{ by: ["agent"] }], [{ tabId: "t", by: ["nobody"] }], {}].map(bypassed => ({
        type: "state",
        agents: [],
        currentAgentId: "e",
        tabs: [],
        sidecar: { state: "running" },
        bypassed,
      })),
      { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, controls: undefined } },
      {
        type: "snapshot",
        tabId: "t",
        bootId: "b",
        seq: 0,
        conversation: { ...conversation, usage: { used: "1", size: 2 } },
      },
      { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, terminals: [{}] } },
      ...[
        { type: "usage", usage: { used: 1 } },
        { type: "terminal", terminal: { ...TERMINAL, output: undefined } },
        { type: "terminal", terminal: { ...TERMINAL, exit: { code: "0" } } },
        { type: "terminalOutput", terminalId: "t", text: "x" },
        { type: "usage", usage: { used: 1, size: 2, cost: { amount: 1 } } },
        { type: "commands", commands: [{ name: "a" }] },
        ...[
          { ...CONTROLS[0], value: "on" },
          { ...CONTROLS[1], groups: [{ choices: [{ value: 1, name: "A" }] }] },
          { ...CONTROLS[1], value: true },
          { ...CONTROLS[1], kind: "dial" },
        ].map(control => ({ type: "controls", controls: [control] })),
        ...[
          { mode: "url", url: "https://example.org" },
          { mode: "dance" },
          { mode: "form", fields: {} },
          ...FIELDS.flatMap(field => [
            { ...field, initial: {} },
            { ...field, options: [{}], required: 1 },
            { ...field, type: "color" },
          ]).map(field => ({ mode: "form", fields: [field] })),
        ].map(ask => ({ type: "upsert", entry: { kind: "elicitation", id: "l", agent: "E", message: "?", ask } })),
        ...[
          { kind: "image", mimeType: "image/png" },
          { kind: "audio", mimeType: "a", bytes: "3" },
          { kind: "resource", uri: "u", text: 3 },
          { kind: "smell" },
          undefined,
        ].map(content => ({ type: "upsert", entry: { kind: "media", id: "m", content } })),
        { type: "upsert", entry: { kind: "compaction", id: "c", compactionId: "1", text: "short" } },
        { type: "upsert", entry: { kind: "notice", id: "n", severity: "info", text: "t", detail: {}, actions: [] } },
        { type: "upsert", entry: { kind: "thought", id: "h", text: "hm", ms: "12" } },
      ].map(event => ({ type: "event", tabId: "t", bootId: "b", seq: 1, event })),
    ];
    for (const message of bad) ok(!isHostToPage(message), JSON.stringify(message));
  });
});
