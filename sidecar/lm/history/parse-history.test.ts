import { deepEqual, equal, notEqual } from "node:assert/strict";
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm/lm";
import { recordedRequest } from "../fixtures/recorded";
import { digest, newResults, read, type Reading } from "./parse-history";

const messageOf = (role: ChatMessage["role"], ...content: readonly (string | ChatPart)[]): ChatMessage => ({
  role,
  content: content.map(part => (typeof part === "string" ? { type: "text", value: part } : part)),
});
const call = (id: string): ChatPart => ({ type: "tool_call", toolCallId: id, toolName: "read", parameters: {} });
const result = (id: string, value = "ok"): ChatPart => ({
  type: "tool_result",
  toolCallId: id,
  result: [{ type: "text", value }],
});
const asked = (words: string): string => `<context>\nToday.\n</context>\n<userRequest>\n${words}\n</userRequest>\n`;
/** The compared parts of turns. */
const outline = ({ turns }: Reading): unknown => turns.map(({ user, answer, calls }) => [user, answer, ...calls]);

suite("parseHistory", () => {
  test("reads instructions, context and user text of a first message", () => {
    const reading = read(recordedRequest("first-message", 3).messages);
    deepEqual(
      [
        reading.turns,
        reading.requestDigest,
        reading.isNew,
        reading.rounds,
        reading.results,
        reading.summary,
        reading.isTagged,
        reading.endsTagged,
      ],
      [[], digest("Hello there, who are you?"), true, [], [], undefined, true, true],
    );
  });

  test("merges the rounds of a turn into one answer and separates the current turn", () => {
    const messages = [
      messageOf("user", "a"),
      messageOf("assistant", "looking ", call("1"), call("2")),
      messageOf("user", result("1")),
      messageOf("user", result("2")),
      messageOf("assistant", "done"),
      messageOf("user", "b"),
      messageOf("assistant", "", call("3")),
      messageOf("user", result("3")),
    ];
    const reading = read(messages);
    deepEqual(outline(reading), [[digest("a"), digest("looking done"), "1", "2"]]);
    deepEqual(
      [reading.requestDigest, reading.isNew, reading.rounds, reading.results],
      [digest("b"), false, [{ text: "", calls: ["3"] }], ["3"]],
    );
    equal(reading.turns[0]?.last, digest("done"));
    deepEqual(reading.turns[0]?.messages, messages.slice(0, 5));
    deepEqual(reading.messages, messages.slice(5));
  });

  test("reads results followed by new user text, in one or several messages", () => {
    const turn = [messageOf("user", asked("a")), messageOf("assistant", "", call("1"))];
    for (const ends of [
      [messageOf("user", result("1")), messageOf("user", asked("b"))],
      [messageOf("user", result("1"), asked("b"))],
    ]) {
      const reading = read([...turn, ...ends]);
      deepEqual(
        [outline(reading), reading.results, reading.isNew, reading.requestDigest],
        [[[digest("a"), digest(""), "1"]], ["1"], true, digest("b")],
      );
    }
  });

  test("ignores results before an unanswered turn", () =>
    deepEqual(
      read([
        messageOf("user", asked("a")),
        messageOf("assistant", call("1")),
        messageOf("user", result("1")),
        messageOf("user", asked("b")),
        messageOf("user", asked("c")),
      ]).results,
      [],
    ));

  test("keeps a turn whose answer failed, without an answer", () =>
    deepEqual(
      outline(
        read([
          messageOf("user", asked("a")),
          messageOf("user", asked("b")),
          messageOf("assistant", "ok"),
          messageOf("user", asked("c")),
        ]),
      ),
      [
        [digest("a"), undefined],
        [digest("b"), digest("ok")],
      ],
    ));

  test("ignores calls without results", () =>
    deepEqual(
      outline(
        read([
          messageOf("user", "a"),
          messageOf("assistant", "x", call("1"), call("2")),
          messageOf("user", result("2")),
          messageOf("user", "b"),
        ]),
      ),
      [[digest("a"), digest("x"), "2"]],
    ));

  test("ignores re-rendered context, cache marks, thinking, images and the text of results", () => {
    const reading = read([
      messageOf("system", "v1"),
      messageOf("user", asked("a")),
      messageOf("assistant", "x", call("1")),
      messageOf("user", result("1", "long")),
      messageOf("assistant", "y"),
      messageOf("user", asked("b")),
    ]);
    const otherReading = read([
      messageOf("system", "v2"),
      messageOf("user", "<environment_info>\nLinux\n</environment_info>"),
      messageOf("user", `<attachments>\n<attachment id="f">\nx\n</attachment>\n</attachments>\n${asked(" a ")}`, {
        type: "data",
        mimeType: "image/png",
        data: "AA==",
      }),
      messageOf("assistant", { type: "thinking", value: "hm" }, "x", call("1")),
      messageOf("user", result("1", "cut")),
      messageOf("assistant", "y ", { type: "data", mimeType: "cache_control", data: "" }),
      messageOf("user", asked("b")),
    ]);
    deepEqual([outline(reading), reading.requestDigest], [outline(otherReading), otherReading.requestDigest]);
    notEqual(digest("a"), digest("b"));
  });

  test("reads the same user text with and without tags", () =>
    equal(
      read(recordedRequest("ask-mode", 165).messages).turns[0]?.user,
      read(recordedRequest("ask-mode", 164).messages).requestDigest,
    ));

  test("reads a summary in place of the earlier turns and of the user text", () => {
    const reading = read(recordedRequest("compaction-tiny-12000", 221).messages);
    deepEqual(
      [reading.turns, reading.requestDigest, reading.isNew, reading.results],
      [[], undefined, false, ["sy1_S_219_1"]],
    );
    equal(reading.summary?.startsWith("<conversation-summary>"), true);
    const after = read(recordedRequest("compaction-mid-45000", 238).messages);
    deepEqual(
      [after.turns.map(({ user, last, calls }) => [user, last, calls]), after.requestDigest],
      [[[undefined, digest("FINAL(no preset) n=237"), ["sy1_S_235_1"]]], digest("Mid last question")],
    );
  });

  test("ignores a summary quoted in a file", () =>
    equal(
      read([
        messageOf(
          "user",
          `<attachments>\n<conversation-summary>\n</conversation-summary>\n</attachments>\n${asked("a")}`,
        ),
      ]).summary,
      undefined,
    ));

  test("ignores the empty turn of a chat command", () =>
    deepEqual(outline(read(recordedRequest("compact-command", 212).messages)), [
      [digest("After compact"), read(recordedRequest("compact-command", 212).messages).turns[0]?.answer],
    ]));

  test("reads messages without tags as user text", () => {
    const reading = read([
      messageOf("user", "<html>\n</html>"),
      messageOf("user", "and this"),
      messageOf("assistant", "ok"),
      messageOf("user", "next"),
    ]);
    deepEqual(
      [outline(reading), reading.requestDigest],
      [[[digest("<html> </html> and this"), digest("ok")]], digest("next")],
    );
  });

  test("returns the results after the last answer, with their content", () => {
    const messages = [
      messageOf("assistant", call("1")),
      messageOf("user", result("1")),
      messageOf("assistant", call("2")),
      messageOf("user", { type: "tool_result", toolCallId: "2", result: "no", isError: true }),
      messageOf("user", "next"),
    ];
    deepEqual(newResults(messages), [{ callId: "2", result: "no", isError: true }]);
    deepEqual(newResults([]), []);
  });
});
