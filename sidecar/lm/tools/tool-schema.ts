/**
 * Converts a tool of VS Code to an MCP tool whose schema every client and model provider accepts. A rejected schema
 * affects all other tools: MCP clients drop the whole list, and providers reject the whole request. A schema is
 * therefore reduced to the members that all clients and providers accept. Only a tool whose schema cannot be reduced is
 * omitted. Pure.
 *
 * The reduced schema is never stricter than the original. VS Code validates the input with the original schema and
 * returns its errors to the agent.
 */
import { ALWAYS_LOAD } from "../../agent-workarounds";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { arrayOr, isObject, stringOr, type JsonObject } from "../../rpc/json";

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly _meta: JsonObject;
}

export type ObjectSchema = JsonObject & {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
};

const MAX_DEPTH = 12,
  MAX_REFS = 8,
  MAX_BYTES = 64 * 1024;
/** Maximum number of subschemas after references are resolved. The number can double at each level. */
const MAX_NODES = 5_000;
/** Parameter names that model providers accept. */
const PARAMETER = /^[a-zA-Z0-9_.-]{1,64}$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** `leftOut`: the reason why the tool cannot be offered, as the end of a sentence. */
export function normalised({
  name,
  description,
  inputSchema,
}: ChatTool): { readonly tool: McpTool } | { readonly leftOut: string } {
  if (name === "") return { leftOut: "it has no name" };
  const schema = objectSchema(inputSchema);
  return typeof schema === "string"
    ? { leftOut: schema }
    : { tool: { name, description: stringOr(description, ""), inputSchema: schema, _meta: ALWAYS_LOAD } };
}

class TooLarge extends Error {}

function objectSchema(given: unknown): ObjectSchema | string {
  if (given === undefined || given === null || given === true) return { type: "object", properties: {} };
  if (!isObject(given)) return "its schema is not an object";
  try {
    const schema = new SchemaReducer(given).root();
    return typeof schema === "string" || JSON.stringify(schema).length <= MAX_BYTES
      ? schema
      : `its schema is larger than ${MAX_BYTES / 1024} kB`;
  } catch (error) {
    if (error instanceof TooLarge) return "its schema has too many parts";
    throw error;
  }
}

/** Requirements on an object, before its parameters are converted. */
interface ObjectRequirements {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** Sets of parameters. At least one set must be complete. */
  readonly alternatives: readonly (readonly string[])[];
}

class SchemaReducer {
  #nodes = 0;

  constructor(private readonly document: JsonObject) {}

  root(): ObjectSchema | string {
    const { schema } = this.#followed(this.document, 0),
      requirements = this.#requirements(schema, 0, 0);
    if (!requirements) return "VS Code passes an object to tools, which its schema does not allow";
    const refused = requirements.required.find(name => !PARAMETER.test(name));
    if (refused !== undefined)
      return `it requires a parameter named “${refused.slice(0, 100)}”, which models cannot provide`;
    const properties = this.#properties(requirements.properties, 1, 0),
      required = requirements.required.filter(name => Object.hasOwn(properties, name));
    const description = [schema.description, alternatives(requirements.alternatives)]
      .filter(text => typeof text === "string" && text !== "")
      .join("\n");
    const combined = COMBINATORS.some(key => key in schema);
    return {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...(description === "" ? {} : { description }),
      ...(!combined && schema.additionalProperties === false ? { additionalProperties: false } : {}),
    };
  }

