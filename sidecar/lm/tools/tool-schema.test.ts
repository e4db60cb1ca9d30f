import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ToolSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import fc from "fast-check";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { RECORDED_TOOLS } from "../fixtures/recorded";
import { normalised, type ObjectSchema } from "./tool-schema";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const RUNS = propertyRuns(600);
const tool = (inputSchema?: unknown): ChatTool => ({
  name: "t",
  description: "d",
  ...(inputSchema === undefined ? {} : { inputSchema }),
});

function schemaOf(inputSchema: unknown): ObjectSchema {
  const result = normalised(tool(inputSchema));
  if ("leftOut" in result) throw new Error(result.leftOut);
  accepted(result.tool);
  return result.tool.inputSchema;
}

function whyNot(inputSchema: unknown): string {
  const result = normalised(tool(inputSchema));
  return "leftOut" in result ? result.leftOut : "";
}

/**
 * Validates with the SDK's client and with a schema compiler. The client rejects a wrong structure, and the compiler an
 * invalid schema.
 */
function accepted(given: unknown): void {
  const read = ToolSchema.safeParse(JSON.parse(JSON.stringify(given)));
  ok(read.success, read.error?.message);
  new AjvJsonSchemaValidator().getValidator(read.data.inputSchema as never);
}

function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>];
  return [...own, ...Object.values(value).flatMap(schemasIn)];
}

const EMPTY = { type: "object", properties: {} };

