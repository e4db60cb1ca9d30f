import { doesNotThrow, throws } from "node:assert/strict";
import fc from "fast-check";
import { checkArguments, ToolFailure, type ObjectSchema } from "./tool";

const SCHEMA: ObjectSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", description: "d" },
    kind: { type: "string", description: "d", enum: ["a", "b"] },
    line: { type: "integer", description: "d", minimum: 1 },
    part: { type: "number", description: "d", minimum: 0, maximum: 1 },
    on: { type: "boolean", description: "d" },
    tags: { type: "array", description: "d", items: { type: "string" } },
    edits: {
      type: "array",
      description: "d",
      items: { type: "object", required: ["old"], properties: { old: { type: "string", description: "d" } } },
    },
  },
};

suite("tool argument", () => {
  test("is valid by the schema, with additional members and null for absent", () =>
    doesNotThrow(() =>
      checkArguments(SCHEMA, {
        name: "",
        kind: "b",
        line: 1,
        part: 0.5,
        on: false,
        tags: ["x"],
        edits: [{ old: "o", more: 1 }],
        unknown: {},
        color: null,
      }),
    ));

  const wrong: readonly [args: Record<string, unknown>, sentence: string][] = [
    [{}, "The argument “name” is missing."],
    [{ name: null }, "The argument “name” is missing."],
    [{ name: 1 }, "The argument “name” must be a text."],
    [{ name: "n", kind: "c" }, "The argument “kind” must be one of a, b."],
    [{ name: "n", line: 1.5 }, "The argument “line” must be a whole number."],
    [{ name: "n", line: 0 }, "The argument “line” must be 1 or more."],
    [{ name: "n", part: 2 }, "The argument “part” must be from 0 to 1."],
    [{ name: "n", part: "1" }, "The argument “part” must be a number."],
    [{ name: "n", on: "true" }, "The argument “on” must be true or false."],
    [{ name: "n", tags: "x" }, "The argument “tags” must be a list."],
    [{ name: "n", tags: ["x", 2] }, "The argument “tags[1]” must be a text."],
    [{ name: "n", edits: [1] }, "The argument “edits[0]” must be an object."],
    [{ name: "n", edits: [{}] }, "The argument “edits[0].old” is missing."],
  ];
  for (const [args, sentence] of wrong)
    test(`rejects ${JSON.stringify(args)}: ${sentence}`, () =>
      throws(() => checkArguments(SCHEMA, args), { name: "ToolFailure", message: sentence }));

  test("is accepted, or rejected with a sentence, for any input", () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("a", 1, -1, true, ["x"], [{ old: "y" }]));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(SCHEMA.properties), "other"), value), args => {
        try {
          checkArguments(SCHEMA, args);
        } catch (error) {
          if (!(error instanceof ToolFailure)) throw error;
        }
      }),
    );
  });
});
