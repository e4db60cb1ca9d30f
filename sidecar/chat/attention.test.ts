import { deepEqual } from "node:assert/strict";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type Entry,
} from "../../src/protocol/chat/chat";
import type { Attention } from "../../src/protocol/sidecar";
import { attention } from "./attention";

const question = (answered: boolean): ChatEvent => ({
  type: "upsert",
  entry: {
    kind: "permission",
    id: "p",
    agent: "Ada",
    toolEntryId: "t",
    title: "rm",
    toolKind: "execute",
    content: [],
    options: [],
    ...(answered ? { answered: { kind: "cancelled", why: "…" } } : {}),
  } satisfies Entry,
});
const turn = (state: "idle" | "running"): ChatEvent => ({
  type: "turn",
  turn: state === "idle" ? { state } : { state, messageId: "1" },
});
const answered: ChatEvent = { type: "upsert", entry: { kind: "agent", id: "a", text: "hi" } };
const failure: ChatEvent = {
  type: "upsert",
  entry: { kind: "notice", id: "n", severity: "error", text: "!", actions: [] },
};

/** The attention state after each of these events. */
function statesAfter(...events: readonly ChatEvent[]): readonly Attention[] {
  let conversation: Conversation = emptyConversation({ id: "a", name: "Ada" }, "/w"),
    current: Attention = "nothing";
  return events.map(event => {
    const after = applyEvent(conversation, event);
    current = attention(current, conversation, after);
    conversation = after;
    return current;
  });
}

suite("attention", () => {
  test("requires reading after an answer, until the next prompt", () =>
    deepEqual(statesAfter(answered, turn("running"), answered, turn("idle"), answered, turn("running")), [
      "nothing",
      "nothing",
      "nothing",
      "reading",
      "reading",
      "nothing",
    ]));

  test("requires an answer for an open question, also between turns, until it is settled", () => {
    deepEqual(statesAfter(turn("running"), question(false), answered, question(true), turn("idle")), [
      "nothing",
      "answer",
      "answer",
      "nothing",
      "reading",
    ]);
    deepEqual(statesAfter(question(false), question(true)), ["answer", "nothing"]);
  });

  test("reports a turn that ended with an error", () =>
    deepEqual(statesAfter(turn("running"), failure, turn("idle"), turn("running")), [
      "nothing",
      "nothing",
      "failed",
      "nothing",
    ]));

  test("stays the same without a change", () => {
    const conversation = emptyConversation({ id: "a", name: "Ada" }, "/w");
    deepEqual(attention("reading", conversation, conversation), "reading");
  });
});
