import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Diff } from "../../src/protocol/chat/diff-places";
import { PlaceFinder, textIn } from "./place-finder";

const diff = (oldText: string, newText: string): Diff => ({ kind: "diff", path: "/w/a", oldText, newText });

const failed = (error: unknown): never => {
  throw error;
};

/** The new texts of the diffs that have a place, with its line. */
async function linesIn(text: string | undefined, ...diffs: readonly Diff[]): Promise<readonly string[]> {
  const lines: string[] = [],
    finder = new PlaceFinder(
      async () => text,
      found => lines.push(...found.diffs.map(({ newText, line }) => `${newText} ${line}`)),
      failed,
    );
  await finder.find({ within: [], entryId: "e", diffs });
  return lines;
}

suite("places of excerpts in files", () => {
  test("are found before and after the change", async () => {
    deepEqual(await linesIn("one\ntwo\nthree", diff("two", "2")), ["2 2"]);
    deepEqual(await linesIn("one\r\n2\r\nthree", diff("two", "2")), ["2 2"]);
  });

  test("are not reported for a missing file, a missing text or several places", async () => {
    deepEqual(await linesIn(undefined, diff("two", "2")), []);
    deepEqual(await linesIn("one", diff("two", "2")), []);
    deepEqual(await linesIn("two\ntwo", diff("two", "2"), diff("two\ntwo", "2\n2")), ["2\n2 1"]);
  });

  test("follow the earlier changes of the same call", async () => {
    const edits = [diff("one", "1\n1b"), diff("three", "3")];
    deepEqual(await linesIn("one\ntwo\nthree", ...edits), ["1\n1b 1", "3 4"]);
    deepEqual(await linesIn("1\n1b\ntwo\n3", ...edits), ["1\n1b 1", "3 4"]);
  });

  test("are searched only for the newest diffs of an entry", async () => {
    const found: string[] = [];
    const finder = new PlaceFinder(
      async () => "one\ntwo",
      ({ entryId, diffs }) => found.push(`${entryId} ${diffs[0]?.newText}`),
      failed,
    );
    const search = (entryId: string, newText: string) =>
      finder.find({ within: [], entryId, diffs: [diff("two", newText)] });
    await Promise.all([search("a", "1"), search("b", "2"), search("a", "3")]);
    deepEqual(found, ["a 3", "b 2"]);
  });

  test("are searched after a search that failed", async () => {
    const results: string[] = [];
    const finder = new PlaceFinder(
      async file => {
        if (file === "/w/broken") throw new Error("It cannot be read.");
        return "one\ntwo";
      },
      ({ entryId }) => {
        if (entryId === "b") throw new Error("It cannot be shown.");
        results.push(`found ${entryId}`);
      },
      error => results.push(String(error)),
    );
    const search = (entryId: string, file = "/w/a") =>
      finder.find({ within: [], entryId, diffs: [{ ...diff("two", "2"), path: file }] });
    await Promise.all([search("a", "/w/broken"), search("b"), search("c")]);
    deepEqual(results, ["Error: It cannot be read.", "Error: It cannot be shown.", "found c"]);
  });

  test("are searched in the editor's text of regular files of the workspace only", async () => {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), "places-")));
    try {
      const folder = path.join(base, "w"),
        opened: string[] = [],
        read = textIn([folder], {
          readTextFile: async file => {
            opened.push(file);
            return file.endsWith("refused") ? Promise.reject(new Error("binary")) : "unsaved text";
          },
        });
      mkdirSync(folder);
      writeFileSync(path.join(folder, "a"), "text");
      writeFileSync(path.join(folder, "refused"), "text");
      writeFileSync(path.join(folder, "large"), "x".repeat(2 * 1024 * 1024 + 1));
      writeFileSync(path.join(base, "outside"), "text");
      symlinkSync(path.join(base, "outside"), path.join(folder, "link"));
      equal(await read(path.join(folder, "a")), "unsaved text");
      for (const other of ["link", "missing", "../outside", ".", "a\0", "large", "refused"])
        equal(await read(path.join(folder, other)), undefined, other);
      deepEqual(opened, [path.join(folder, "a"), path.join(folder, "refused")]);
    } finally {
      rmSync(base, { recursive: true });
    }
  });
});
