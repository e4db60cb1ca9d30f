import { deepEqual, equal, ok } from "node:assert/strict";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { isFailure, refusal, toMcp } from "./tool-results";

const text = (...texts: string[]) => texts.map(each => ({ type: "text" as const, text: each }));
const PNG = "iVBORw0KGgo=";

suite("VS Code tool results", () => {
  const table: readonly [name: string, result: unknown, content: unknown][] = [
    ["converts a text", "hi", text("hi")],
    [
      "joins text parts",
      [
        { type: "text", value: "a" },
        { type: "text", value: "" },
        { type: "text", value: "b" },
      ],
      text("a", "b"),
    ],
    [
      "converts an image beside text",
      [
        { type: "text", value: "see" },
        { type: "data", mimeType: "image/png", data: PNG },
      ],
      [...text("see"), { type: "image", mimeType: "image/png", data: PNG }],
    ],
    [
      "converts audio",
      [{ type: "data", mimeType: "audio/wav", data: "AAAA" }],
      [{ type: "audio", mimeType: "audio/wav", data: "AAAA" }],
    ],
    [
      "converts text and JSON data",
      [
        { type: "data", mimeType: "text/plain", data: btoa("plain") },
        { type: "data", mimeType: "application/vnd.x+json", data: btoa("{}") },
      ],
      text("plain", "{}"),
    ],
    [
      "names other data",
      [{ type: "data", mimeType: "application/zip", data: "AAAA" }],
      text("(3 bytes of type application/zip, omitted.)"),
    ],
    [
      "names invalid data",
      [{ type: "data", mimeType: "image/png", data: "no base64!" }],
      text("(Data of type image/png that cannot be read.)"),
    ],
    ["accepts a single part", { type: "text", value: "a" }, text("a")],
    ["shows other values as JSON", { a: [1] }, text(`{"a":[1]}`)],
    ["shows unknown parts as JSON", [{ type: "tree" }], text(`[{"type":"tree"}]`)],
    ["converts an absent result", undefined, text("(The tool returned nothing.)")],
    ["converts an empty text", [{ type: "text", value: "" }], text("(The tool returned nothing.)")],
    ["converts an empty list", [], text("(The tool returned nothing.)")],
  ];
  for (const [name, result, content] of table) test(name, () => deepEqual(toMcp(result), { content }));

  const failures = [
    "ERROR while calling tool: Tool rec_good is currently disabled by the user, and cannot be called.\nPlease check your input and try again.",
    'ERROR: The tool "no_such_tool" does not exist\nPlease check your input and try again.',
    "ERROR: Your input to the tool was invalid (must have required property 'a')\nPlease check your input and try again.",
    "ERROR while calling tool: boom\nfrom tool\nPlease check your input and try again.",
    "The user chose to skip the tool call, they want to proceed without running it",
    "The user cancelled the tool call.",
  ];
  for (const words of failures)
    test(`is failures for VS Code's error text: ${words.slice(0, 40)}…`, () => {
      equal(toMcp(words).isError, true);
      equal(toMcp([{ type: "text", value: words }]).isError, true);
      equal(toMcp(`Found in a log:\n${words}`).isError, undefined);
      equal(toMcp(`${words}\n3 more`).isError, undefined);
    });

  test("is successful for error text beside an image, and failed if marked as failed", () => {
    equal(
      toMcp([
        { type: "text", value: failures[0] },
        { type: "data", mimeType: "image/png", data: PNG },
      ]).isError,
      undefined,
    );
    equal(toMcp("fine", true).isError, true);
    equal(isFailure(undefined), false);
    deepEqual(refusal("No."), { content: text("No."), isError: true });
  });

  test("converts to a valid, non-empty MCP result", () => {
    const part = fc.oneof(
      fc.record({ type: fc.constant("text"), value: fc.string() }),
      fc.record({
        type: fc.constant("data"),
        mimeType: fc.constantFrom("image/png", "text/x", "audio/", "x", ""),
        data: fc.oneof(fc.string(), fc.base64String()),
      }),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(part), part, fc.constant(undefined)), fc.boolean(), (result, isError) => {
        const read = CallToolResultSchema.parse(toMcp(result, isError));
        ok(read.content.length > 0);
        ok(read.content.every(block => block.type !== "text" || block.text !== ""));
      }),
    );
  });
});
