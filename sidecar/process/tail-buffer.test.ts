import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { TailBuffer } from "./tail-buffer";

suite("TailBuffer", () => {
  test("returns the end of the data for any chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 40 }), (pieces, limit) => {
        const last = new TailBuffer(limit);
        for (const piece of pieces) last.push(Buffer.from(piece));
        equal(last.text(), Buffer.from(pieces.join("")).subarray(-limit).toString());
        equal(last.total, pieces.join("").length);
      }),
      { numRuns: 200 },
    );
  });
  test("begins with a whole character", () => {
    const last = new TailBuffer(4);
    last.push(Buffer.from("äöü"));
    equal(last.text(), "öü");
    last.push(Buffer.from("xyz"));
    equal(last.text(), "xyz");
  });
  test("stores nothing with a limit of 0", () => {
    const last = new TailBuffer(0),
      started = process.cpuUsage();
    for (let i = 0; i < 400; i++) last.push(Buffer.alloc(64 * 1024));
    const { user, system } = process.cpuUsage(started);
    ok(user + system < 2_000_000, "all that came is copied with each piece");
    ok(last.text() === "" && last.total === 400 * 64 * 1024);
  });
  test("stores at most twice its limit", () => {
    const last = new TailBuffer(1000);
    for (let i = 0; i < 10_000; i++) last.push(Buffer.alloc(100));
    ok(last.text().length === 1000 && last.total === 1_000_000);
  });
});
