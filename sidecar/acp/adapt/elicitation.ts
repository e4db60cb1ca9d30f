/**
 * Converts `elicitation/create` to a form or a page to visit (ACP schema v1, `CreateElicitationRequest`). Pure; an
 * unsupported request yields the reason.
 */
import type { Field, FieldOption, FormAsk, UrlAsk } from "../../../src/protocol/chat/elicitation";
import { arrayOr, cut, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";

export type Elicitable = { readonly message: string; readonly ask: FormAsk | UrlAsk } | { readonly wrong: string };

const TEXT_LIMIT = 10_000,
  FIELD_LIMIT = 50,
  OPTION_LIMIT = 500;

export function elicitationFrom(raw: unknown): Elicitable {
  const params = objectOr(raw);
  const message = cut(stringOr(params.message, ""), TEXT_LIMIT);
  switch (params.mode) {
    case "form":
      return form(message, objectOr(params.requestedSchema));
    case "url":
      return page(message, params);
    default:
      return { wrong: `mode: “${stringOr(params.mode, "(none)")}” is not supported` };
  }
}

/** Accepts only http and https: other schemes could start a program on the user's machine. */
function page(message: string, { url, elicitationId }: JsonObject): Elicitable {
  if (typeof elicitationId !== "string") return { wrong: "elicitationId is missing" };
  const text = stringOr(url, "");
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    return { wrong: "url: only http and https can be opened" };
  return { message, ask: { mode: "url", url: new URL(text).href, elicitationId } };
}

function form(message: string, schema: JsonObject): Elicitable {
  const required = new Set(arrayOr(schema.required)),
    all = Object.entries(objectOr(schema.properties));
  if (all.length > FIELD_LIMIT) return { wrong: `requestedSchema: more than ${FIELD_LIMIT} properties` };
  const fields: Field[] = [];
  for (const [name, property] of all) {
    const field = isObject(property) ? fieldOf(name, property, required.has(name)) : undefined;
    if (field) fields.push(field);
    else if (required.has(name)) return { wrong: `requestedSchema: the property “${name}” has an unknown type` };
  }
  const title = stringOr(schema.title, undefined),
    description = stringOr(schema.description, undefined);
  return {
    message,
    ask: {
      mode: "form",
      fields,
      ...(title === undefined ? {} : { title: cut(title, TEXT_LIMIT) }),
      ...(description === undefined ? {} : { description: cut(description, TEXT_LIMIT) }),
    },
  };
}

function fieldOf(name: string, property: JsonObject, required: boolean): Field | undefined {
  const description = stringOr(property.description, undefined);
  const named = {
    name,
    title: cut(stringOr(property.title, name), TEXT_LIMIT),
    required,
    ...(description === undefined ? {} : { description: cut(description, TEXT_LIMIT) }),
  };
  switch (property.type) {
    case "string": {
      const options = optionsOf(property);
      return options
        ? { ...named, type: "choice", options, ...initial(property.default, isOneOf(options)) }
        : { ...named, type: "text", ...limits(property) };
    }
    case "number":
    case "integer":
      return {
        ...named,
        type: property.type,
        ...given("minimum", property.minimum, isNumber),
        ...given("maximum", property.maximum, isNumber),
        ...initial(property.default, isNumber),
      };
    case "boolean":
      return { ...named, type: "boolean", ...initial(property.default, isBoolean) };
    case "array": {
      const options = optionsOf(objectOr(property.items));
      return (
        options && {
          ...named,
          type: "choices",
          options,
          ...given("minItems", property.minItems, isNumber),
          ...given("maxItems", property.maxItems, isNumber),
          ...initial(property.default, areOf(options)),
        }
      );
    }
    default:
      return undefined;
  }
}

function limits(property: JsonObject): Partial<Extract<Field, { readonly type: "text" }>> {
  return {
    ...given("minLength", property.minLength, isNumber),
    ...given("maxLength", property.maxLength, isNumber),
    ...given("format", property.format, isText),
    ...given("pattern", property.pattern, isText),
    ...initial(property.default, isText),
  };
}

/** The choices of `enum`, or of `oneOf` and `anyOf` with titles; `undefined` if any value is allowed. */
function optionsOf(property: JsonObject): readonly FieldOption[] | undefined {
  const titled = [property.oneOf, property.anyOf].find(Array.isArray);
  if (titled)
    return titled
      .filter(isObject)
      .filter(({ const: value }) => typeof value === "string")
      .slice(0, OPTION_LIMIT)
      .map(each => {
        const value = String(each.const),
          description = stringOr(each.description, undefined);
        return { value, title: stringOr(each.title, value), ...(description === undefined ? {} : { description }) };
      });
  return Array.isArray(property.enum)
    ? property.enum
        .filter(isText)
        .slice(0, OPTION_LIMIT)
        .map(value => ({ value, title: value }))
    : undefined;
}

function given<K extends string, T>(
  key: K,
  value: unknown,
  isValid: (value: unknown) => value is T,
): { readonly [P in K]?: T } {
  return isValid(value) ? ({ [key]: value } as { readonly [P in K]?: T }) : {};
}

function initial<T>(value: unknown, isValid: (value: unknown) => value is T): { readonly initial?: T } {
  return given("initial", value, isValid);
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= TEXT_LIMIT;
const isNumber = (value: unknown): value is number =>
  numberOr(value, undefined) !== undefined && Number.isFinite(value);
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isOneOf =
  (options: readonly FieldOption[]) =>
  (value: unknown): value is string =>
    options.some(option => option.value === value);
const areOf =
  (options: readonly FieldOption[]) =>
  (values: unknown): values is readonly string[] =>
    Array.isArray(values) && values.length <= OPTION_LIMIT && values.every(isOneOf(options));
