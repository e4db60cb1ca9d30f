import { deepEqual, equal } from "node:assert/strict";
import { askFiles, filesFound } from "./file-names";
import { freshTab, type Page, type Tab } from "./page-model";

const tab = freshTab("t", { id: "a", name: "A" }, 0, 0);
const pageOf = (of: Tab): Page => ({ tabs: new Map([["t", of]]) }) as unknown as Page;
const asked = (of: Tab, names: readonly string[]) => {
  const [page, effects] = askFiles(pageOf(of), of, names),
    requests = effects.flatMap(effect =>
      effect.kind === "post" && effect.message.type === "findFiles" ? [effect.message.names] : [],
    );
  return { tab: page.tabs.get("t") ?? of, requests };
};

suite("names of files in answers", () => {
  test("are asked once, in one request", () => {
    const first = asked(tab, ["a.ts", "b.ts", "a.ts"]);
    deepEqual(first.requests, [["a.ts", "b.ts"]]);
    deepEqual(asked(first.tab, ["b.ts", "c.ts"]).requests, [["c.ts"]]);
    deepEqual(asked(first.tab, ["b.ts"]).requests, []);
  });

  test("are bounded", () => {
    const names = (from: number): readonly string[] => Array.from({ length: 300 }, (_, i) => `${from + i}.ts`);
    let current = tab;
    for (let from = 0; from < 6_000; from += 300) {
      const next = asked(current, names(from));
      equal(next.requests[0]?.length, 200);
      current = next.tab;
    }
    equal(current.files.asked.size <= 2_200, true);
  });

  test("are added when the host has found them", () => {
    const a = { name: "a.ts", href: "file:///a.ts", place: "a.ts" },
      b = { name: "b.ts", href: "file:///b.ts", place: "b.ts" };
    const [first] = filesFound(pageOf(tab), tab, [a]),
      [second, effects] = filesFound(first, first.tabs.get("t") ?? tab, [b]);
    deepEqual([...(second.tabs.get("t")?.files.found.values() ?? [])], [a, b]);
    deepEqual(effects, [{ kind: "show", tabId: "t" }]);
  });
});
