import { equal, throws } from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transcript } from "./transcript";

function greeting(text: string): Transcript {
  const t = new Transcript();
  t.record("→", { jsonrpc: "2.0", id: 41, method: "session/prompt", params: { sessionId: "f3a9" } });
  t.record("←", { jsonrpc: "2.0", method: "session/update", params: { sessionId: "f3a9", text } });
  t.record("←", { jsonrpc: "2.0", id: 41, result: { stopReason: "end_turn" } });
  return t;
}
const GREET = "sidecar/testing/transcripts/greet.golden";

suite("transcript", () => {
  test("is stable when ids are renumbered", () => greeting("hi").match(GREET));

  test("fails without writing for a different or missing golden file", () => {
    const update = process.env.UPDATE_GOLDEN;
    delete process.env.UPDATE_GOLDEN;
    const folder = mkdtempSync(join(tmpdir(), "golden-"));
    const absent = join(folder, "absent.golden");
    try {
      throws(() => greeting("bye").match(GREET), /differs from/);
      throws(() => greeting("hi").match(absent), /no golden file/);
      equal(existsSync(absent), false);
    } finally {
      rmSync(folder, { recursive: true });
      if (update !== undefined) process.env.UPDATE_GOLDEN = update;
    }
  });
});
