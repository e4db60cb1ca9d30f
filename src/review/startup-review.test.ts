import { deepEqual, equal } from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Log } from "../log";
import { StartupReview } from "./startup-review";

suite("review of an earlier window", () => {
  let base = "";
  setup(() => {
    base = mkdtempSync(path.join(tmpdir(), "review-"));
  });
  teardown(() => rmSync(base, { recursive: true }));

  /** The calls of a window with this storage. */
  function openWindow(folder: string | undefined, isTrusted = true) {
    const calls: string[] = [],
      warnings: string[] = [],
      log = new Log();
    log.onLog(({ message }) => warnings.push(message));
    const review = new StartupReview({
      ...{ folder, log },
      isTrusted: () => isTrusted,
      startSidecar: async () => {
        calls.push("start");
        throw new Error("It cannot be started.");
      },
    });
    return { review, calls, warnings };
  }

  test("starts the sidecar only in a trusted workspace with a recorded review", async () => {
    const folder = path.join(base, "storage"),
      first = openWindow(folder);
    await first.review.show();
    await first.review.remember(false);
    equal(existsSync(folder), false);
    await first.review.remember(true);
    const untrusted = openWindow(folder, false),
      next = openWindow(folder);
    await untrusted.review.show();
    await next.review.show();
    deepEqual([first.calls, untrusted.calls, next.calls], [[], [], ["start"]]);
    deepEqual(next.warnings, ["Could not show the review of an earlier window"]);
    void next.review.remember(true);
    await next.review.remember(false);
    const last = openWindow(folder);
    await last.review.show();
    deepEqual(last.calls, []);
  });

  test("is not remembered without a workspace, or if its storage cannot be written", async () => {
    const file = path.join(base, "file");
    writeFileSync(file, "");
    const windows = [openWindow(undefined), openWindow(file)];
    for (const { review } of windows) {
      await review.remember(true);
      await review.show();
    }
    deepEqual(
      windows.map(({ calls, warnings }) => [...calls, ...warnings]),
      [[], ["Could not store that there is a review"]],
    );
  });
});
