/**
 * Building blocks of the wire schemas, based on valibot: size limits, and errors that name the position. The schemas
 * validate values of untrusted programs, and check sizes before content. Pure.
 *
 * Programs that only need the types import them with `import type`, so that their bundles do not contain valibot.
 */
import * as v from "valibot";
import { isObject, type Fields } from "./json";

export type Schema<T> = v.GenericSchema<unknown, T>;

type DeepReadonly<T> = unknown extends T
  ? T
  : T extends string | number | boolean | undefined
    ? T
    : T extends readonly (infer E)[]
      ? readonly DeepReadonly<E>[]
      : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/** Output type of a schema, deeply read-only. */
export type Infer<S extends v.GenericSchema> = DeepReadonly<v.InferOutput<S>>;

/** At most `maxLength` UTF-16 units. */
export const text = (maxLength: number) => v.pipe(v.string(), v.maxLength(maxLength));

/** Like `text`, and not empty. */
export const filled = (maxLength: number) => v.pipe(v.string(), v.maxLength(maxLength), v.nonEmpty());

/** Like `text`, and matches `pattern`. */
export const matching = (maxLength: number, pattern: RegExp) =>
  v.pipe(v.string(), v.maxLength(maxLength), v.regex(pattern));

export const finite = v.pipe(v.number(), v.finite());

/** A whole number from `min`. */
export const whole = (min: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(min));

/** A whole number from 0. */
export const count = whole(0);

const sized = (limit: number) =>
  v.custom<unknown[]>(value => Array.isArray(value) && value.length <= limit, `a list of at most ${limit}`);

export const list = <S extends v.GenericSchema>(item: S, limit: number) => v.pipe(sized(limit), v.array(item));

/** A list without its mismatching items, which another version may have saved. */
export const fitting = <T>(item: Schema<T>, limit: number) =>
  v.pipe(
    sized(limit),
    v.transform(items =>
      items.flatMap((value): readonly T[] => {
        const parsed = v.safeParse(item, value, { abortEarly: true });
        return parsed.success ? [parsed.output] : [];
      }),
    ),
  );

const OMITTED = v.pipe(
  v.unknown(),
  v.transform(() => undefined),
);

/** A list without the items that `isKnown` rejects. The other items must match. */
export const known = <T>(item: Schema<T>, isKnown: (value: unknown) => boolean) =>
  v.pipe(
    v.array(v.lazy((value): Schema<T | undefined> => (isKnown(value) ? item : OMITTED))),
    v.transform((items): readonly T[] => items.filter(value => value !== undefined)),
  );

/** A member of `compact` that is absent if its value does not match. */
export const ifValid = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);

type IsAbsent<T> = unknown extends T ? false : undefined extends T ? true : false;
type Compact<T> = { [K in keyof T as IsAbsent<T[K]> extends true ? never : K]: T[K] } & {
  [K in keyof T as IsAbsent<T[K]> extends true ? K : never]?: Exclude<T[K], undefined>;
};

/** An object without the members whose value is `undefined`. */
export const compact = <E extends v.ObjectEntries>(entries: E) =>
  v.pipe(
    v.object(entries),
    v.transform(
      fields =>
        Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Compact<typeof fields>,
    ),
  );

/** An object with arbitrary names, including those of object members, whose values all match the schema. */
export const record = <T>(name: Schema<string>, item: Schema<T>, limit: number) =>
  v.pipe(
    v.custom<Fields>(
      value => isObject(value) && Object.keys(value).length <= limit,
      `an object of at most ${limit} fields`,
    ),
    v.transform((fields): unknown => Object.entries(fields)),
    pairs(name, item),
    v.transform((entries): Readonly<Record<string, T>> => Object.fromEntries(entries)),
  );

const pairs = <T>(name: Schema<string>, item: Schema<T>): Schema<[string, T][]> => v.array(v.tuple([name, item]));

/** An arbitrary object of at most `maxLength` characters of JSON, for the log. */
export const json = (maxLength: number) =>
  v.custom<Fields>(
    value => isObject(value) && JSON.stringify(value).length <= maxLength,
    `an object of at most ${maxLength} characters`,
  );

export type Validation<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly why: string };

/**
 * Returns a copy of the message with the known fields only. `why` names the position and the expected value, but no
 * content of the message.
 */
export function validated<S extends v.GenericSchema>(schema: S, value: unknown): Validation<Infer<S>> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  return parsed.success
    ? { ok: true, message: parsed.output as Infer<S> }
    : { ok: false, why: mismatch(parsed.issues[0]) };
}

/** The value with the known fields only; `undefined` if it does not match. */
export function parsed<S extends v.GenericSchema>(schema: S, value: unknown): Infer<S> | undefined {
  const validation = validated(schema, value);
  return validation.ok ? validation.message : undefined;
}

function mismatch({ kind, type, path, message, expected, received }: v.BaseIssue<unknown>): string {
  // Names of a record are third-party text and are not part of a path, because a record is checked as a list of pairs.
  const position = (path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  if (type === "custom" || type === "check") return `message${position}: expected ${message}`;
  if (position !== "" && received === "undefined") return `message${position}: missing`;
  return `message${position}: ${kind === "schema" ? "wrong type, " : ""}expected ${expected ?? type}`;
}