suite("tool schema", () => {
  test("accepts every recorded VS Code tool and keeps valid schemas unchanged", () => {
    ok(RECORDED_TOOLS.length >= 48);
    for (const each of RECORDED_TOOLS) {
      const result = normalised(each);
      ok("tool" in result, each.name);
      accepted(result.tool);
      deepEqual(result.tool._meta, { "anthropic/alwaysLoad": true });
      if (each.inputSchema === undefined) deepEqual(result.tool.inputSchema, EMPTY, each.name);
    }
    const good = RECORDED_TOOLS.filter(({ name }) =>
      ["rec_good", "grep_search", "get_errors", "manage_todo_list", "runSubagent"].includes(name),
    );
    equal(good.length, 5);
    for (const each of good) deepEqual(schemaOf(each.inputSchema), each.inputSchema, each.name);
  });

  const empty: readonly unknown[] = [
    undefined,
    null,
    true,
    {},
    { type: "object" },
    { type: null },
    { type: ["object", "null"] },
    { type: "object", properties: null },
    { type: "object", properties: [], required: "x" },
    { $ref: "#" },
  ];
  for (const schema of empty)
    test(`becomes an empty object: ${JSON.stringify(schema)}`, () => deepEqual(schemaOf(schema), EMPTY));

  const impossible: readonly unknown[] = [
    false,
    "object",
    7,
    [],
    { type: "string" },
    { type: ["array", "null"] },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    { allOf: [{ type: "object" }, { type: "array" }] },
    { oneOf: [false] },
    { $ref: "#/$defs/a", $defs: { a: { type: "integer" } } },
  ];
  for (const schema of impossible)
    test(`is rejected: ${JSON.stringify(schema)}`, () =>
      match(whyNot(schema), /^its schema is not an object$|does not allow$/));

  test("merges root alternatives into one object with all parameters and the common required ones", () => {
    deepEqual(
      schemaOf({
        description: "Finds.",
        anyOf: [
          {
            type: "object",
            properties: { a: { type: "string" }, b: { type: "number" } },
            required: ["a", "b"],
            additionalProperties: false,
          },
          { properties: { a: { type: "integer" }, c: {} }, required: ["c", "a"] },
          { type: "string" },
        ],
      }),
      {
        type: "object",
        properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] }, b: { type: "number" }, c: {} },
        required: ["a"],
        description: "Finds.\nNeeds one of: b; c.",
      },
    );
  });

  test("merges allOf into one object", () => {
    deepEqual(
      schemaOf({
        properties: { a: { type: "string" } },
        required: ["a"],
        additionalProperties: false,
        allOf: [{ $ref: "#/definitions/more" }, { properties: { a: { minLength: 2 } } }],
        definitions: { more: { properties: { b: { type: "boolean" } }, required: ["b"] } },
      }),
      {
        type: "object",
        properties: { a: { allOf: [{ type: "string" }, { minLength: 2 }] }, b: { type: "boolean" } },
        required: ["a", "b"],
      },
    );
  });

  test("adds missing items to arrays at any depth and converts tuples to alternatives", () => {
    deepEqual(
      schemaOf({
        properties: {
          a: { type: "array" },
          b: { type: ["null", "array"], items: true },
          c: { items: [{ type: "string" }, {}] },
          d: { type: "array", prefixItems: [{ type: "null" }] },
          e: { properties: { f: { type: "array", items: [] } } },
        },
      }).properties,
      {
        a: { type: "array", items: {} },
        b: { type: ["null", "array"], items: {} },
        c: { items: { anyOf: [{ type: "string" }, {}] } },
        d: { type: "array", items: { anyOf: [{ type: "null" }] } },
        e: { properties: { f: { type: "array", items: {} } } },
      },
    );
  });

  test("resolves references to definitions, escaped pointers and chains, and broken references to any value", () => {
    const { properties } = schemaOf({
      properties: {
        a: { $ref: "#/$defs/x", description: "mine" },
        b: { $ref: "#/$defs/a~1b%20c" },
        c: { $ref: "https://example.invalid/s" },
        d: { $ref: "#/nowhere" },
        e: { $ref: "#/__proto__/x" },
        f: { $ref: "#/%" },
      },
      $defs: {
        x: { $ref: "#/$defs/y", title: "x" },
        y: { type: "string", description: "theirs" },
        "a/b c": { type: "boolean" },
      },
    });
    deepEqual(properties, {
      a: { type: "string", description: "mine", title: "x" },
      b: { type: "boolean" },
      c: {},
      d: {},
      e: {},
      f: {},
    });
  });

  test("limits the expansion of recursive references", () => {
    const text = JSON.stringify(
      schemaOf({
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
        properties: { list: { $ref: "#/$defs/node" } },
      }),
    );
    equal(text.match(/next/g)?.length, 8);
    deepEqual(schemaOf({ properties: { a: { $ref: "#/properties/a" } } }).properties, { a: {} });
  });

  test("rejects exponentially expanding references without expanding them", () => {
    const level = (n: number) => ({
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { $ref: `#/$defs/l${n + 1}` }])),
    });
    const $defs = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`l${n}`, level(n)]));
    equal(whyNot({ $defs, ...level(-1) }), "its schema has too many parts");
  });

  test("limits the nesting depth and rejects large schemas", () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 5_000; i++) deep = { type: "object", properties: { a: deep } };
    equal(JSON.stringify(schemaOf(deep)).match(/"a"/g)?.length, 12);
    let arrays: object = { type: "string" };
    for (let i = 0; i < 100; i++) arrays = { type: "array", items: arrays };
    ok(schemasIn(schemaOf({ properties: { a: arrays } })).every(each => each.type !== "array" || "items" in each));
    let combined: object = { properties: { far: {} } };
    for (let i = 0; i < 4_900; i++) combined = { allOf: [combined] };
    deepEqual(schemaOf({ ...combined, properties: { near: {} } }).properties, { near: {} });
    const deeper = (): object =>
        Array.from({ length: 50_000 }).reduce<object>(inner => ({ type: "object", properties: { a: inner } }), {}),
      first = deeper();
    const either = (a: object, b: object) =>
      Object.keys(schemaOf({ anyOf: [{ properties: { p: a } }, { properties: { p: b } }] }).properties.p ?? {});
    deepEqual([either(first, first), either(first, deeper())], [["type", "properties"], ["anyOf"]]);
    equal(
      whyNot({ properties: { a: { enum: Array.from({ length: 10_000 }, (_, i) => `value ${i}`) } } }),
      "its schema is larger than 64 kB",
    );
  });

  test("drops draft 4 keywords, unknown types, invalid values and VS Code's own members", () => {
    deepEqual(
      schemaOf({
        $schema: "http://json-schema.org/draft-04/schema#",
        $id: "x",
        if: {},
        then: {},
        not: {},
        enum: [1],
        patternProperties: { x: 1 },
        required: ["a", "a", "gone", 7],
        properties: {
          a: {
            type: "any",
            required: true,
            minimum: 1,
            exclusiveMinimum: true,
            maxLength: -1,
            pattern: "(",
            format: 3,
            enum: [],
            markdownDescription: "x",
            description: 1,
            default: {},
          },
          b: {
            type: ["string", "string", "file"],
            enum: ["x", "x", {}],
            default: "x",
            pattern: "^x",
            multipleOf: 0,
            minItems: 1.5,
          },
          c: "string",
          d: false,
          e: { additionalProperties: { type: "array" } },
          f: { anyOf: [], additionalProperties: "no" },
        },
      }),
      {
        type: "object",
        required: ["a"],
        properties: {
          a: { minimum: 1 },
          b: { type: ["string"], enum: ["x"], default: "x", pattern: "^x" },
          c: {},
          e: { additionalProperties: { type: "array", items: {} } },
          f: {},
        },
      },
    );
  });

  test("drops a parameter whose name model providers reject, or the tool if it is required", () => {
    deepEqual(
      schemaOf({
        properties: { $filter: {}, "ein Wort": {}, ok: { properties: { "a b": {}, c: {} }, required: ["a b", "c"] } },
      }).properties,
      { ok: { properties: { c: {} }, required: ["c"] } },
    );
    match(
      whyNot({ properties: { "ein Wort": {} }, required: ["ein Wort"] }),
      /^it requires a parameter named “ein Wort”/,
    );
  });

  test("keeps parameters named like schema keywords or object members", () => {
    const given = JSON.parse(
      `{"type":"object","properties":{"$ref":{"type":"string"},"type":{"type":"array"},"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["type","constructor"]}`,
    ) as unknown;
    deepEqual(Object.keys(schemaOf(given).properties), ["type", "__proto__", "constructor"]);
    deepEqual(schemaOf({ properties: { a: { properties: { toString: { type: "number" } } } } }).properties.a, {
      properties: { toString: { type: "number" } },
    });
    deepEqual(schemaOf(JSON.parse(`{"properties":{"a":{"__proto__":1,"constructor":1,"toString":1}}}`)).properties, {
      a: {},
    });
  });

  test("rejects a tool without a name", () =>
    deepEqual(normalised({ name: "", description: "" }), { leftOut: "it has no name" }));

  test("replaces an invalid description by an empty one", () => {
    const result = normalised({ name: "t", description: null as never });
    equal("tool" in result && result.tool.description, "");
  });

  test("is rejected or valid for every MCP client, for random schemas", () => {
    const word = fc.constantFrom(
      "type",
      "properties",
      "items",
      "required",
      "anyOf",
      "oneOf",
      "allOf",
      "$ref",
      "$defs",
      "enum",
      "const",
      "default",
      "description",
      "additionalProperties",
      "a",
      "b",
      "minimum",
      "pattern",
      "prefixItems",
      "format",
      "minLength",
      "__proto__",
      "x y",
    );
    const { schema } = fc.letrec(tie => ({
      leaf: fc.oneof(
        fc.constantFrom<unknown>(
          "object",
          "array",
          "string",
          "null",
          "any",
          "#",
          "#/$defs/a",
          "#/properties/a",
          "a",
          "(",
          true,
          false,
          null,
          0,
          -1,
          1.5,
        ),
        fc.string({ maxLength: 3 }),
      ),
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        tie("leaf"),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(word, tie("schema"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(schema, given => {
        const before = JSON.stringify(given),
          result = normalised(tool(given));
        equal(JSON.stringify(given), before, "what VS Code gave is not changed");
        if ("leftOut" in result) return;
        accepted(result.tool);
        const { inputSchema } = result.tool;
        ok(!["anyOf", "oneOf", "allOf", "enum", "not", "$ref"].some(member => member in inputSchema));
        const inside = schemasIn(Object.values(inputSchema.properties));
        ok(
          inside.every(
            each => typeof each.$ref !== "string" && (each.type !== "array" || typeof each.items === "object"),
          ),
          JSON.stringify(inputSchema),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
