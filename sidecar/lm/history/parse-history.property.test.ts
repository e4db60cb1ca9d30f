import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm/lm";
import { read, readOn, type Progress } from "./parse-history";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const RUNS = propertyRuns(5_000);

const message = (role: ChatMessage["role"], ...content: readonly ChatPart[]): ChatMessage => ({ role, content });
const text = (value: string): ChatPart => ({ type: "text", value });
const call = (toolCallId: string): ChatPart => ({ type: "tool_call", toolCallId, toolName: "read", parameters: {} });
const result = (toolCallId: string): ChatPart => ({ type: "tool_result", toolCallId, result: "ok" });

/** The same objects occur at different indexes, like the messages of an earlier request in the next request. */
const POOL: readonly ChatMessage[] = [
  message("system", text("You are an assistant.")),
  message("user", text("hi")),
  message("user", text("<userRequest>\nhi\n</userRequest>")),
  message("user", text("<userRequest>\nwhy?\n</userRequest>")),
  message("user", text("<userRequest>\n\n</userRequest>")),
  message("user", text("<context>\nToday.\n</context>")),
  message("user", text("<conversation-summary>\nMuch.\n</conversation-summary>")),
  message("user", text("")),
  message("user", result("1")),
  message("user", result("2"), text("and more")),
  message("user", result("1"), text("<userRequest>\nnow\n</userRequest>")),
  message("assistant", text("answer")),
  message("assistant", text("look"), call("1"), call("2")),
  message("assistant", text("")),
  message("assistant", call("2")),
];
type Edit = {
  readonly kind: "append" | "insert" | "replace" | "remove" | "truncate" | "forget";
  readonly at: number;
  readonly messages: readonly ChatMessage[];
};
const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("append", "append", "append", "insert", "replace", "remove", "truncate", "forget"),
    at: fc.nat(30),
    messages: fc.array(fc.constantFrom(...POOL), { minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 12 },
);

function edited(messages: readonly ChatMessage[], { kind, at, messages: added }: Edit): readonly ChatMessage[] {
  const i = at % (messages.length + 1);
  switch (kind) {
    case "append":
      return [...messages, ...added];
    case "insert":
      return messages.toSpliced(i, 0, ...added);
    case "replace":
      return messages.toSpliced(i, added.length, ...added);
    case "remove":
      return messages.toSpliced(i, added.length);
    case "truncate":
      return messages.slice(0, i);
    case "forget":
      return messages.map(each => (i % 2 === 0 ? each : { ...each }));
  }
}

suite("incremental history parser, properties", () => {
  test("equals a full parse after any edit of the history", () =>
    fc.assert(
      fc.property(edits, all => {
        let messages: readonly ChatMessage[] = [],
          before: Progress | undefined;
        for (const edit of all) {
          messages = edited(messages, edit);
          before = readOn(messages, before);
          deepEqual(before, readOn(messages, undefined));
        }
      }),
      { numRuns: RUNS },
    ));

  test("reuses the objects of repeated turns and parses no earlier message again", () => {
    let reads = 0;
    const counted = (value: string): ChatMessage => ({
      role: "user",
      get content() {
        reads++;
        return [text(value)];
      },
    });
    const turns = Array.from({ length: 1_000 }, (_, i) => [
      counted(`<userRequest>\nquestion ${i}\n</userRequest>`),
      message("assistant", text(`answer ${i}`)),
    ]).flat();
    const first = readOn(turns, undefined),
      before = reads,
      second = readOn([...turns, counted("<userRequest>\nmore\n</userRequest>")], first);
    equal(second.reading.turns.length, 1_000);
    equal(
      second.reading.turns.findIndex(
        ({ record }, i) => first.reading.turns[i] && first.reading.turns[i].record !== record,
      ),
      -1,
    );
    equal(reads - before < 30, true, `${reads - before} reads`);
    deepEqual(read([...turns, counted("<userRequest>\nmore\n</userRequest>")]), second.reading);
  });
});
