import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { LineSplitter, LineTooLong } from "./line-splitter";

function split(chunks: readonly Uint8Array[], maxLine = 1000): { lines: string[]; rest: string } {
  const splitter = new LineSplitter(maxLine),
    lines: string[] = [];
  for (const chunk of chunks) take(splitter, Buffer.from(chunk), lines);
  return { lines, rest: splitter.end().toString() };
}
/** All lines that a chunk completes, without their newlines. */
function take(splitter: LineSplitter, chunk: Buffer, lines: string[]): void {
  splitter.push(chunk);
  for (let line = splitter.next(); line; line = splitter.next()) lines.push(line.toString().replace(/\n$/, ""));
}
/** Splits bytes at the given positions, possibly within the bytes of one character. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

suite("LineSplitter", () => {
  test("splits only at \\n and removes one preceding \\r", () => {
    deepEqual(split([Buffer.from("a\nb\r\n\n\u2028\u2029\u0085\rc\r\r\n{half")]), {
      lines: ["a", "b", "", "\u2028\u2029\u0085\rc\r"],
      rest: "{half",
    });
  });

  test("returns the same lines for any chunks", () => {
    const text = fc.string({
      unit: fc.constantFrom("\n", "\r", "\r\n", "é", "😀", "\u2028", "a", '"', "long ".repeat(20)),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 40 }), (text, places) => {
        const bytes = Buffer.from(text),
          whole = split([bytes], 10_000);
        deepEqual(split(cut(bytes, places), 10_000), whole);
        deepEqual(
          split(
            [...bytes].map(byte => Uint8Array.of(byte)),
            10_000,
          ),
          whole,
        );
        equal([...whole.lines, whole.rest].length, text.split("\n").length);
      }),
      { numRuns: 500 },
    );
  });

  test("accepts exactly maxLine bytes, for any chunks, with and without a newline", () => {
    const ten = Buffer.from("0123456789");
    deepEqual(split([ten, Buffer.from("\n")], 10).lines, ["0123456789"]);
    deepEqual(split([Buffer.from("0123456789\nabc")], 10), { lines: ["0123456789"], rest: "abc" });
    for (const chunks of [
      ["0123456789a\n"],
      ["0123456789", "a"],
      ["01234", "56789a\n"],
      ["0123456789a"],
      [..."0123456789a"],
    ]) {
      throws(
        () =>
          split(
            chunks.map(chunk => Buffer.from(chunk)),
            10,
          ),
        LineTooLong,
      );
    }
  });

  test("returns earlier lines before it throws for a long one", () => {
    const splitter = new LineSplitter(3),
      lines: string[] = [];
    throws(() => take(splitter, Buffer.from("a\nbc\ntoo long"), lines), LineTooLong);
    deepEqual(lines, ["a", "bc"]);
  });

  test("buffers a long line of one-byte chunks in a single buffer", () => {
    const splitter = new LineSplitter(1 << 22),
      byte = Buffer.from("x");
    for (let i = 0; i < 1 << 20; i++) {
      splitter.push(byte);
      equal(splitter.next(), undefined);
    }
    equal(splitter.pending, 1 << 20);
    equal(splitter.end().length, 1 << 20);
  });
});
