import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, terminalIds, type Conversation, type Entry } from "./chat";
import { extended, nextWindow, windowed } from "./conversation-window";
import { wholeWindow } from "./sliding-window";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w"),
  SIZE = { weight: 5, maxWeight: 8 };
const agent = (id: number): Entry => ({ kind: "agent", id: `a${id}`, text: "text" }),
  user = (id: number): Entry => ({ kind: "user", id: `u${id}`, text: "prompt" }),
  question = (id: number): Entry => ({
    kind: "permission",
    id: `p${id}`,
    agent: "Ada",
    toolEntryId: "t",
    title: "T",
    toolKind: "read",
    content: [],
    options: [],
  }),
  command = (id: number): Entry => ({
    kind: "tool",
    id: `t${id}`,
    toolCallId: `t${id}`,
    title: "Run",
    toolKind: "execute",
    status: "completed",
    content: [{ kind: "terminal", terminalId: `${id}` }],
    locations: [],
  });
const agents = (count: number) => Array.from({ length: count }, (_, i) => agent(i));
const of = (entries: readonly Entry[], output = 10): Conversation => {
  const terminals = [...terminalIds(entries)].map(terminalId => ({
    terminalId,
    command: "ls",
    cwd: "/w",
    output: "x".repeat(output),
    isCut: false,
  }));
  return { ...EMPTY, entries, ...(terminals.length === 0 ? {} : { terminals }) };
};
const ids = ({ entries }: Conversation) => entries.map(({ id }) => id);

suite("conversation window", () => {
  test("contains the newest entries and reports the omitted ones", () => {
    const conversation = of([user(0), ...agents(20)]),
      shown = windowed({ ...conversation, entries: conversation.entries.slice(1) }, 15);
    deepEqual([ids(shown), shown.omitted], [["a15", "a16", "a17", "a18", "a19"], { count: 15, promptIds: [] }]);
    deepEqual(windowed(conversation, 3).omitted, {
      count: 3,
      promptIds: ["u0"],
      firstPrompt: "prompt",
      newestPrompt: user(0),
    });
    equal(windowed(conversation, 0), conversation);
  });

  test("contains the newest prompt and an open question, unless too much follows", () => {
    const first = (entries: readonly Entry[]): number => nextWindow(wholeWindow, of(entries), SIZE).first;
    equal(first(agents(20)), 15);
    equal(first([...agents(5), user(0), ...agents(14)]), 5);
    equal(first([...agents(5), question(0), ...agents(14)]), 5);
    equal(
      first([...agents(5), { ...question(0), answered: { kind: "cancelled", why: "" } } as Entry, ...agents(14)]),
      15,
    );
    equal(first([question(0), ...agents(2_000)]), 1_996);
    equal(first([user(0), ...agents(700), question(0), ...agents(20)]), 701, "each counts alone");
  });

  test("counts the output of terminals", () =>
    equal(nextWindow(wholeWindow, of([0, 1, 2, 3, 4].map(command), 3_000), SIZE).first, 4));

  test("adds earlier entries with their terminals for a request, and removes both again (property)", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(agent, user, command), { minLength: 1, maxLength: 60 }), kinds => {
        const conversation = of(kinds.map((kind, i) => kind(i)));
        let window = nextWindow(wholeWindow, conversation, SIZE),
          page = windowed(conversation, window.first);
        while (page.omitted !== undefined) {
          const before = page;
          const [next, event] = extended(window, conversation, SIZE);
          ok(next.first < window.first);
          page = applyEvent(page, event);
          deepEqual(page, windowed(conversation, next.first));
          equal(applyEvent(page, event).entries.length, page.entries.length, "a repeated event changes nothing");
          if (before.omitted !== undefined)
            deepEqual(applyEvent(page, { type: "trimmed", omitted: before.omitted }), before);
          window = next;
        }
        deepEqual(page, conversation);
      }),
    ));
});
