import { deepEqual } from "node:assert/strict";
import { drawTabs } from "./draw-changed-tabs";

suite("drawTabs", () => {
  test("draws each tab once", () => {
    const wanted = new Set(["a", "b"]);
    const drawn: string[] = [];
    drawTabs(
      wanted,
      tabId => drawn.push(tabId),
      () => drawn.push("failed"),
    );
    deepEqual([drawn, wanted.size], [["a", "b"], 0]);
  });

  test("reports a tab that fails to draw and continues with the others", () => {
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

  test("draws a tab requested during its drawing next time", () => {
    const wanted = new Set(["a"]);
    drawTabs(
      wanted,
      () => wanted.add("a"),
      () => undefined,
    );
    deepEqual([...wanted], ["a"]);
  });
});
