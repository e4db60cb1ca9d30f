import { deepEqual } from "node:assert/strict";
import { CommitLog } from "./commit-log";

suite("commit log", () => {
  test("reports another commit of a known repository once", () => {
    const committed: string[] = [],
      log = new CommitLog(folder => committed.push(folder));
    log.seen("/a", "1");
    log.seen("/b", undefined);
    log.seen("/a", "1");
    log.seen("/a", "2");
    log.seen("/a", "2");
    log.seen("/b", "1");
    deepEqual(committed, ["/a", "/b"]);
  });
});