  /**
   * Requirements of the schema `given` on an object, with merged alternatives; `undefined` if `given` allows no object.
   */
  #requirements(given: unknown, depth: number, refs: number): ObjectRequirements | undefined {
    this.#count();
    if (!isObject(given)) return given === false ? undefined : NO_REQUIREMENTS;
    if (depth > MAX_DEPTH) return NO_REQUIREMENTS;
    const { schema, refs: deeper } = this.#followed(given, refs);
    const types = arrayOr(schema.type);
    if (typeof schema.type === "string" ? schema.type !== "object" : types.length > 0 && !types.includes("object"))
      return undefined;
    const own: ObjectRequirements = {
      properties: isObject(schema.properties) ? schema.properties : {},
      required: texts(schema.required),
      alternatives: [],
    };
    const all = arrayOr(schema.allOf).map(part => this.#requirements(part, depth + 1, deeper));
    for (const key of ["anyOf", "oneOf"] as const) {
      const parts = arrayOr(schema[key]),
        possible = parts.map(part => this.#requirements(part, depth + 1, deeper)).filter(part => part !== undefined);
      if (parts.length > 0) all.push(possible.length === 0 ? undefined : either(possible));
    }
    return all.reduce<ObjectRequirements | undefined>((first, second) => first && second && both(first, second), own);
  }

  #properties(given: unknown, depth: number, refs: number): Record<string, JsonObject> {
    if (!isObject(given)) return {};
    return Object.fromEntries(
      Object.entries(given)
        .filter(([name, schema]) => PARAMETER.test(name) && schema !== false)
        .map(([name, schema]) => [name, this.#node(schema, depth, refs)]),
    );
  }

  #node(given: unknown, depth: number, refs: number): JsonObject {
    this.#count();
    if (!isObject(given)) return {};
    const { schema, refs: deeper } = this.#followed(given, refs),
      type = typesOf(schema.type);
    const supported: Record<string, unknown> = type === undefined ? {} : { type };
    for (const [key, value] of Object.entries(schema)) if (PLAIN.get(key)?.(value) === true) supported[key] = value;
    const values = arrayOr(schema.enum).filter(isScalar);
    if (values.length > 0) supported.enum = [...new Set(values)];
    const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
    if (depth >= MAX_DEPTH) return isArray ? { ...supported, items: {} } : supported;
    return { ...supported, ...this.#children(schema, isArray, depth + 1, deeper) };
  }

  #children(schema: JsonObject, isArray: boolean, depth: number, refs: number): JsonObject {
    const supported: Record<string, unknown> = {},
      node = (each: unknown) => this.#node(each, depth, refs);
    if (isObject(schema.properties)) {
      const properties = (supported.properties = this.#properties(schema.properties, depth, refs));
      const required = texts(schema.required).filter(name => Object.hasOwn(properties, name));
      if (required.length > 0) supported.required = required;
    }
    const { additionalProperties: additional, items = schema.prefixItems } = schema;
    if (typeof additional === "boolean") supported.additionalProperties = additional;
    else if (isObject(additional)) supported.additionalProperties = node(additional);
    if (Array.isArray(items) && items.length > 0) supported.items = { anyOf: items.map(node) };
    else if (isArray || isObject(items)) supported.items = node(items);
    for (const key of COMBINATORS) {
      const parts = arrayOr(schema[key]);
      if (parts.length > 0) supported[key] = parts.map(node);
    }
    return supported;
  }

  /** Resolves references. A circular or external reference allows any value. */
  #followed(given: JsonObject, refs: number): { readonly schema: JsonObject; readonly refs: number } {
    let schema = given,
      followed = refs;
    while (typeof schema.$ref === "string") {
      const { $ref, ...own } = schema;
      if (followed++ >= MAX_REFS) return { schema: own, refs: followed };
      schema = { ...this.#target(String($ref)), ...own };
    }
    return { schema, refs: followed };
  }

  /** Resolves a JSON Pointer (RFC 6901) in the form of a URI fragment. */
  #target(ref: string): JsonObject {
    if (!ref.startsWith("#")) return {};
    let at: unknown = this.document;
    for (const step of decoded(ref.slice(1)).split("/").slice(1)) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      at = typeof at === "object" && at !== null ? Object.entries(at).find(([key]) => key === name)?.[1] : undefined;
    }
    return isObject(at) ? at : {};
  }

  #count(): void {
    if (++this.#nodes > MAX_NODES) throw new TooLarge();
  }
}

const NO_REQUIREMENTS: ObjectRequirements = { properties: {}, required: [], alternatives: [] };
const COMBINATORS = ["anyOf", "oneOf", "allOf"] as const;

function both(first: ObjectRequirements, second: ObjectRequirements): ObjectRequirements {
  return {
    properties: together([first.properties, second.properties], "allOf"),
    required: [...new Set([...first.required, ...second.required])],
    alternatives: [...first.alternatives, ...second.alternatives],
  };
}

function either(shapes: readonly ObjectRequirements[]): ObjectRequirements {
  const required = shapes.map(shape => shape.required).reduce((all, each) => all.filter(name => each.includes(name)));
  const sets = shapes.map(shape => shape.required.filter(name => !required.includes(name)));
  return {
    properties: together(
      shapes.map(({ properties }) => properties),
      "anyOf",
    ),
    required,
    alternatives: sets.every(set => set.length > 0) ? sets : [],
  };
}

/** Merges parameters. `combinator` combines different schemas of one parameter. */
function together(
  all: readonly Readonly<Record<string, unknown>>[],
  combinator: "anyOf" | "allOf",
): Record<string, unknown> {
  const names = new Set(all.flatMap(each => Object.keys(each)));
  return Object.fromEntries(
    [...names].map(name => {
      const schemas = all.filter(each => Object.hasOwn(each, name)).map(each => each[name]);
      const different = schemas.filter((schema, i) => schemas.findIndex(item => same(schema, item)) === i);
      return [name, different.length === 1 ? different[0] : { [combinator]: different }];
    }),
  );
}

/** Describes the alternatives in words, because the reduced schema cannot express them. */
function alternatives(sets: readonly (readonly string[])[]): string {
  return sets.length === 0 ? "" : `Needs one of: ${[...new Set(sets.map(set => set.join(" and ")))].join("; ")}.`;
}

function typesOf(type: unknown): string | readonly string[] | undefined {
  if (typeof type === "string") return TYPES.has(type) ? type : undefined;
  const supported = texts(type).filter(each => TYPES.has(each));
  return supported.length > 0 ? supported : undefined;
}

/** Members that are copied unchanged, with the validators of their values. */
const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    title: isText,
    description: isText,
    format: (value: unknown) => isText(value) && value !== "",
    pattern: isPattern,
    default: isScalar,
    const: isScalar,
    nullable: isBoolean,
    uniqueItems: isBoolean,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    multipleOf: (value: unknown) => isNumber(value) && Number(value) > 0,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minProperties: isCount,
    maxProperties: isCount,
  }),
);

function isText(value: unknown): boolean {
  return typeof value === "string";
}
function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}
function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}
function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
function isScalar(value: unknown): boolean {
  return value === null || isText(value) || isBoolean(value) || isNumber(value);
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function texts(value: unknown): readonly string[] {
  return [...new Set(arrayOr(value).filter(each => typeof each === "string"))];
}

function same(first: unknown, second: unknown): boolean {
  try {
    return first === second || JSON.stringify(first) === JSON.stringify(second);
  } catch {
    return false;
  } // too deep to be compared
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
