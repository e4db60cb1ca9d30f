import { deepEqual, equal } from "node:assert/strict";
import { recordedRequest } from "./fixtures/recorded";
import { identityOf } from "./history/request-identity";
import { read } from "./history/parse-history";
import { prune, restore, save, type Saved } from "./persisted-records";
import { begin, emitted, ended, waits, type SessionRecord } from "./history/session-record";

function session(situation = "fork-conversation", n = 140): SessionRecord {
  const request = recordedRequest(situation, n);
  return emitted(begin("s1", { agent: "a", identity: identityOf(request), reading: read(request.messages) }, false), {
    type: "text",
    value: "Hello.",
  });
}
const again = (saved: SessionRecord): Saved | undefined =>
  restore(JSON.parse(JSON.stringify(save(saved, "agent's", 7))));

suite("persisted record", () => {
  test("restores sessions unchanged, with a running turn marked as cut off", () => {
    const { trace: _trace, span: _span, ...kept } = ended(session(), "answered");
    deepEqual(again(ended(session(), "answered")), {
      session: { ...kept, trace: undefined, span: undefined },
      agentSession: "agent's",
      at: 7,
    });
    const waiting = waits(emitted(session(), { type: "tool_call", toolCallId: "t", toolName: "read", parameters: {} })),
      restored = again(waiting)?.session;
    deepEqual(
      [restored?.provisional, restored?.batch.size],
      [
        {
          state: "cut",
          user: kept.provisional?.state === "answered" ? kept.provisional.turn.user : undefined,
          rounds: [{ text: "Hello.", calls: ["t"] }],
        },
        0,
      ],
    );
    deepEqual(again(session("compaction-mid-45000", 238))?.session.summarised, { turns: 6 });
    equal(again({ ...session(), provisional: undefined })?.session.provisional, undefined);
    const stopped = { user: "u", answer: undefined, fuller: "f", last: undefined, calls: ["t"] };
    deepEqual(again({ ...session(), turns: [stopped] })?.session.turns, [stopped]);
  });

  test("contains no user text and no text of a finished answer", () => {
    const text = JSON.stringify(save(ended(session(), "answered"), "x", 0));
    for (const word of ["Fork", "first", "Hello", "Plain"]) equal(text.includes(word), false, word);
  });

  test("is dropped if invalid or of another version", () => {
    const good = save(session(), "x", 1);
    for (const bad of [
      undefined,
      null,
      7,
      [],
      {},
      { ...good, version: 2 },
      { ...good, id: 1 },
      { ...good, agent: undefined },
      { ...good, agentSession: null },
      { ...good, at: "today" },
      { ...good, turns: {} },
      { ...good, turns: [1] },
      { ...good, last: 1 },
      { ...good, last: { turn: 1 } },
    ])
      equal(restore(bad), undefined, JSON.stringify(bad));
  });

  test("keeps the newest 200 of the last 30 days", () => {
    const at = (id: string, days: number): Saved => ({
      session: { ...session(), id },
      agentSession: "x",
      at: days * 86_400_000,
    });
    const all = [at("old", 60), ...Array.from({ length: 201 }, (_, i) => at(`n${i}`, 71 + i / 1000))];
    const { valid, forgotten } = prune(all, 100 * 86_400_000);
    deepEqual([valid.length, valid[0]?.session.id, forgotten], [200, "n200", ["old", "n0"]]);
  });
});
