import { deepEqual } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { FolderGrowth } from "./folder-growth";

suite("folder growth", () => {
  test("reports the size once a second until its disposal, less often if that takes long", async () => {
    const clock = new FakeClock(),
      reports: number[] = [];
    const growth = new FolderGrowth(
      clock,
      async () => {
        clock.advance(500);
        return reports.length + 1;
      },
      bytes => reports.push(bytes),
    );
    const after = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await new Promise(setImmediate);
      return reports.length;
    };
    deepEqual([await after(999), await after(1), await after(4_000), await after(500)], [0, 1, 1, 2]);
    growth[Symbol.dispose]();
    deepEqual([await after(60_000), reports], [2, [1, 2]]);
  });

  test("skips a size that cannot be measured", async () => {
    const clock = new FakeClock(),
      reports: number[] = [];
    let times = 0;
    using _ = new FolderGrowth(
      clock,
      () => (times++ === 0 ? Promise.reject(new Error("no folder")) : Promise.resolve(7)),
      bytes => reports.push(bytes),
    );
    for (let i = 0; i < 2; i++) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
    deepEqual(reports, [7]);
  });
});
