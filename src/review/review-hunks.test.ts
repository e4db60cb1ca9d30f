import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { hunksOf, lineEdits } from "../protocol/review/line-edits";
import { changedHunks, hasLines, hunkOf, hunksAt, lineChanges, selectedHunks, type LineChange } from "./review-hunks";

const change = (from: number, to: number, start: number, end: number): LineChange => ({
  originalStartLineNumber: from,
  originalEndLineNumber: to,
  modifiedStartLineNumber: start,
  modifiedEndLineNumber: end,
});
const hunk = (from: number, to: number, start: number, end: number) => ({
  reviewed: { start: from, end: to },
  current: { start, end },
});
/** As VS Code describes a hunk. */
const asChange = ({ reviewed, current }: ReturnType<typeof hunk>): LineChange =>
  change(
    ...(reviewed.start === reviewed.end
      ? ([reviewed.start, 0] as const)
      : ([reviewed.start + 1, reviewed.end] as const)),
    ...(current.start === current.end ? ([current.start, 0] as const) : ([current.start + 1, current.end] as const)),
  );

suite("review hunks", () => {
  test("converts changes of the gutter", () => {
    deepEqual(hunkOf(change(2, 3, 2, 5)), hunk(1, 3, 1, 5));
    deepEqual(hunkOf(change(2, 0, 3, 4)), hunk(2, 2, 2, 4)); // inserted after line 2
    deepEqual(hunkOf(change(3, 4, 2, 0)), hunk(2, 4, 2, 2)); // deleted after line 2
    deepEqual(hunkOf(change(0, 0, 1, 1)), hunk(0, 0, 0, 1)); // inserted at the start
    deepEqual(hunkOf(change(1, 1, 1, 2)), hunk(0, 1, 0, 2)); // everything in an empty file
  });

  test("converts any change back and forth", () => {
    const line = fc.constantFrom("a", "b", "c", "");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 }), (before, after) => {
        for (const each of hunksOf(lineEdits(before.join("\n"), after.join("\n"))))
          deepEqual(hunkOf(asChange(each)), each);
      }),
    );
  });

  test("ignores line ends, as editors do", () => {
    deepEqual(changedHunks("a\r\nb\r\n", "a\nb\n"), []);
    deepEqual(changedHunks("a\rb", "a\nc"), [hunk(1, 2, 1, 2)]);
  });

  const REVIEWED = "1\n2\n3\n4\n5\n6\n",
    CURRENT = "1\nzwei\n3\n4\n5\n5b\n6\n",
    SECOND = hunk(1, 2, 1, 2),
    ADDED = hunk(5, 5, 5, 6);

  test("takes a change between both texts as it is, also one that ignores white space", () => {
    const changes = [change(2, 2, 2, 2), change(5, 0, 6, 6)];
    deepEqual(selectedHunks(changes, 1, REVIEWED, CURRENT), [ADDED]);
    deepEqual(selectedHunks([change(1, 4, 1, 4), change(5, 0, 6, 6)], 0, REVIEWED, CURRENT), [hunk(0, 4, 0, 4)]);
    deepEqual(selectedHunks(changes, 0, REVIEWED, CURRENT.replace("3\n", "  3\n")), [SECOND]);
  });

  test("finds the hunks at a change since the last commit by the lines of the file", () => {
    const sinceCommit = [change(1, 1, 1, 2), change(3, 0, 6, 6)];
    deepEqual(selectedHunks(sinceCommit, 0, REVIEWED, CURRENT), [SECOND]);
    deepEqual(selectedHunks(sinceCommit, 1, REVIEWED, CURRENT), [ADDED]);
    deepEqual(selectedHunks([change(3, 3, 4, 4)], 0, REVIEWED, CURRENT), []);
    deepEqual(selectedHunks(sinceCommit, 9, REVIEWED, CURRENT), []);
  });

  test("selects hunks that overlap with lines, otherwise those beside them", () => {
    const all = [hunk(0, 1, 0, 1), hunk(1, 1, 1, 2), hunk(4, 6, 5, 5)];
    const at = (start: number, end: number) => hunksAt(all, "current", { start, end });
    deepEqual(at(0, 1), [all[0]]);
    deepEqual(at(0, 3), [all[0], all[1]]);
    deepEqual(at(4, 5), [all[2]]);
    deepEqual(at(5, 6), [all[2]]);
    deepEqual(at(3, 4), []);
    deepEqual(hunksAt(all, "reviewed", { start: 4, end: 5 }), [all[2]]);
  });

  test("detects contents whose line feeds are not the lines of the editor", () => {
    const bytes = (text: string): Uint8Array => Buffer.from(text);
    equal(hasLines(bytes("a\r\nb\n"), 3), true);
    equal(hasLines(bytes(""), 1), true);
    equal(hasLines(bytes("a\rb\n"), 3), false);
    equal(hasLines(Buffer.from("a\nĊ", "utf16le"), 2), false);
  });

  test("accepts only changes with numbers as arguments", () => {
    deepEqual(lineChanges([change(1, 1, 1, 1), { originalStartLineNumber: 1 }, "x"]), [change(1, 1, 1, 1)]);
    deepEqual(lineChanges(undefined), []);
  });
});
