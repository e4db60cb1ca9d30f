import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { hunksOf, lineEdits, linesOf } from "../../src/protocol/review/line-edits";
import {
  beforeTurn,
  changed,
  changeOf,
  isReviewed,
  acceptAll,
  acceptHunks,
  acceptTurns,
  unchanged,
  withoutHunks,
  withoutTurns,
  type FileReview,
  type HunkRange,
} from "./file-review";
import { isSame, type FileContent } from "./file-version";

const file = (bytes: string): FileContent => ({ mode: "100644", bytes }),
  bytesOf = (content: FileContent | "invalid"): string | undefined =>
    content === "invalid" ? content : content?.bytes;
const all = (): boolean => true;

/** The hunks of a review, as an editor shows them. */
const unreviewed = ({ reviewed, last }: FileReview): readonly HunkRange[] =>
  hunksOf(lineEdits(reviewed?.bytes ?? "", last?.bytes ?? ""));

/** A story of edits by the agent and the user. Each edit writes a line that occurs only once. */
type Edit = { readonly by: "agent" | "user"; readonly kind: "replace" | "insert" | "delete"; readonly at: number };
const edit: fc.Arbitrary<Edit> = fc.record({
  by: fc.constantFrom("agent", "user"),
  kind: fc.constantFrom("replace", "insert", "delete"),
  at: fc.nat(30),
});
const START = Array.from({ length: 10 }, (_, i) => `start ${i}\n`).join("");

function editedBy({ by, kind, at }: Edit, n: number, bytes: string): string {
  const lines = [...linesOf(bytes)],
    place = at % (lines.length + 1),
    line = `${by} ${n}\n`;
  if (kind === "insert") lines.splice(place, 0, line);
  else if (place < lines.length) lines.splice(place, 1, ...(kind === "delete" ? [] : [line]));
  return lines.join("");
}

/** The turn of an edit: three edits each. */
const turnAt = (n: number): number => Math.floor(n / 3);
const reviewOf = (edits: readonly Edit[]): FileReview =>
  edits.reduce(
    (review, each, n) =>
      changed(review, file(editedBy(each, n, review.last?.bytes ?? "")), each.by === "agent" ? turnAt(n) : "user"),
    unchanged(file(START)),
  );
const stories = fc.array(edit, { maxLength: 15 });
/** Whether the user has written the line and not removed it. */
function isLeftByUser(edits: readonly Edit[], line: string): boolean {
  let bytes = START,
    isLeft = false;
  edits.forEach((each, n) => {
    const next = editedBy(each, n, bytes);
    if (each.by === "user") {
      if (next.includes(line)) isLeft = true;
      else if (bytes.includes(line)) isLeft = false;
    }
    bytes = next;
  });
  return isLeft;
}

/** Edits of different lines that no others follow directly. */
const separateEdits = fc.uniqueArray(
  edit.map(each => ({ ...each, at: each.at % 10 })),
  { maxLength: 10, selector: each => each.at },
);
const SEPARATE = Array.from({ length: 10 }, (_, i) => `line ${i}\nseparator ${i}\n`);
/** The content after these edits. */
const replayed = (edits: readonly Edit[]): string =>
  SEPARATE.map((lines, i) => edits.filter(each => each.at === i).reduce(separately, lines)).join("");
function separately(lines: string, { by, kind, at }: Edit): string {
  const line = `${by} ${at}\n`;
  return kind === "insert" ? line + lines : lines.replace(`line ${at}\n`, kind === "delete" ? "" : line);
}
/** Number of the line at which an edit of the agent begins in a content without it. */
const placeOf = (content: FileContent, at: number): number => linesOf(content?.bytes ?? "").indexOf(`line ${at}\n`);
const separateReviewOf = (edits: readonly Edit[]): FileReview =>
  edits.reduce(
    (review, each, n) =>
      changed(review, file(replayed(edits.slice(0, n + 1))), each.by === "agent" ? turnAt(n) : "user"),
    unchanged(file(replayed([]))),
  );
const linesBy = (by: string, content: FileContent): readonly string[] =>
  linesOf(content?.bytes ?? "").filter(line => line.startsWith(by));

