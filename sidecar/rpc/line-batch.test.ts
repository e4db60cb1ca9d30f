import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { LineBatch } from "./line-batch";

const batchOf = (pieces: readonly Buffer[]): LineBatch => {
  const batch = new LineBatch();
  for (const piece of pieces) batch.add(piece);
  return batch;
};

suite("LineBatch", () => {
  test("merges adjacent buffers without a copy", () => {
    const chunk = Buffer.from("first\nsecond\nthird\n"),
      buffer = Buffer.from("other\n");
    const [piece, ...more] = batchOf([chunk.subarray(0, 6), chunk.subarray(6, 13), chunk.subarray(13)]).take();
    deepEqual(
      [piece?.buffer === chunk.buffer, piece?.byteOffset, String(piece), more],
      [true, chunk.byteOffset, String(chunk), []],
    );
    equal(
      batchOf([chunk.subarray(0, 6), buffer, chunk.subarray(6)])
        .take()
        .join(""),
      "first\nother\nsecond\nthird\n",
    );
  });

  test("copies small pieces into one and keeps large ones", () => {
    const large = Buffer.alloc(100_000, "x"),
      small = Buffer.from("small\n");
    equal(batchOf(Array.from({ length: 100 }, () => small)).take().length, 1);
    deepEqual(
      batchOf([small, large, small])
        .take()
        .map(piece => piece.buffer === large.buffer),
      [false, true, false],
    );
  });

  test("returns all added bytes once, in order", () => {
    const memory = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const piece = fc.tuple(fc.nat(256), fc.nat(256)).map(([a, b]) => memory.subarray(Math.min(a, b), Math.max(a, b)));
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (first, second) => {
        const batch = batchOf(first);
        equal(batch.bytes, Buffer.concat(first).length);
        deepEqual(Buffer.concat(batch.take()), Buffer.concat(first));
        for (const each of second) batch.add(each);
        deepEqual(Buffer.concat(batch.take()), Buffer.concat(second));
        deepEqual([batch.bytes, batch.take()], [0, []]);
      }),
    );
  });
});
