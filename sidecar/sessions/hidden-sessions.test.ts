import { deepEqual, equal } from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { HiddenSessions } from "./hidden-sessions";

suite("hidden sessions", () => {
  let folder = "";
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "hidden-"));
  });
  teardown(() => rmSync(folder, { recursive: true, force: true }));

  test("are known to all windows, also after damaged lines", () => {
    const file = path.join(folder, "sessions", ".hidden"),
      [one, other] = [new HiddenSessions(file), new HiddenSessions(file)];
    other.refresh();
    one.add("ada", "s1");
    appendFileSync(file, '\n["ada", "to');
    one.add("bob", "s 2");
    other.refresh();
    deepEqual(
      [other.has("ada", "s1"), other.has("bob", "s 2"), other.has("ada", "s 2"), other.has("bob", "s1")],
      [true, true, false, false],
    );
  });

  test("never fail", () => {
    const hidden = new HiddenSessions(path.join(folder, "\0", ".hidden"));
    hidden.add("ada", "s1");
    hidden.refresh();
    equal(hidden.has("ada", "s1"), false);
  });
});