suite("review of a file", () => {
  test("shows the agent's changes without those of the user before, between and after them", () => {
    let review = unchanged(file("1\n2\n3\n4\n5\n6\n"));
    review = changed(review, file("1 user\n2\n3\n4\n5\n6\n"), "user");
    review = changed(review, file("1 user\n2\n3 agent\n4\n5\n6\n"), 0);
    review = changed(review, file("1 user\n2\n3 agent\n4\n5 user\n6\n"), "user");
    equal(bytesOf(review.reviewed), "1 user\n2\n3\n4\n5 user\n6\n");
    deepEqual(unreviewed(review), [{ reviewed: { start: 2, end: 3 }, current: { start: 2, end: 3 } }]);
    deepEqual(withoutTurns(review, all), { kind: "merged", content: file("1 user\n2\n3\n4\n5 user\n6\n") });
  });

  test("undoes a line of the agent beside one that the user inserted and the agent replaced", () => {
    let review = changed(unchanged(file("1\n2\n")), file("1 agent\n2\n"), 0);
    review = changed(review, file("user\n1 agent\n2\n"), "user");
    review = changed(review, file("more\n1 agent\n2\n"), 0);
    deepEqual(withoutTurns(review, all), { kind: "merged", content: file("user\n1\n2\n") });
  });

  test("counts lines of the agent that the user changed as the user's", () => {
    let review = changed(unchanged(file("1\n2\n")), file("1\n2 agent\n"), 0);
    review = changed(review, file("1\n2 user\n"), "user");
    ok(isReviewed(review));
    deepEqual(withoutTurns(review, all), { kind: "conflict", why: "lines" });
    equal(bytesOf(beforeTurn(review, 0)), "1\n2 user\n", "a rewind keeps them");
  });

  test("never shows a line of the user as unreviewed, and restores with an undo what only the agent has removed", () => {
    fc.assert(
      fc.property(stories, edits => {
        const review = reviewOf(edits),
          last = linesOf(review.last?.bytes ?? "");
        for (const { current } of unreviewed(review))
          for (const line of last.slice(current.start, current.end)) ok(!line.startsWith("user"), line);
        equal(bytesOf(withoutHunks(review, unreviewed(review))), bytesOf(review.reviewed));
        for (const without of [review.reviewed, beforeTurn(review, 0)]) {
          const lines = linesBy("user", without);
          for (const line of linesBy("user", review.last)) ok(lines.includes(line), line);
          for (const line of lines) ok(isLeftByUser(edits, line), line);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps or undoes any set of hunks, turns or everything, as if the others had been the only changes", () => {
    fc.assert(
      fc.property(separateEdits, fc.func(fc.boolean()), (edits, choose) => {
        const review = separateReviewOf(edits),
          chosen = new Set(edits.filter(each => each.by === "agent" && choose(each.at) === true)),
          others = edits.filter(each => !chosen.has(each));
        const hunks = unreviewed(review).filter(({ reviewed }) =>
          [...chosen].some(({ at }) => reviewed.start === placeOf(review.reviewed, at)),
        );
        equal(bytesOf(withoutHunks(review, hunks)), replayed(others), "undo of hunks");
        const keeping = acceptHunks(review, hunks);
        equal(
          bytesOf(keeping?.reviewed),
          replayed(edits.filter(each => each.by === "user" || chosen.has(each))),
          "keep",
        );
        equal(
          keeping && bytesOf(withoutHunks(keeping, unreviewed(keeping))),
          replayed([...edits].filter(each => each.by === "user" || chosen.has(each))),
        );
        const turns = (turn: number): boolean => choose(turn) === true,
          isOf = (each: Edit): boolean => each.by === "agent" && turns(turnAt(edits.indexOf(each)));
        deepEqual(withoutTurns(review, turns), {
          kind: "merged",
          content: file(replayed(edits.filter(each => !isOf(each)))),
        });
        equal(
          bytesOf(acceptTurns(review, turns)?.reviewed),
          replayed(edits.filter(each => each.by === "user" || isOf(each))),
        );
        for (const turn of [0, 1, 2])
          equal(
            bytesOf(beforeTurn(review, turn)),
            replayed(edits.filter((each, n) => each.by === "user" || turnAt(n) < turn)),
            "rewind",
          );
      }),
      { numRuns: 2_000 },
    );
  });

  test("undoes a turn without removing lines of other turns and of the user, or reports that they overlap", () => {
    fc.assert(
      fc.property(stories, fc.nat(4), (edits, turn) => {
        const review = reviewOf(edits),
          undone = withoutTurns(review, each => each === turn);
        if (undone.kind === "conflict") return;
        const lines = linesOf(undone.content?.bytes ?? ""),
          before = linesOf(review.last?.bytes ?? "");
        edits.forEach((each, n) => {
          const line = `${each.by} ${n}\n`;
          if (each.by === "agent" && turnAt(n) === turn) ok(!lines.includes(line), line);
          else if (before.includes(line)) ok(lines.includes(line), line);
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps a turn, so that only the changes of the others are unreviewed", () => {
    let review = changed(unchanged(file("1\n2\n3\n4\n5\n")), file("one\n2\n3\n4\n5\n"), 0);
    review = changed(review, file("one\n2\n3\n4\nfive\n"), 1);
    const keeping = acceptTurns(review, turn => turn === 0);
    equal(bytesOf(keeping?.reviewed), "one\n2\n3\n4\n5\n");
    ok(keeping && isReviewed(acceptTurns(keeping, turn => turn === 1) ?? review));
    ok(isReviewed(acceptAll(review)));
    deepEqual(
      changeOf(review, turn => turn === 7),
      undefined,
    );
  });

  test("restores created, deleted, binary and executable files, and links, with their bytes", () => {
    const binary = { mode: "100644", bytes: "\x89PNG\0\xff" } as const,
      script = { mode: "100755", bytes: "#!/bin/sh\n" } as const,
      link = { mode: "120000", bytes: "target" } as const;
    for (const before of [undefined, binary, script, link])
      for (const after of [undefined, file("text\n"), binary, script, link]) {
        if (isSame(before, after)) continue;
        const review = changed(unchanged(before), after, 0);
        deepEqual(withoutTurns(review, all), { kind: "merged", content: before });
        deepEqual(beforeTurn(review, 0), before);
      }
    const both = changed(
      changed(unchanged(binary), { ...binary, bytes: "\0agent" }, 0),
      {
        ...binary,
        bytes: "\0user",
      },
      "user",
    );
    deepEqual(withoutTurns(both, all), { kind: "conflict", why: "bytes" });
    const touched = changed(
      changed(unchanged(script), { ...script, mode: "100644" }, 0),
      file("#!/bin/sh\nls\n"),
      "user",
    );
    deepEqual(withoutTurns(touched, all), { kind: "merged", content: { mode: "100755", bytes: "#!/bin/sh\nls\n" } });
    const created = changed(changed(unchanged(undefined), file("new\n"), 0), file("new\nmine\n"), "user");
    deepEqual(withoutTurns(created, all), { kind: "conflict", why: "type" });
  });

  test("handles hunks at a last line without a line feed as editors count them", () => {
    const grown = changed(unchanged(file("x")), file("x\ny"), 0),
      hunk = { reviewed: { start: 1, end: 1 }, current: { start: 1, end: 2 } };
    equal(bytesOf(withoutHunks(grown, [hunk])), "x");
    equal(bytesOf(acceptHunks(grown, [hunk])?.reviewed), "x\ny");
    const ended = changed(unchanged(file("x")), file("x\n"), 0),
      newLine = { reviewed: { start: 1, end: 1 }, current: { start: 1, end: 2 } };
    equal(bytesOf(withoutHunks(ended, [newLine])), "x");
    equal(bytesOf(acceptHunks(ended, [newLine])?.reviewed), "x\n");
  });

  test("deletes a new file whose only hunk is undone, and restores a deleted one", () => {
    const created = changed(unchanged(undefined), file("1\n"), 0),
      deleted = changed(unchanged(file("1\n")), undefined, 0);
    equal(withoutHunks(created, unreviewed(created)), undefined);
    deepEqual(withoutHunks(deleted, unreviewed(deleted)), file("1\n"));
  });

  test("refuses hunks that are not in the file, or overlap", () => {
    const review = changed(unchanged(file("1\n2\n")), file("one\n2\n"), 0),
      at = (start: number, end: number) => ({ reviewed: { start, end }, current: { start, end } });
    equal(withoutHunks(review, [at(5, 9)]), "invalid");
    equal(withoutHunks(review, [at(1, 0)]), "invalid");
    equal(acceptHunks(review, [at(0, 2), at(1, 2)]), undefined);
    equal(acceptHunks(review, [at(0.5, 1)]), undefined);
    const grown = changed(review, file("0\none\n2\n"), 0);
    equal(withoutHunks(grown, [at(0, 1)]), "invalid", "a hunk before the file has grown");
    equal(acceptHunks(grown, [at(0, 1)]), undefined);
  });
});
