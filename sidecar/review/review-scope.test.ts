import { deepEqual, throws } from "node:assert/strict";
import { checkedScope } from "./review-scope";

const lines = { start: 0, end: 1 };

suite("scope of an operation", () => {
  test("is all of a review, a turn, files, or hunks", () => {
    for (const scope of [
      { id: "r" },
      { id: "r", turn: 2 },
      { id: "r", files: [{ root: "/w", path: "a.ts" }], hunks: [{ reviewed: lines, current: lines }] },
    ])
      deepEqual(checkedScope(scope), scope);
  });

  test("is refused in another form", () => {
    const files = [{ root: "/w", path: "a.ts" }];
    for (const hunks of [
      null,
      "all",
      [null],
      [{}],
      [{ reviewed: lines }],
      [{ reviewed: { start: -1 }, current: lines }],
    ])
      throws(() => checkedScope({ id: "r", files, hunks }), /could not be identified/);
    throws(() => checkedScope({ id: "r", files: [{ path: "a.ts" }] }), /could not be identified/);
    throws(() => checkedScope(undefined), /could not be identified/);
  });
});
