import { deepEqual } from "node:assert/strict";
import { noDrafts } from "./drafts";
import { emptyPage, restored, type SavedPage } from "./saved-page";

suite("saved page", () => {
  const attachments = [{ kind: "image", name: "i", mimeType: "image/png", data: "AA" }] as const;
  const prompt = { messageId: "m", text: "t", attachments };
  const whole: SavedPage["tabs"][number] = {
    tabId: "t",
    agent: { id: "e", name: "E" },
    cwd: "/",
    title: "",
    drafts: { text: "half", attachments, onTheWay: [prompt], takenBack: [prompt] },
  };
  const read = (tab: unknown) =>
    restored(JSON.parse(JSON.stringify({ version: 1, asked: 3, selected: "t", tabs: [tab] }))).tabs;

  test("restores drafts with attachments: typed, sent and withdrawn", () => deepEqual(read(whole), [whole]));

  test("drops the conversations that earlier versions saved", () => {
    const saved = { ...whole, bootId: "b", entries: [{ kind: "user", id: "u", text: "hi" }], queue: [prompt] };
    deepEqual(read(saved), [whole]);
  });

  test("restores a page saved without attachments", () => {
    deepEqual(read({ ...whole, drafts: { text: "half", onTheWay: [{ messageId: "m", text: "t" }] } }), [
      { ...whole, drafts: { ...noDrafts, text: "half", onTheWay: [{ messageId: "m", text: "t" }] } },
    ]);
  });

  test("drops only the tab of invalid drafts", () => {
    for (const drafts of [{ attachments: [{ kind: "image", name: "i" }] }, { takenBack: [{}] }, { attachments: {} }])
      deepEqual(read({ ...whole, drafts: { ...whole.drafts, ...drafts } }), []);
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
      agent: { id: "e", name: "E" },
      cwd: "/",
      title: "",
      drafts: { ...noDrafts, text: "half" },
    };
    const page: SavedPage = { version: 1, asked: 3, selected: "t", tabs: [tab] };
    deepEqual(
      restored(
        JSON.parse(
          JSON.stringify({
            ...page,
            tabs: [{ ...tab, drafts: 3 }, { ...tab, agent: "e" }, tab],
          }),
        ),
      ),
      page,
    );
  });

  const ATTACHMENTS = [
    { kind: "file", path: "/a" },
    { kind: "folder", path: "/b" },
    { kind: "symbol", name: "f", path: "/a", startLine: 1, endLine: 2 },
    { kind: "selection", name: "a", path: "/a", startLine: 1, endLine: 2, text: "x" },
    { kind: "selection", name: "u", startLine: 1, endLine: 1, text: "x" },
    { kind: "problems", count: 1, text: "x" },
    { kind: "terminal", name: "zsh", text: "x" },
    { kind: "transcript", text: "x" },
    { kind: "image", name: "i", mimeType: "image/png", data: "AA" },
  ];

  test("restores attachments of every form, and rejects others", () => {
    const tab = (drafts: unknown) => ({ ...whole, drafts });
    const drafted = (all: unknown) => tab({ ...noDrafts, attachments: all }),
      sent = (all: unknown) => tab({ ...noDrafts, onTheWay: [{ messageId: "m", text: "t", attachments: all }] });
    const bad = [
      ...ATTACHMENTS.flatMap(attachment =>
        Object.keys(attachment)
          .filter(key => !(attachment.kind === "selection" && key === "path"))
          .map(key => [{ ...attachment, [key]: {} }]),
      ),
      [{ kind: "hologram" }],
      [{ kind: "__proto__" }],
      {},
    ];
    for (const each of [drafted, sent]) {
      deepEqual(read(each(ATTACHMENTS)), [each(ATTACHMENTS)]);
      for (const attachments of bad) deepEqual(read(each(attachments)), [], JSON.stringify(attachments));
    }
    deepEqual(read(tab({ ...noDrafts, onTheWay: [{ text: "t" }] })), []);
  });
});
