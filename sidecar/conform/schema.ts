/**
 * Validators for the published JSON schemas of ACP, from `@agentclientprotocol/sdk`. The unstable schemas contain the
 * stable ones, and a program may implement an unstable method behind its capability.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import schemaV1 from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json" with { type: "json" };
import schemaV2 from "@agentclientprotocol/sdk/schema/v2/schema.unstable.json" with { type: "json" };
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";

export type Version = 1 | 2;
export const VERSIONS: readonly Version[] = [1, 2];

/** Component that handles a method. All components handle `protocol` methods. */
export type Side = "agent" | "client" | "protocol";

/** Names of definitions in the schema. */
export interface MethodSchemas {
  readonly params?: string;
  readonly result?: string;
  readonly isNotification: boolean;
}

interface LoadedSchema {
  readonly definitions: Readonly<Record<string, JsonObject>>;
  readonly methods: ReadonlyMap<string, MethodSchemas>;
  readonly ajv: Ajv2020;
}

const SOURCES: Readonly<Record<Version, unknown>> = { 1: schemaV1, 2: schemaV2 };
const loaded = new Map<Version, LoadedSchema>();
/** Formats are not checked, because the schemas also specify ranges. */
const FORMATS = {
  uint16: true,
  uint32: true,
  uint64: true,
  int32: true,
  int64: true,
  double: true,
  uri: true,
  "date-time": true,
  regex: true,
} as const;

function schema(version: Version): LoadedSchema {
  const cached = loaded.get(version);
  if (cached) return cached;
  const source = objectOr(SOURCES[version]);
  const definitions = Object.fromEntries(
    Object.entries(objectOr(source.$defs)).map(([name, definition]) => [name, objectOr(definition)]),
  );
  // Not strict, because the schemas contain keywords for code generators.
  const ajv = new Ajv2020({ strict: false, formats: FORMATS, schemas: { acp: { $defs: definitions } } });
  const result = { definitions, methods: methodsIn(definitions), ajv };
  loaded.set(version, result);
  return result;
}

function methodsIn(definitions: Readonly<Record<string, JsonObject>>): ReadonlyMap<string, MethodSchemas> {
  const methods = new Map<string, MethodSchemas>();
  for (const [name, { "x-side": side, "x-method": method }] of Object.entries(definitions)) {
    if (typeof side !== "string" || typeof method !== "string") continue;
    const key = `${side} ${method}`,
      shapes = methods.get(key) ?? { isNotification: false };
    if (name.endsWith("Response")) methods.set(key, { ...shapes, result: name });
    else methods.set(key, { ...shapes, params: name, isNotification: name.endsWith("Notification") });
  }
  return methods;
}

/** Returns undefined if the specification does not define the method for this side. */
export function methodSchemas(version: Version, side: Side, method: string): MethodSchemas | undefined {
  const { methods } = schema(version);
  return methods.get(`${side} ${method}`) ?? methods.get(`protocol ${method}`);
}

/** Reason why the value does not match the definition: `/update/content must be object`. Undefined if it matches. */
export function schemaProblem(version: Version, definition: string, value: unknown): string | undefined {
  return problem(version, `acp#/$defs/${definition}`, { $ref: `acp#/$defs/${definition}` }, value);
}

/**
 * Same as `schemaProblem` for the `update` of `session/update`, selected by its `sessionUpdate`. Unknown kinds match.
 */
export function updateProblem(version: Version, update: unknown): string | undefined {
  if (!isObject(update) || typeof update.sessionUpdate !== "string") return "/update must have a sessionUpdate";
  const variant = updateVariants(version).get(update.sessionUpdate);
  if (!variant) return undefined;
  return problem(version, `update ${update.sessionUpdate}`, { $ref: `acp#/$defs/SessionUpdate/${variant}` }, update);
}

export function isKnownUpdate(version: Version, kind: string): boolean {
  return updateVariants(version).has(kind);
}

/** Path of each variant below the definition `SessionUpdate`. */
function updateVariants(version: Version): ReadonlyMap<string, string> {
  const union = objectOr(schema(version).definitions.SessionUpdate),
    key = "oneOf" in union ? "oneOf" : "anyOf";
  return new Map(
    arrayOr(union[key]).flatMap((variant, i): readonly (readonly [string, string])[] => {
      const kind = objectOr(objectOr(objectOr(variant).properties).sessionUpdate).const;
      return typeof kind === "string" ? [[kind, `${key}/${i}`]] : [];
    }),
  );
}

/** Members at the root of the value that the definition does not declare. */
export function customMembers(version: Version, definition: string, value: unknown): readonly string[] {
  const strict = { $ref: `acp#/$defs/${definition}`, unevaluatedProperties: false };
  const check = validator(version, `strict ${definition}`, strict);
  if (check(value)) return [];
  return (check.errors ?? []).flatMap(({ keyword, instancePath, params }) =>
    keyword === "unevaluatedProperties" && instancePath === ""
      ? [stringOr(objectOr(params).unevaluatedProperty, "")]
      : [],
  );
}

const validators = new Map<string, ValidateFunction>();

function validator(version: Version, key: string, definition: JsonObject): ValidateFunction {
  const name = `${version} ${key}`,
    cached = validators.get(name);
  if (cached) return cached;
  const compiled = schema(version).ajv.compile(definition);
  validators.set(name, compiled);
  return compiled;
}

function problem(version: Version, key: string, definition: JsonObject, value: unknown): string | undefined {
  const check = validator(version, key, definition);
  return check(value) ? undefined : selectError(check.errors ?? []);
}

/**
 * Selects the error deepest in the value among the errors of all variants of a union. A wrong discriminator has the
 * lowest weight at equal depth.
 */
function selectError(errors: readonly ErrorObject[]): string {
  const weight = ({ instancePath, keyword }: ErrorObject): number =>
    2 * instancePath.split("/").length - (keyword === "const" || keyword === "oneOf" || keyword === "anyOf" ? 1 : 0);
  const [first] = [...errors].sort((a, b) => weight(b) - weight(a));
  return first
    ? `${first.instancePath === "" ? "the value" : first.instancePath} ${first.message ?? "is invalid"}`
    : "the value is invalid";
}
