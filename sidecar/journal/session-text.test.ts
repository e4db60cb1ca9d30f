import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Entry } from "../../src/protocol/chat/chat";
import { hitsIn, searchableText, searchPattern } from "./session-text";

const agent = (id: string, text: string): Entry => ({ kind: "agent", id, text });
const search = (entries: readonly Entry[], query: string) =>
  hitsIn(Buffer.from(`{"title":"needle"}\n${searchableText(entries, [])}`), searchPattern(query), 10);
const found = (entries: readonly Entry[], query: string) => search(entries, query).map(({ entryId }) => entryId);

suite("session text", () => {
  test("finds a text regardless of case and line breaks, with one line around it", () => {
    const entries = [agent("a", "One\nand two"), agent("b", "ÄPFEL über Öl"), agent("c", "nothing")];
    deepEqual(search(entries, "ONE and"), [{ entryId: "a", excerpt: "One and two", start: 0, end: 7 }]);
    deepEqual(search(entries, "äpfel Über"), [{ entryId: "b", excerpt: "ÄPFEL über Öl", start: 0, end: 10 }]);
    deepEqual(found(entries, "two äpfel"), [], "not across entries");
    deepEqual(found(entries, "needle"), [], "not in the head of the index");
    deepEqual(found(entries, "a.*"), [], "no pattern of the user");
  });

  test("finds the parts of tool calls, of subagents and of the terminals that they name", () => {
    const tool: Entry = {
      kind: "tool",
      id: "t",
      toolCallId: "t",
      title: "Run it",
      toolKind: "execute",
      status: "completed",
      locations: [{ path: "/w/place.ts" }],
      content: [
        { kind: "diff", path: "/w/count.ts", oldText: "before", newText: "after" },
        { kind: "terminal", terminalId: "term" },
      ],
      input: '{ "command": "npm" }',
      output: "exit 1",
    };
    const subagent: Entry = {
      kind: "subagent",
      id: "s",
      sessionId: "s",
      name: "Scout",
      status: "completed",
      entries: [agent("inner", "deep inside")],
    };
    const text = searchableText(
      [tool, subagent],
      [{ terminalId: "term", command: "npm test", cwd: "/w", output: "2 failing", isCut: false }],
    );
    const idOf = (query: string) => hitsIn(Buffer.from(text), searchPattern(query), 10).map(({ entryId }) => entryId);
    for (const query of [
      "run it",
      "place.ts",
      "count.ts",
      "before",
      "after",
      '"npm"',
      "exit 1",
      "npm test",
      "2 failing",
    ])
      deepEqual(idOf(query), ["t"], query);
    deepEqual(idOf("deep"), ["s"]);
  });

  test("finds every part of every entry, in the entry that contains it (property)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        (texts, which, from, length) => {
          const entries = texts.map((text, i) => agent(`entry-${i}`, text)),
            text = texts[which % texts.length] ?? "",
            characters = [...text.normalize()],
            start = from % characters.length,
            query = characters.slice(start, start + 1 + (length % 12)).join("");
          fc.pre(query.trim() !== "" && text === text.normalize() && !/[\u001E\u001F]/.test(query));
          const hits = search(entries, query);
          ok(hits.some(({ entryId }) => entryId === `entry-${which % texts.length}`));
          for (const { excerpt, start, end } of hits) {
            const normal = (each: string) => each.trim().replaceAll(/\s+/g, " ");
            ok(normal(excerpt.slice(start, end)).toLowerCase().length > 0);
            ok(end <= excerpt.length);
          }
        },
      ),
    );
  });

  test("shortens a long text around the hit, at whole characters", () => {
    const [hit] = search([agent("a", `${"ü".repeat(500)} needle ${"€".repeat(500)}`)], "needle");
    ok(hit);
    equal(hit.excerpt.slice(hit.start, hit.end), "needle");
    ok(hit.excerpt.startsWith("…ü") && hit.excerpt.endsWith("€…"));
    ok(!hit.excerpt.includes("\uFFFD"));
  });
});
