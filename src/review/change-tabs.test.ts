import { deepEqual, equal } from "node:assert/strict";
import { FakeTabs } from "../testing/fake-tabs";
import { ChangeTabs, isTitled, type ShownScope } from "./change-tabs";

suite("editors of several changes", () => {
  test("are recognised by their whole title, with the number of files in any language", () => {
    const title = "Changes by Claude: Fix it";
    for (const label of [title, `${title} (2 files)`, `${title}（2 個のファイル）`])
      equal(isTitled(label, title), true);
    for (const label of [`${title} again (2 files)`, `${title} (old) (2 files)`, "Changes by Claude"])
      equal(isTitled(label, title), false, label);
  });

  test("offer actions on the changes of the active editor only", () => {
    const tabs = new FakeTabs(),
      shown: (ShownScope | undefined)[] = [],
      changes = new ChangeTabs(tabs, scope => shown.push(scope));
    tabs.open("Session (2 files)");
    changes.opened("Session", { id: "r" });
    tabs.open("Turn (1 file)");
    changes.opened("Turn", { id: "r", turn: 2 });
    deepEqual(changes.active, { id: "r", turn: 2 });
    tabs.activate("Session (2 files)");
    deepEqual(changes.active, { id: "r" });
    tabs.open("notes.txt");
    equal(shown.at(-1), undefined);
  });

  test("offer no actions if an open editor with the same title shows other changes", () => {
    const tabs = new FakeTabs(),
      changes = new ChangeTabs(tabs, () => undefined);
    tabs.open("Session (2 files)");
    changes.opened("Session", { id: "r" });
    changes.opened("Session", { id: "s" });
    equal(changes.active, undefined);
    tabs.closeAll();
    tabs.open("Session (2 files)");
    changes.opened("Session", { id: "s" });
    deepEqual(changes.active, { id: "s" });
  });
});
