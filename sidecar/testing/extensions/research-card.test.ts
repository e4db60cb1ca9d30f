/** The tool call of a Ferris research, as Symposium's chat and VS Code's chat display it. */
import { deepEqual } from "node:assert/strict";
import { applyEvent, emptyConversation, type Conversation } from "../../../src/protocol/chat/chat";
import { adaptUpdate } from "../../acp/adapt/v1";
import { adaptUpdateV2 } from "../../acp/adapt/v2";
import { ResearchCard } from "../../extensions/ferris/research-card";
import { NO_TEXT, partsOfUpdate } from "../../lm/response/updates-to-text";
import { objectOr } from "../../rpc/json";

suite("research card", () => {
  /** All updates of one research, from start to end. */
  function updatesOf(version: 1 | 2): readonly unknown[] {
    const updates: unknown[] = [],
      client = {
        request: () => Promise.reject(new Error("asks nothing")),
        notify: (_: string, params: unknown) => {
          updates.push(objectOr(params).update);
        },
      };
    const card = new ResearchCard(
      client,
      {
        sessionId: "s",
        toolCallId: "c",
        title: "Research in pebble 1.1.0: How heavy?",
        input: { crate_name: "pebble" },
        folder: "/crate",
      },
      version,
    );
    card.begin("A second agent reads pebble 1.1.0.");
    for (let i = 0; i < 300; i++) card.did(`Read <b>\n${i}`);
    card.end("completed", "Answered after 3 s, in 300 steps.");
    card.end("failed", "No answer.");
    card.did("late");
    return updates;
  }

  for (const version of [1, 2] as const)
    test(`is one tool call with its newest steps in ACP v${version}`, () => {
      let conversation: Conversation = emptyConversation({ id: "ada", name: "Ada" }, "/"),
        count = 0;
      const updates = updatesOf(version);
      for (const update of updates) {
        const adapted = (version === 1 ? adaptUpdate : adaptUpdateV2)(conversation, update, n => `e${count + n}`);
        count += adapted.made;
        for (const event of adapted.events) conversation = applyEvent(conversation, event);
      }
      const [card, ...others] = conversation.entries;
      deepEqual(
        [others, updates.length, card?.kind === "tool" && [card.title, card.toolKind, card.status, card.locations]],
        [[], 202, ["Research in pebble 1.1.0: How heavy?", "search", "completed", [{ path: "/crate" }]]],
      );
      const text = card?.kind === "tool" && card.content[0]?.kind === "text" ? card.content[0].text.split("\n") : [];
      deepEqual(
        [text.length, text[0], text[1], text.at(-2), text.at(-1)],
        [13, "- …", "- Read \\<b\\> 289", "- Read \\<b\\> 299", "- Answered after 3 s, in 300 steps."],
      );
    });

  test("sends nothing after its end", () => {
    let notified = 0;
    const card = new ResearchCard(
      {
        request: () => Promise.reject(new Error("asks nothing")),
        notify: () => {
          notified++;
        },
      },
      { sessionId: "s", toolCallId: "c", title: "t", input: {}, folder: "/" },
      1,
    );
    card.end("completed", "Answered.");
    card.did("late");
    deepEqual(notified, 2);
  });

  test("is a start line, thinking steps and an end line in VS Code's chat", () => {
    let state = NO_TEXT;
    const parts = updatesOf(1).flatMap(update => {
      const [next, messages] = partsOfUpdate(state, update, () => "own");
      state = next;
      return messages;
    });
    const [title, end, result = "", ...others] = parts.flatMap(part => (part.type === "text" ? [part.value] : []));
    deepEqual(
      [title, end, others],
      ["▸ Research in pebble 1.1.0: How heavy? ", "\n\n✓ Research in pebble 1.1.0: How heavy?", []],
    );
    deepEqual(result.split("\n").slice(-3), ["- Read \\<b\\> 299", "- Answered after 3 s, in 300 steps.", "```"]);
    const steps = parts
      .flatMap(part => (part.type === "thinking" ? part.value.split("\n") : []))
      .filter(line => line.startsWith("- Read"));
    deepEqual([steps[0], new Set(steps).size === steps.length, steps.length > 50], ["- Read \\<b\\> 0", true, true]);
  });
});
