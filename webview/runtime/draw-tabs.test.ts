import { deepEqual } from "node:assert/strict";
import { drawTabs } from "./draw-tabs";

suite("draw tabs", () => {
  test("each tab is drawn once, and none is left", () => {
    const wanted = new Set(["a", "b"]);
    const drawn: string[] = [];
    drawTabs(
      wanted,
      tabId => drawn.push(tabId),
      () => drawn.push("failed"),
    );
    deepEqual([drawn, wanted.size], [["a", "b"], 0]);
  });

  test("a tab that cannot be drawn is told, not tried for ever, and takes no other with it", () => {
    const wanted = new Set(["a", "b", "c"]);
    const drawn: string[] = [];
    const failed: unknown[] = [];
    const why = new Error("no");
    drawTabs(
      wanted,
      tabId => {
        if (tabId === "b") throw why;
        drawn.push(tabId);
      },
      (tabId, error) => failed.push([tabId, error]),
    );
    deepEqual([drawn, failed, wanted.size], [["a", "c"], [["b", why]], 0]);
  });

  test("what is wanted while it is drawn is for the next time", () => {
    const wanted = new Set(["a"]);
    drawTabs(
      wanted,
      () => wanted.add("a"),
      () => undefined,
    );
    deepEqual([...wanted], ["a"]);
  });
});
