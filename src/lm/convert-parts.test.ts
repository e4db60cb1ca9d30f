import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { chatMessages, chatPart, chatTools, responsePart, type PartClasses } from "./convert-parts";

class Text {
  constructor(readonly value: string) {}
}
class ToolCall {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
class ToolResult {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}
class Data {
  constructor(
    readonly data: Uint8Array,
    readonly mimeType: string,
  ) {}
}
class Thinking {
  constructor(
    readonly value: string | readonly string[],
    readonly id?: string,
    readonly metadata?: unknown,
  ) {}
}

const classes: PartClasses = {
  LanguageModelTextPart: Text,
  LanguageModelToolCallPart: ToolCall,
  LanguageModelDataPart: Data,
  LanguageModelThinkingPart: Thinking,
};
const old: PartClasses = { LanguageModelTextPart: Text, LanguageModelToolCallPart: ToolCall };
const png = new Data(new Uint8Array([1, 2, 255]), "image/png");

suite("message part conversion", () => {
  test("converts each kind in each of the three roles", () =>
    deepEqual(
      chatMessages(
        [
          { role: 3, content: [new Text("be good")] },
          { role: 1, content: [new Text("look"), png] },
          {
            role: 2,
            content: [
              new Thinking(["hm", "m"], "t1", { s: 1 }),
              new Text(""),
              new ToolCall("c1", "read_file", { path: "a" }),
            ],
          },
          { role: 1, content: [new ToolResult("c1", [new Text("text")])] },
        ],
        classes,
      ),
      [
        { role: "system", content: [{ type: "text", value: "be good" }] },
        {
          role: "user",
          content: [
            { type: "text", value: "look" },
            { type: "data", mimeType: "image/png", data: "AQL/" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", value: "hmm", id: "t1", metadata: { s: 1 } },
            { type: "text", value: "" },
            { type: "tool_call", toolCallId: "c1", toolName: "read_file", parameters: { path: "a" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", toolCallId: "c1", result: "text" }] },
      ],
    ));

  test("keeps several parts of a result with images and shows unknown ones as JSON", () =>
    deepEqual(chatPart(new ToolResult("c", [new Text("a"), png, { odd: 1 }, "plain"]), classes), {
      type: "tool_result",
      toolCallId: "c",
      result: [
        { type: "text", value: "a" },
        { type: "data", mimeType: "image/png", data: "AQL/" },
        { type: "text", value: `{"odd":1}` },
        { type: "text", value: "plain" },
      ],
    }));

  test("converts an empty result to an empty text", () =>
    deepEqual(chatPart(new ToolResult("c", []), classes), { type: "tool_result", toolCallId: "c", result: "" }));

  test("converts rendered parts to text and drops unknown ones", () => {
    deepEqual(chatPart({ value: { node: 1 } }, classes), { type: "text", value: `{"node":1}` });
    deepEqual(chatMessages([{ role: 1, content: [null, 7, {}, new Text("x")] }], classes), [
      { role: "user", content: [{ type: "text", value: "x" }] },
    ]);
  });

  test("recognizes thinking without its class by its members", () =>
    equal(chatPart({ value: "hm", id: "1" }, old)?.type, "thinking"));

  test("creates VS Code's parts", () => {
    deepEqual(responsePart({ type: "text", value: "a" }, classes), new Text("a"));
    deepEqual(
      responsePart({ type: "tool_call", toolCallId: "c", toolName: "t", parameters: { a: 1 } }, classes),
      new ToolCall("c", "t", { a: 1 }),
    );
    deepEqual(responsePart({ type: "thinking", value: "hm" }, classes), new Thinking("hm", undefined, undefined));
    const data = responsePart({ type: "data", mimeType: "usage", data: "AQL/" }, classes);
    ok(data instanceof Data && data.mimeType === "usage" && [...data.data].join() === "1,2,255");
  });

  test("drops parts that a version lacks, so that thinking is never text", () => {
    equal(responsePart({ type: "thinking", value: "hm" }, old), undefined);
    equal(responsePart({ type: "data", mimeType: "usage", data: "" }, old), undefined);
    equal(responsePart({ type: "tool_result", toolCallId: "c", result: "" }, classes), undefined);
  });

  test("round-trips any text and bytes", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
        const there = chatMessages(
          [{ role: 2, content: [new Text(text), new Data(bytes, "x/y")] }],
          classes,
        )[0]?.content.map(part => responsePart(part, classes));
        const [words, data] = there ?? [];
        ok(
          words instanceof Text &&
            words.value === text &&
            data instanceof Data &&
            Buffer.from(data.data).equals(Buffer.from(bytes)),
        );
      }),
    ));

  test("keeps a tool without a schema", () =>
    deepEqual(
      chatTools([
        { name: "a", description: "A", inputSchema: { type: "object" } },
        { name: "b", description: "B", inputSchema: undefined },
      ]),
      [
        { name: "a", description: "A", inputSchema: { type: "object" } },
        { name: "b", description: "B" },
      ],
    ));
});
