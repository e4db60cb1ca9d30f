import { deepEqual } from "node:assert/strict";
import {
  BETWEEN_MS,
  FIRST_NEWS_MS,
  IDLE,
  NO_NEWS_MS,
  publishedIn,
  QUIET_MS,
  readyIn,
  workOf,
} from "./server-readiness";

suite("language server readiness", () => {
  test("follows its progress and a pause for further progress", () => {
    deepEqual(
      [
        readyIn(IDLE, 0),
        readyIn(IDLE, BETWEEN_MS),
        readyIn({ ...IDLE, running: new Map([["t", "Loading"]]) }, 1e9),
        readyIn({ ...IDLE, isQuiescent: false }, 1e9),
        readyIn({ ...IDLE, isQuiescent: true }, 0),
      ],
      [BETWEEN_MS, 0, Infinity, Infinity, 0],
    );
    deepEqual(
      [
        workOf({ ...IDLE, running: new Map([["t", "Loading 5 %"]]) }),
        workOf({ ...IDLE, isQuiescent: false }),
        workOf(IDLE),
      ],
      ["Loading 5 %", "loading", ""],
    );
  });
  test("waits for the last published diagnostics, up to a time limit", () => {
    const changed = { changedAt: 1000, isNew: false };
    deepEqual(
      [
        publishedIn(changed, 1000),
        publishedIn({ ...changed, isNew: true }, 1000),
        publishedIn({ ...changed, publishedAt: 999 }, 1000),
        publishedIn({ ...changed, publishedAt: 1500 }, 1600),
        publishedIn({ ...changed, publishedAt: 1500 }, 9000),
      ],
      [NO_NEWS_MS, FIRST_NEWS_MS, NO_NEWS_MS, QUIET_MS - 100, 0],
    );
  });
});
