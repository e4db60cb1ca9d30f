import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import { MAX_SPENT } from "./turn-limits";
import type { SessionEvent, State } from "./session-model";
import { startSession, stepSession } from "./session-state";

const runningTurn = (): State =>
  [
    { kind: "opened", accepts: { images: false }, isContinued: false } as const,
    { kind: "prompted", prompt: { messageId: "m", text: "go" } } as const,
  ].reduce<State>(
    (state, event) => stepSession(state, event, 0)[0],
    startSession(emptyConversation({ id: "a", name: "Ada" }, "/w"), "s-", undefined)[0],
  );
const textChunk = (text: string): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const tool = (id: string, overrides: object = {}): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "tool_call_update", toolCallId: id, ...overrides },
});
const text = (length: number) => ({
  content: [{ type: "content", content: { type: "text", text: "x".repeat(length) } }],
});
const applyEvents = (...events: readonly SessionEvent[]): Conversation => after(runningTurn(), ...events).conversation;
const after = (state: State, ...events: readonly SessionEvent[]): State =>
  events.reduce<State>((previous, event) => stepSession(previous, event, 0)[0], state);
const words = ({ entries }: Conversation): number =>
  entries.reduce((sum, entry) => sum + (entry.kind === "agent" ? entry.text.length : 0), 0);
const notices = ({ entries }: Conversation): number => entries.filter(({ kind }) => kind === "notice").length;
/** The maximum number of tool calls. Shared by several tests, because it takes a second. */
let toolCalls: State | undefined;
const afterToolCalls = (...events: readonly SessionEvent[]): Conversation => {
  toolCalls ??= after(runningTurn(), ...Array.from({ length: MAX_SPENT.entries }, (_, n) => tool(String(n))));
  return after(toolCalls, ...events).conversation;
};
const excess = (length: number): readonly SessionEvent[] =>
  Array.from({ length }, (_, n) => tool(String(MAX_SPENT.entries + n)));
const OMITTED = "Ada sends more in this turn than Symposium can store. The excess is omitted.";

