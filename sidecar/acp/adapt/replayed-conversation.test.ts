import { deepEqual, equal } from "node:assert/strict";
import * as fc from "fast-check";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { adaptUpdate } from "./v1";
import { isConversation, missingPart } from "./replayed-conversation";

const EMPTY = emptyConversation({ id: "ada", name: "Ada" }, "/w");
const text = (sessionUpdate: string, content: string) => ({ sessionUpdate, content: { type: "text", text: content } });
const user = (content: string) => text("user_message_chunk", content),
  agent = (content: string) => text("agent_message_chunk", content),
  tool = (toolCallId: string) => ({ sessionUpdate: "tool_call", toolCallId, title: toolCallId, status: "completed" });

/** The conversation after the prompt and the first updates of its answer. */
function shownAfter(prompt: string, updates: readonly unknown[], before: Conversation = EMPTY): Conversation {
  const prompted = {
    ...before,
    entries: [...before.entries, { kind: "user", id: `prompt-${before.entries.length}`, text: prompt } as const],
  };
  return updates.reduce<Conversation>(
    (conversation, update, i) =>
      adaptUpdate(conversation, update, n => `shown-${before.entries.length}-${i}-${n}`).events.reduce(
        applyEvent,
        conversation,
      ),
    prompted,
  );
}

function added(shown: Conversation, updates: readonly unknown[]): Conversation {
  const { events } = missingPart(shown, updates, 1, n => `new-${n}`);
  return events.reduce(applyEvent, shown);
}

function lines({ entries }: Conversation): readonly string[] {
  return entries.map(entry =>
    entry.kind === "tool" ? `tool ${entry.toolCallId}` : "text" in entry ? `${entry.kind} ${entry.text}` : entry.kind,
  );
}

suite("missingPart", () => {
  test("adds nothing for a complete conversation", () => {
    const updates = [user("hi"), agent("Hello"), agent(" there."), tool("t1"), agent("Done.")];
    deepEqual(missingPart(shownAfter("hi", updates.slice(1)), updates, 1, String).events, []);
  });

  test("completes an interrupted answer and adds what followed", () => {
    const shown = shownAfter("hi", [agent("Hel")]),
      [prompt, answer] = shown.entries;
    const interrupted = { ...shown, entries: [prompt, { ...answer, interrupted: true }] as Entry[] };
    const after = added(interrupted, [user("hi"), agent("Hello."), tool("t1"), agent("Bye.")]);
    deepEqual(lines(after), ["user hi", "agent Hello.", "tool t1", "agent Bye."]);
    equal("interrupted" in (after.entries[1] ?? {}), false);
  });

  test("adds the turns of another client", () => {
    deepEqual(
      lines(added(shownAfter("hi", [agent("Hello.")]), [user("hi"), agent("Hello."), user("more"), agent("Yes.")])),
      ["user hi", "agent Hello.", "user more", "agent Yes."],
    );
  });

  test("shows the whole replay in a tab without a conversation", () => {
    deepEqual(lines(added(EMPTY, [user("a "), user("prompt"), agent("Yes.")])), ["user a prompt", "agent Yes."]);
  });

  test("adds nothing if the replay contradicts the shown answer or lacks its prompt", () => {
    const shown = shownAfter("hi", [agent("Hello.")]);
    deepEqual(missingPart(shown, [user("hi"), agent("Good day."), agent("More.")], 1, String).events, []);
    deepEqual(missingPart(shown, [user("other"), agent("Hello. And more.")], 1, String).events, []);
    deepEqual(missingPart(shown, [user("hi"), agent("Hel")], 1, String).events, []);
  });

  test("recognizes a prompt that is repeated with its attachments", () => {
    const replay = [user("hi"), user("\nFile a.ts:\n…"), agent("Hello.")];
    deepEqual(lines(added(shownAfter("hi", []), replay)), ["user hi", "agent Hello."]);
  });

  test("reads whole messages of version 2", () => {
    const updates = [
      { sessionUpdate: "user_message", messageId: "m1", content: [{ type: "text", text: "hi" }] },
      { sessionUpdate: "agent_message", messageId: "m2", content: [{ type: "text", text: "Hello." }] },
    ];
    const { events } = missingPart(shownAfter("hi", [agent("Hel")]), updates, 2, n => `new-${n}`);
    deepEqual(lines(events.reduce(applyEvent, shownAfter("hi", [agent("Hel")]))), ["user hi", "agent Hello."]);
  });

  test("restores each conversation that was cut off anywhere, and adds nothing the second time", () => {
    const update = fc.oneof(
      fc.constantFrom("a", "b", "ab", " ").map(agent),
      fc.constantFrom("t1", "t2", "t3").map(tool),
    );
    const turn = fc.tuple(fc.constantFrom("hi", "more", "hi again"), fc.array(update, { maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.nat(6), (turns, cut) => {
        const replay = turns.flatMap(([prompt, updates]) => [user(prompt), ...updates]);
        const last = turns.length - 1;
        const shown = turns.reduce<Conversation>(
          (conversation, [prompt, updates], i) =>
            shownAfter(prompt, i === last ? updates.slice(0, cut) : updates, conversation),
          EMPTY,
        );
        const after = added(shown, replay);
        deepEqual(missingPart(after, replay, 1, String).events, []);
        const agentText = (entries: readonly Entry[]): string =>
          entries.map(entry => (entry.kind === "agent" ? entry.text : "")).join("");
        const whole = (turns[last]?.[1] ?? []).map(each => ("content" in each ? each.content.text : "")).join(""),
          at = after.entries.findLastIndex(({ kind }) => kind === "user");
        equal(agentText(after.entries.slice(at)), whole);
        const before = after.entries.slice(0, shown.entries.length);
        deepEqual(
          before.map(({ id }) => id),
          shown.entries.map(({ id }) => id),
        );
      }),
    );
  });
});

suite("isConversation", () => {
  test("separates the state of a session from its conversation", () => {
    equal(isConversation(agent("a")), true);
    equal(isConversation({ sessionUpdate: "available_commands_update" }), false);
    equal(isConversation({ sessionUpdate: "some_future_update" }), true);
  });
});
