import { deepEqual, doesNotThrow, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { wrongValue, type Field } from "../../../src/protocol/chat/elicitation";
import { elicitationFrom } from "./elicitation";

const form = (properties: object, required: readonly string[] = []): unknown => ({
  mode: "form",
  message: "m",
  requestedSchema: { type: "object", properties, required },
});
function fields(properties: object, required: readonly string[] = []): readonly Field[] {
  const made = elicitationFrom(form(properties, required));
  if ("wrong" in made || made.ask.mode !== "form") throw new Error("no form");
  return made.ask.fields;
}

suite("elicitation", () => {
  test("has a field per property kind, in order, with limits and a default", () =>
    deepEqual(
      fields(
        {
          name: {
            type: "string",
            title: "Name",
            description: "yours",
            minLength: 1,
            maxLength: 9,
            pattern: "^a",
            format: "email",
            default: "a@b",
          },
          age: { type: "integer", minimum: 0, maximum: 150, default: 30 },
          size: { type: "number" },
          sure: { type: "boolean", default: true },
          colour: { type: "string", enum: ["red", "blue"], default: "blue" },
          shape: {
            type: "string",
            oneOf: [{ const: "o", title: "Round", description: "no corners" }],
            default: "none",
          },
          days: {
            type: "array",
            items: { type: "string", enum: ["mo", "tu"] },
            minItems: 1,
            maxItems: 2,
            default: ["mo"],
          },
          times: { type: "array", items: { anyOf: [{ const: "am", title: "Morning" }] } },
        },
        ["name"],
      ),
      [
        {
          name: "name",
          title: "Name",
          description: "yours",
          required: true,
          type: "text",
          minLength: 1,
          maxLength: 9,
          pattern: "^a",
          format: "email",
          initial: "a@b",
        },
        { name: "age", title: "age", required: false, type: "integer", minimum: 0, maximum: 150, initial: 30 },
        { name: "size", title: "size", required: false, type: "number" },
        { name: "sure", title: "sure", required: false, type: "boolean", initial: true },
        {
          name: "colour",
          title: "colour",
          required: false,
          type: "choice",
          options: [
            { value: "red", title: "red" },
            { value: "blue", title: "blue" },
          ],
          initial: "blue",
        },
        {
          name: "shape",
          title: "shape",
          required: false,
          type: "choice",
          options: [{ value: "o", title: "Round", description: "no corners" }],
        },
        {
          name: "days",
          title: "days",
          required: false,
          type: "choices",
          options: [
            { value: "mo", title: "mo" },
            { value: "tu", title: "tu" },
          ],
          minItems: 1,
          maxItems: 2,
          initial: ["mo"],
        },
        {
          name: "times",
          title: "times",
          required: false,
          type: "choices",
          options: [{ value: "am", title: "Morning" }],
        },
      ],
    ));

  test("omits an optional property of unknown kind and rejects a required one", () => {
    deepEqual(
      fields({ a: { type: "file" }, b: { type: "boolean" } }).map(({ name }) => name),
      ["b"],
    );
    match(
      JSON.stringify(elicitationFrom(form({ a: { type: "file" } }, ["a"]))),
      /the property “a” has an unknown type/,
    );
    match(
      JSON.stringify(
        elicitationFrom(form(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, { type: "boolean" }])))),
      ),
      /more than 50/,
    );
  });

  test("omits a default that exceeds any possible choice", () => {
    const days = (length: number): Field | undefined =>
      fields({ days: { type: "array", items: { enum: ["mo"] }, default: Array.from({ length }, () => "mo") } })[0];
    deepEqual(
      [500, 501].map(length => "initial" in (days(length) ?? {})),
      [true, false],
    );
  });

  test("opens only http and https pages", () => {
    const page = (url: unknown): unknown => elicitationFrom({ mode: "url", message: "m", elicitationId: "e", url });
    deepEqual(page("https://example.org/a b"), {
      message: "m",
      ask: { mode: "url", url: "https://example.org/a%20b", elicitationId: "e" },
    });
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "vscode://x/y", "command:x", "nonsense", "", 5])
      match(JSON.stringify(page(url)), /only http and https/);
    match(JSON.stringify(elicitationFrom({ mode: "url", url: "https://example.org" })), /elicitationId is missing/);
  });

  test("rejects an unknown mode", () =>
    deepEqual(elicitationFrom({ mode: "voice", message: "m" }), { wrong: "mode: “voice” is not supported" }));

  test("never throws for any agent input", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (properties, rest) => {
        doesNotThrow(() => [elicitationFrom(form(properties as object)), elicitationFrom(rest)]);
      }),
    ));
});

suite("form value", () => {
  const check = (property: object, value: Parameters<typeof wrongValue>[1], required = false): string | undefined => {
    const [field] = fields({ x: { title: "X", ...property } }, required ? ["x"] : []);
    return field && wrongValue(field, value);
  };
  const TABLE: readonly [property: object, valid: readonly unknown[], invalid: readonly unknown[]][] = [
    [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "🐎🐎", "", undefined], ["a", "abcd", 5]],
    [{ type: "string", format: "email" }, ["a@b"], ["a", "a b@c"]],
    [{ type: "string", format: "uri" }, ["https://a", "urn:x"], ["a", "//a"]],
    [{ type: "string", format: "date" }, ["2026-02-28"], ["2026-02-31", "1.2.2026"]],
    [{ type: "string", format: "date-time" }, ["2026-02-28T10:00:00Z"], ["2026-02-28"]],
    [{ type: "string", format: "colour", pattern: "(a+)+$" }, ["a".repeat(5000) + "!"], []],
    [{ type: "integer", minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, "1", Number.NaN]],
    [{ type: "number" }, [1.5], [Number.POSITIVE_INFINITY]],
    [{ type: "boolean" }, [true, false], ["true"]],
    [{ type: "string", enum: ["a"] }, ["a"], ["b"]],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2, maxItems: 2 }, [["a", "b"], []], [["a"], ["c", "a"]]],
  ];
  for (const [property, valid, invalid] of TABLE)
    test(`is validated for ${JSON.stringify(property)}`, () => {
      for (const value of valid) equal(check(property, value as string), undefined, String(value));
      for (const value of invalid) match(check(property, value as string) ?? "nothing was wrong", /^X/, String(value));
    });

  test("is rejected if required and missing", () => {
    for (const value of [undefined, ""]) equal(check({ type: "string" }, value, true), "X is required.");
    equal(check({ type: "array", items: { enum: ["a"] } }, [], true), "X is required.");
  });
});