suite("limit of one turn", () => {
  test("keeps the beginning of a long message and shows one notice", () => {
    const conversation = applyEvents(textChunk("x".repeat(50_000_000)), textChunk("y"), textChunk("z"));
    equal(words(conversation), MAX_SPENT.words);
    deepEqual(
      conversation.entries.flatMap(entry => (entry.kind === "notice" ? [entry.text] : [])),
      [OMITTED],
    );
  });

  test("keeps the beginning of a growing message, cut at a whole character", () => {
    const conversation = applyEvents(textChunk("x".repeat(MAX_SPENT.words - 1)), textChunk("😀"), textChunk("no"));
    equal(words(conversation), MAX_SPENT.words);
    equal(
      applyEvents(textChunk("x".repeat(MAX_SPENT.words - 1)), textChunk("😀")).entries.some(
        entry => entry.kind === "agent" && /[\uD800-\uDBFF]$/.test(entry.text),
      ),
      false,
    );
    equal(notices(conversation), 1);
  });

  test("keeps the first tool calls and their final status", () => {
    const conversation = afterToolCalls(...excess(10), tool("0", { status: "completed" }));
    equal(conversation.entries.filter(({ kind }) => kind === "tool").length, MAX_SPENT.entries);
    ok(
      conversation.entries.some(
        entry => entry.kind === "tool" && entry.toolCallId === "0" && entry.status === "completed",
      ),
    );
    equal(notices(conversation), 1);
  });

  const ENDED: SessionEvent = { kind: "turnEnded", outcome: { kind: "stopped", reason: "end_turn" } };
  const shown = ({ entries }: Conversation): readonly string[] =>
    entries.flatMap(entry => (entry.kind === "agent" || entry.kind === "notice" ? [entry.text] : []));

  test("shows the closing text after 5,000 tool calls, behind a line with the number of omitted updates", () => {
    deepEqual(shown(afterToolCalls(...excess(1_000), textChunk("All "), textChunk("done."), ENDED)), [
      "Ada sends more in this turn than Symposium can store. 1,002 updates are omitted. The end of the answer follows.",
      "All done.",
    ]);
    equal(
      shown(afterToolCalls(...excess(1_000), ENDED)).at(-1),
      "Ada sends more in this turn than Symposium can store. 1,000 updates are omitted.",
    );
  });

  test("shows the end of a long answer from a word boundary", () => {
    const conversation = applyEvents(
      textChunk("x".repeat(MAX_SPENT.words)),
      ...Array.from({ length: 5_000 }, (_, n) => textChunk(`word-${n} `)),
      ENDED,
    );
    const end = shown(conversation).at(-1) ?? "";
    ok(
      end.startsWith("… word-") && end.endsWith("word-4999 ") && end.length <= 8_001,
      `${end.slice(0, 20)}, ${end.length}`,
    );
    equal(words(conversation), MAX_SPENT.words + end.length);
  });

  test("shows the end of a turn whose agent exits, and resets for the next turn", () => {
    const conversation = afterToolCalls(...excess(1), textChunk("last words"), {
      kind: "agentDown",
      text: "Ada stopped.",
      actions: [],
    });
    deepEqual(
      shown(conversation)
        .slice(-3, -1)
        .map(text => text.slice(0, 10)),
      ["Ada sends ", "last words"],
    );
  });

  test("keeps the status of a tool call with oversized content", () => {
    const huge = {
      content: Array.from({ length: 20 }, () => ({
        type: "content",
        content: { type: "image", mimeType: "image/png", data: "A".repeat(1_000_000) },
      })),
    };
    const conversation = applyEvents(
      tool("a", { title: "Look", ...text(10) }),
      tool("a", { ...huge, status: "completed" }),
      tool("b", { title: "Big", ...huge }),
    );
    deepEqual(
      conversation.entries.flatMap(entry =>
        entry.kind === "tool" ? [[entry.title, entry.status, entry.content.length]] : [],
      ),
      [
        ["Look", "completed", 1],
        ["Big", "pending", 0],
      ],
    );
    equal(notices(conversation), 1);
  });

  test("keeps the first hundreds of questions, cancels the others and shows one notice", () => {
    let state = runningTurn(),
      cancelled = 0;
    for (let n = 0; n < MAX_SPENT.questions + 10; n++) {
      const [next, effects] = stepSession(
        state,
        n % 2 === 0
          ? {
              kind: "asked",
              permission: { permissionId: `p${n}`, toolCall: { toolCallId: `t${n}` }, options: [], policy: "ask" },
            }
          : { kind: "elicited", elicited: { id: `e${n}`, message: "?", ask: { mode: "form", fields: [] } } },
        0,
      );
      cancelled += effects.filter(
        effect =>
          (effect.kind === "answerAgent" && effect.optionId === undefined) || effect.kind === "answerElicitation",
      ).length;
      state = next;
    }
    deepEqual([cancelled, notices(state.conversation)], [10, 1]);
  });

  test("truncates names, titles, plans and locations", () => {
    const long = "x".repeat(50_000),
      update = (update: object): SessionEvent => ({ kind: "updated", version: 1, update });
    const conversation = applyEvents(
      update({ sessionUpdate: "session_info_update", title: long }),
      update({ sessionUpdate: "plan", entries: [{ content: long, status: long }] }),
      update({
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: long, description: long, input: { hint: long } }],
      }),
      tool(long, { kind: long, locations: Array.from({ length: 1_000 }, () => ({ path: long })) }),
      tool(long, { status: "completed" }),
    );
    ok(JSON.stringify(conversation).length < 450_000, String(JSON.stringify(conversation).length));
    deepEqual(
      conversation.entries.flatMap(entry => (entry.kind === "tool" ? [[entry.status, entry.locations.length]] : [])),
      [["completed", 100]],
    );
  });

  test("resets with the next turn and always admits a question", () => {
    const asked: SessionEvent = {
      kind: "asked",
      permission: { permissionId: "p", toolCall: { toolCallId: "new" }, options: [], policy: "ask" },
    };
    ok(afterToolCalls(...excess(1), asked).entries.some(entry => entry.kind === "permission" && !entry.answered));
    const next = afterToolCalls(
      ...excess(1),
      { kind: "turnEnded", outcome: { kind: "stopped", reason: "end_turn" } },
      { kind: "prompted", prompt: { messageId: "n", text: "again" } },
      textChunk("yes"),
    );
    equal(words(next), 3);
  });

  test("omits nothing below the limits", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string().map(textChunk),
            fc.nat(3).map(n => tool(String(n), text(n))),
          ),
          { maxLength: 40 },
        ),
        events => {
          const bounded = applyEvents(...events);
          let free = runningTurn().conversation;
          let state = runningTurn();
          for (const event of events) {
            const [after, effects] = stepSession(state, event, 0);
            for (const effect of effects) if (effect.kind === "emit") free = applyEvent(free, effect.event);
            state = after;
          }
          deepEqual(
            bounded.entries.map((entry: Entry) => entry.id),
            free.entries.map(({ id }) => id),
          );
          equal(
            words(bounded),
            events.reduce(
              (sum, event) =>
                sum +
                ("update" in event
                  ? ((event.update as { content?: { text?: string } }).content?.text?.length ?? 0)
                  : 0),
              0,
            ),
          );
          equal(notices(bounded), 0);
        },
      ),
    ));
});
