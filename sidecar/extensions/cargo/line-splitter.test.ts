import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { Lines, plain } from "./line-splitter";

/** `chunks`: chunk sizes in bytes. */
function lines(
  bytes: Buffer,
  limit: number,
  sizes: readonly number[] = [],
): { readonly lines: string[]; readonly total: number } {
  const received: string[] = [],
    all = new Lines(limit, line => received.push(line));
  let at = 0;
  for (const size of sizes) all.push(bytes.subarray(at, (at += size)));
  all.push(bytes.subarray(at));
  all.end();
  return { lines: received, total: all.total };
}

suite("Lines", () => {
  test("treats a newline as an end and keeps empty lines", () => {
    deepEqual(lines(Buffer.from("a\n\nb"), 100).lines, ["a", "", "b"]);
    deepEqual(lines(Buffer.from("a\n"), 100).lines, ["a"]);
    deepEqual(lines(Buffer.from(""), 100).lines, []);
  });

  test("splits a long line at the limit", () => {
    deepEqual(lines(Buffer.from("abcde\nfgh\nijklmno"), 3).lines, ["abc", "de", "fgh", "ijk", "lmn", "o"]);
  });

  test("returns the same lines for any chunks", () => {
    const texts = fc
      .array(fc.constantFrom("a", "é", "🦀", "\n", "\n\n", "line"), { maxLength: 40 })
      .map(parts => parts.join(""));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
        (text, limit, sizes) => {
          const bytes = Buffer.from(text),
            whole = lines(bytes, limit);
          deepEqual(lines(bytes, limit, sizes), whole);
          equal(whole.total, bytes.length);
          // a replaced partial character takes three bytes
          ok(whole.lines.every(line => Buffer.byteLength(line) <= 3 * limit));
          deepEqual(
            lines(bytes, 1000, sizes).lines,
            text.endsWith("\n") ? text.split("\n").slice(0, -1) : text === "" ? [] : text.split("\n"),
          );
        },
      ),
    );
  });
});

suite("line as a terminal shows it", () => {
  const shown: readonly [written: string, shown: string][] = [
    ["plain\ttext é", "plain\ttext é"],
    ["\x1b[1;32mgreen\x1b[0m", "green"],
    ["\x1b]0;title\x07bell\x07", "bell "],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["10%\r50%\r100%", "100%"],
    ["windows\r", "windows"],
    ["a\x00b\x85", "a b "],
    ["\x1bM", ""],
    ["\x1b[", ""],
  ];
  for (const [written, expected] of shown) test(JSON.stringify(written), () => equal(plain(written), expected));
});
