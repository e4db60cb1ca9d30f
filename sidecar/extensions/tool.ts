/** Contract of an extension's tool, and validation of its arguments. Pure. */
import { isObject, type JsonObject } from "../rpc/json";

/** Supported JSON Schema subset for members of `inputSchema`. Descriptions are for the model. */
export type ArgumentSchema =
  | { readonly type: "string"; readonly description: string; readonly enum?: readonly string[] }
  | {
      readonly type: "number" | "integer";
      readonly description: string;
      readonly minimum?: number;
      readonly maximum?: number;
    }
  | { readonly type: "boolean"; readonly description: string }
  | { readonly type: "array"; readonly description: string; readonly items: { readonly type: "string" } | ObjectSchema }
  | ObjectSchema;

export interface ObjectSchema {
  readonly type: "object";
  readonly description?: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
}

export interface ToolCall {
  /** Aborts when the agent cancels the call or its client disconnects. */
  readonly signal: AbortSignal;
  /** Sends a progress message (one sentence) to clients that requested progress. */
  progress(message: string): void;
}

/** A string, or structured data. The model receives the data as JSON, or only `text` if both are present. */
export type ToolAnswer =
  | string
  | { readonly structured?: JsonObject; readonly text?: string; readonly isError?: boolean };

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** MCP annotations: hints for clients that ask their user. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /**
   * `args` conform to `inputSchema`. The message of a thrown `ToolFailure` becomes the result, with `isError`. Any
   * other error is a bug and is logged.
   */
  call(args: JsonObject, call: ToolCall): Promise<ToolAnswer>;
}

/** `message`: a sentence for the model that suggests a remedy. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/** Throws a `ToolFailure` that names the first invalid argument. Members without a schema are ignored. */
export function checkArguments(schema: ObjectSchema, args: JsonObject, where = ""): void {
  const missing = schema.required?.find(name => args[name] === undefined || args[name] === null);
  if (missing !== undefined) throw new ToolFailure(`The argument “${where}${missing}” is missing.`);
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = args[name];
    if (value !== undefined && value !== null) checkValue(property, value, `${where}${name}`);
  }
}

function checkValue(schema: ArgumentSchema | { readonly type: "string" }, value: unknown, name: string): void {
  const wrong = (what: string): ToolFailure => new ToolFailure(`The argument “${name}” must be ${what}.`);
  switch (schema.type) {
    case "string":
      if (typeof value !== "string") throw wrong("a text");
      if ("enum" in schema && !schema.enum.includes(value)) throw wrong(`one of ${schema.enum.join(", ")}`);
      return;
    case "number":
    case "integer": {
      const { minimum = -Infinity, maximum = Infinity } = schema;
      if (typeof value !== "number" || (schema.type === "integer" && !Number.isInteger(value)))
        throw wrong(schema.type === "integer" ? "a whole number" : "a number");
      if (value < minimum || value > maximum)
        throw wrong(
          minimum === -Infinity
            ? `${maximum} or less`
            : maximum === Infinity
              ? `${minimum} or more`
              : `from ${minimum} to ${maximum}`,
        );
      return;
    }
    case "boolean":
      if (typeof value !== "boolean") throw wrong("true or false");
      return;
    case "array":
      if (!Array.isArray(value)) throw wrong("a list");
      value.forEach((item: unknown, i) => checkValue(schema.items, item, `${name}[${i}]`));
      return;
    case "object":
      if (!isObject(value)) throw wrong("an object");
      checkArguments(schema, value, `${name}.`);
  }
}
