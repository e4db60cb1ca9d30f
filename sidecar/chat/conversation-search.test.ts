import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type Conversation, type Entry, type FoundEvent } from "../../src/protocol/chat/chat";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ConversationSearch, MAX_FOUND } from "./conversation-search";

const agent = (id: string, text: string): Entry => ({ kind: "agent", id, text });
const conversation = (entries: readonly Entry[], rest: Partial<Conversation> = {}): Conversation => ({
  ...emptyConversation({ id: "a", name: "Ada" }, "/w"),
  ...rest,
  entries,
});

/** Each look at the clock costs this many milliseconds. */
function searching(cost = 0) {
  const clock = new FakeClock(),
    answers: FoundEvent[] = [];
  const search = new ConversationSearch(
    {
      now: () => {
        clock.advance(cost);
        return clock.now();
      },
      after: (ms, expired) => clock.after(ms, expired),
    },
    event => answers.push(event),
  );
  return { clock, answers, search };
}

suite("ConversationSearch", () => {
  test("lists the entries that contain the query, in order", () => {
    const { answers, search } = searching(),
      terminal = { terminalId: "t", command: "npm test", cwd: "/w", output: "a Needle", isCut: false },
      tool: Entry = {
        kind: "tool",
        id: "3",
        toolCallId: "3",
        title: "Run",
        toolKind: "execute",
        status: "completed",
        locations: [],
        content: [{ kind: "terminal", terminalId: "t" }],
      };
    const entries = [agent("1", "needle"), agent("2", "hay"), tool, agent("4", "NEEDLE needle")];
    search.start({ requestNumber: 7, query: "needle" }, conversation(entries, { terminals: [terminal] }));
    deepEqual(answers, [{ type: "found", requestNumber: 7, entryIds: ["1", "3", "4"], isCut: false }]);
  });

  test("limits the list to the newest entries", () => {
    const { answers, search } = searching(),
      entries = Array.from({ length: MAX_FOUND + 1 }, (_, i) => agent(`${i}`, "x"));
    search.start({ requestNumber: 1, query: "x" }, conversation(entries));
    deepEqual(
      [answers[0]?.entryIds.length, answers[0]?.entryIds[0], answers[0]?.entryIds.at(-1), answers[0]?.isCut],
      [MAX_FOUND, "1", `${MAX_FOUND}`, true],
    );
    search.start({ requestNumber: 2, query: "x" }, conversation([agent("n".repeat(300_000), "x")]));
    deepEqual([answers[1]?.entryIds, answers[1]?.isCut], [[], true], "an agent's long ids");
  });

  test("pauses between slices, and does not answer a replaced search", () => {
    const { clock, answers, search } = searching(4),
      entries = Array.from({ length: 20 }, (_, i) => agent(`${i}`, "x"));
    search.start({ requestNumber: 1, query: "x" }, conversation(entries));
    equal(answers.length, 0);
    search.start({ requestNumber: 2, query: "x" }, conversation(entries));
    for (let i = 0; i < 30; i++) clock.advance(1);
    deepEqual(
      answers.map(({ requestNumber, entryIds }) => [requestNumber, entryIds.length]),
      [[2, 20]],
    );
    search.start({ requestNumber: 3, query: "x" }, conversation(entries));
    search[Symbol.dispose]();
    for (let i = 0; i < 30; i++) clock.advance(1);
    ok(answers.every(({ requestNumber }) => requestNumber !== 3));
  });
});
