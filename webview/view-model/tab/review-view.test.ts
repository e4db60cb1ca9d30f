import { deepEqual, equal } from "node:assert/strict";
import type { Attachment } from "../../../src/protocol/chat/attachments";
import type { Entry } from "../../../src/protocol/chat/chat";
import { reviewView } from "./review-view";

const user = (id: string, text: string, attachments: readonly Attachment[] = []): Entry => ({
  kind: "user",
  id,
  text,
  attachments,
});
const turn = (entryId: string, files: number, added = 0, removed = 0) => ({ entryId, files, added, removed });

suite("review of changed files", () => {
  const textsOf = (parts: readonly { readonly text: string }[]) => parts.map(({ text }) => text).join(" ");

  test("shows the sums, and the changes of each prompt, the newest first", () => {
    const view = reviewView({
      review: { files: 3, added: 31, removed: 7, turns: [turn("u1", 1, 1), turn("gone", 1), turn("u2", 2, 30, 7)] },
      entries: [user("u1", "Fix\nthe parser"), user("u2", "", [{ kind: "file", path: "/w/a.ts" }])],
    });
    equal(view?.files, 3);
    equal(textsOf(view.parts), "3 files +31 −7");
    deepEqual(
      view.turns.map(({ entryId, title, parts }) => [entryId, title, textsOf(parts)]),
      [
        ["u2", "a.ts", "2 files +30 −7"],
        ["u1", "Fix the parser", "1 file +1"],
        ["gone", "An earlier prompt", "1 file"],
      ],
    );
  });

  test("does not repeat the sums for a single prompt", () => {
    const review = { files: 1, added: 1, removed: 0, turns: [turn("u1", 1, 1)] };
    deepEqual(reviewView({ review, entries: [user("u1", "Fix")] })?.turns, []);
  });

  test("is absent without unreviewed files", () => {
    equal(reviewView({ entries: [] }), undefined);
    equal(reviewView({ review: { files: 0, added: 0, removed: 0, turns: [] }, entries: [] }), undefined);
  });

  test("says without a file that changes may be missing", () => {
    const review = { files: 0, added: 0, removed: 0, isIncomplete: true, turns: [] } as const;
    equal(textsOf(reviewView({ review, entries: [] })?.parts ?? []), "Changes may be missing");
  });

  test("cuts a long prompt at a whole character", () => {
    const review = { files: 2, added: 0, removed: 0, turns: [turn("u1", 1), turn("u2", 1)] },
      view = reviewView({ review, entries: [user("u1", "😀".repeat(1_000)), user("u2", "x")] });
    equal(view?.turns[1]?.title, "😀".repeat(200));
  });
});
