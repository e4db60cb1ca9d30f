import { deepEqual } from "node:assert/strict";
import { editorTitle } from "./editor-title";

suite("editorTitle", () => {
  test("marks each status except an idle one", () =>
    deepEqual(
      (["idle", "working", "question", "unread", "failed"] as const).map(status => editorTitle("T", status)),
      ["T", "◌ T", "? T", "● T", "✕ T"],
    ));
});
