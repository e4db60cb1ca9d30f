import { deepEqual, equal } from "node:assert/strict";
import type { Attachment } from "../../../src/protocol/chat/attachments";
import { isWhole, weightOf } from "../../state/attachment-sizes";
import { chipView } from "./chip";

const EACH: readonly Attachment[] = [
  { kind: "file", path: "/w/src/a b#1.ts" },
  { kind: "folder", path: "/w/src" },
  { kind: "symbol", name: "count", path: "/w/c.ts", startLine: 3, endLine: 9 },
  { kind: "selection", name: "a.ts", path: "/w/a.ts", startLine: 7, endLine: 7, text: "let a" },
  { kind: "selection", name: "Untitled-1", startLine: 1, endLine: 2, text: "x" },
  { kind: "problems", count: 2, text: "a.ts:1 no\nb.ts:2 no" },
  { kind: "terminal", name: "zsh", text: "$ ls" },
  { kind: "image", name: "cat.png", mimeType: "image/png", data: "AAAA" },
];

suite("chip", () => {
  test("shows its name and links to its file", () =>
    deepEqual(
      EACH.map(chipView).map(({ name, address }) => [name, address]),
      [
        ["a b#1.ts", "file:///w/src/a%20b%231.ts"],
        ["src/", undefined],
        ["count", "file:///w/c.ts#L3"],
        ["a.ts:7", "file:///w/a.ts#L7"],
        ["Untitled-1:1-2", undefined],
        ["2 problems", undefined],
        ["Terminal zsh", undefined],
        ["cat.png", undefined],
      ],
    ));

  test("shows details as a tooltip, truncated", () => {
    deepEqual(
      EACH.map(attachment => chipView(attachment).about),
      [
        "/w/src/a b#1.ts",
        "/w/src",
        "/w/c.ts:3-9",
        "/w/a.ts:7",
        "Untitled-1:1-2",
        "a.ts:1 no\nb.ts:2 no",
        "$ ls",
        "cat.png",
      ],
    );
    equal(chipView({ kind: "terminal", name: "zsh", text: "y".repeat(5_000) }).about.length, 1_001);
  });

  test("escapes misleading names", () =>
    equal(chipView({ kind: "file", path: "/w/a\u202egnp.exe" }).name.includes("\u202e"), false));

  test("reports the size of its content, and whether it is missing", () => {
    deepEqual(EACH.map(weightOf), [0, 0, 0, 5, 1, 19, 4, 4]);
    deepEqual(
      EACH.map(isWhole),
      EACH.map(() => true),
    );
    const emptied = EACH.map(attachment => ({
      ...attachment,
      ...("text" in attachment ? { text: "" } : {}),
      ...("data" in attachment ? { data: "" } : {}),
    }));
    deepEqual(emptied.map(isWhole), [true, true, true, false, false, false, false, false]);
  });
});
