import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { parse, type ParseError } from "jsonc-parser";
import { isObject, type JsonObject } from "../../rpc/json";
import { withJsonValues } from "./json-entry";
import { ConfigurationError } from "./symposium-entry";

const ENTRY = { agent_servers: { Symposium: { command: "node", args: ["run"], env: {} } } };

/** Value of a JSON text with comments. */
const read = (text: string): unknown => {
  const errors: ParseError[] = [],
    value: unknown = parse(text.replace("\uFEFF", ""), errors, { allowTrailingComma: true });
  deepEqual(errors, []);
  return value;
};

suite("withJsonValues", () => {
  for (const [title, text, values, expected] of [
    ["creates the text", "", ENTRY, undefined],
    ["adds to an empty object", "{}", { a: 1 }, '{\n  "a": 1\n}'],
    [
      "adds before the other properties, in their indentation",
      '{\n\t// theme\n\t"theme": "One", // mine\n}\n',
      { a: { b: 1 } },
      '{\n\t"a": {\n\t\t"b": 1\n\t},\n\t// theme\n\t"theme": "One", // mine\n}\n',
    ],
    [
      "keeps the line endings and the byte order mark",
      '\uFEFF{\r\n  "a": {\r\n  }\r\n}',
      { a: { b: 1, c: [2] } },
      '\uFEFF{\r\n  "a": {\r\n    "b": 1,\r\n    "c": [\r\n      2\r\n    ]\r\n  }\r\n}',
    ],
    [
      "replaces different values only, and keeps other keys and comments",
      '{ "s": { /* 1 */ "command": "old", "args": [ "run" ], "env": { "KEY": "v" }, "x": 1, } }',
      { s: { command: "node", args: ["run"], env: {} } },
      '{ "s": { /* 1 */ "command": "node", "args": [ "run" ], "env": { "KEY": "v" }, "x": 1, } }',
    ],
  ] as const)
    test(title, () => {
      const after = withJsonValues(text, values);
      equal(after, expected ?? `${JSON.stringify(values, undefined, 2)}\n`);
      equal(withJsonValues(after, values), after);
    });

  for (const [text, message] of [
    ["[]", /does not contain a JSON object/],
    ['{\n"a": 1,,\n}', /line 2 is not valid JSON/],
    ['{ "agent_servers": [] }', /“agent_servers” is not an object/],
    ['{ "agent_servers": { "Symposium": "node" } }', /“Symposium” is not an object/],
    ['{ "agent_servers": {}, "agent_servers": {} }', /“agent_servers” twice/],
  ] as const)
    test(`rejects ${text.replaceAll("\n", " ")}`, () => {
      throws(
        () => withJsonValues(text, ENTRY),
        (error: unknown) => error instanceof ConfigurationError && message.test(error.message),
      );
    });

  test("merges any values, once", () => {
    // A list with comments is replaced as a whole, so the lists have at most one item and no comment.
    const keys = fc.constantFrom("a", "b", "c"),
      leaves = fc.oneof(fc.string(), fc.integer(), fc.constantFrom([], [1])),
      objects = fc.dictionary(
        keys,
        fc.oneof(leaves, fc.dictionary(keys, leaves, { maxKeys: 2, noNullPrototype: true })),
        { maxKeys: 3, noNullPrototype: true },
      );
    fc.assert(
      fc.property(objects, objects, fc.constantFrom("", "  ", "\t"), fc.boolean(), (given, values, indent, comment) => {
        const plain = JSON.stringify(given, undefined, indent),
          text = comment ? plain.replaceAll(/\{(?=\n)/g, "{ // kept").replaceAll(/,(?=\n)/g, " /* kept */,") : plain;
        const expected = merged(given, values);
        if (expected === undefined) throws(() => withJsonValues(text, values), ConfigurationError);
        else {
          const after = withJsonValues(text, values);
          deepEqual(read(after), expected);
          equal(withJsonValues(after, values), after);
          equal(after.split("kept").length, text.split("kept").length);
        }
      }),
    );
  });
});

/** Undefined: an object cannot be merged into another value. */
function merged(given: JsonObject, values: JsonObject): JsonObject | undefined {
  const result: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(values)) {
    const before = given[name];
    if (before === undefined || !isObject(value)) result[name] = value;
    else {
      const inner = isObject(before) ? merged(before, value) : undefined;
      if (!inner) return undefined;
      result[name] = inner;
    }
  }
  return result;
}
