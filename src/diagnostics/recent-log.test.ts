import { deepEqual, equal } from "node:assert/strict";
import { MAX_LINES, RecentLog } from "./recent-log";

suite("recent log", () => {
  test("keeps the newest lines in their order", () => {
    const recent = new RecentLog();
    for (let i = 1; i <= MAX_LINES + 3; i++) recent.appendLine(`line ${i}`);
    equal(recent.lines.length, MAX_LINES);
    deepEqual([recent.lines[0], recent.lines.at(-1)], ["line 4", `line ${MAX_LINES + 3}`]);
  });

  test("shortens long lines", () => {
    const recent = new RecentLog();
    recent.appendLine("x".repeat(5_000));
    deepEqual(recent.lines, [`${"x".repeat(2_000)}… (5000 characters)`]);
  });
});
