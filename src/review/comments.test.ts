import { deepEqual, equal } from "node:assert/strict";
import { attachmentOf, promptLineOf, type ReviewComment } from "./comments";

const COMMENT: ReviewComment = {
  file: "/w/src/a.ts",
  side: "current",
  lines: { start: 2, end: 4 },
  code: "x\ny\n",
  text: " Why? ",
};

suite("comments on a review", () => {
  test("become a line of the prompt, with the code as an attachment", () => {
    equal(promptLineOf(COMMENT, "src/a.ts"), "src/a.ts:3-4: Why?");
    deepEqual(attachmentOf(COMMENT), {
      kind: "selection",
      name: "a.ts",
      path: "/w/src/a.ts",
      startLine: 3,
      endLine: 4,
      text: "x\ny\n",
    });
  });

  test("on the reviewed content name no place in the file", () =>
    deepEqual(attachmentOf({ ...COMMENT, side: "reviewed", lines: { start: 0, end: 1 } }), {
      kind: "selection",
      name: "a.ts (before the changes)",
      startLine: 1,
      endLine: 1,
      text: "x\ny\n",
    }));
});
