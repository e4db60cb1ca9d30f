/**
 * Schemas for values from an untrusted program. A `Shape` returns a copy with the known fields only, or throws a
 * `Mismatch` that names the position. Pure.
 */
import { isObject, type Fields } from "../protocol/json";

class Mismatch extends Error {
  override readonly name = "Mismatch";
}

export type Shape<T> = (value: unknown, where: string) => T;

/** At most `longest` UTF-16 units. */
export const text =
  (longest: number): Shape<string> =>
  (value, where) =>
    typeof value === "string" && value.length <= longest
      ? value
      : mismatch(where, `a text of at most ${longest} characters`);

export const filled =
  (longest: number): Shape<string> =>
  (value, where) =>
    value === "" ? mismatch(where, "a non-empty text") : text(longest)(value, where);

/** At most `longest` UTF-16 units, of the form that `what` names. */
export const matching =
  (form: RegExp, what: string, longest: number): Shape<string> =>
  (value, where) =>
    form.test(text(longest)(value, where)) ? text(longest)(value, where) : mismatch(where, what);

export const count: Shape<number> = (value, where) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : mismatch(where, "a non-negative integer");

/** A whole number from 1, such as a line number. */
export const ordinal: Shape<number> = (value, where) =>
  value === 0 ? mismatch(where, "a positive integer") : count(value, where);

export const number: Shape<number> = (value, where) =>
  typeof value === "number" && Number.isFinite(value) ? value : mismatch(where, "a number");

export const yesOrNo: Shape<boolean> = (value, where) =>
  typeof value === "boolean" ? value : mismatch(where, "true or false");

/** A delivery position. -1 is the position before the first event. */
export const position: Shape<number> = (value, where) => (value === -1 ? -1 : count(value, where));

export const oneOf =
  <const T extends string>(...known: readonly T[]): Shape<T> =>
  (value, where) =>
    known.find(word => word === value) ?? mismatch(where, `one of ${known.join(", ")}`);

export const just =
  <const T extends string | boolean>(only: T): Shape<T> =>
  (value, where) =>
    value === only ? only : mismatch(where, JSON.stringify(only));

export const list =
  <T>(item: Shape<T>, most: number): Shape<readonly T[]> =>
  (value, where) => {
    if (!Array.isArray(value) || value.length > most) return mismatch(where, `a list of at most ${most}`);
    return value.map((each: unknown, i) => item(each, `${where}[${i}]`));
  };

/**
 * A list from which mismatching items are dropped. Another version may have saved it, and the other items are useful.
 */
export const fitting =
  <T>(item: Shape<T>, most: number): Shape<readonly T[]> =>
  (value, where) => {
    if (!Array.isArray(value) || value.length > most) return mismatch(where, `a list of at most ${most}`);
    return value.flatMap((each: unknown): readonly T[] => {
      try {
        return [item(each, where)];
      } catch (error) {
        if (error instanceof Mismatch) return [];
        throw error;
      }
    });
  };

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type Read<S extends Shapes> = { readonly [K in keyof S]: S[K] extends Shape<infer T> ? T : never };
/** The type of absent optional fields. */
type None = Record<never, never>;

/** An object with required and optional fields. */
export function object<R extends Shapes, O extends Shapes = None>(
  required: R,
  optional?: O,
): Shape<Read<R> & Partial<Read<O>>>;
export function object(required: Shapes, optional: Shapes = {}): Shape<Fields> {
  return (value, where) => {
    const fields = isObject(value) ? value : mismatch(where, "an object");
    return Object.fromEntries([
      ...Object.entries(required).map(([name, shape]) => [name, shape(fields[name], `${where}.${name}`)] as const),
      ...Object.entries(optional).flatMap(([name, shape]) =>
        fields[name] === undefined ? [] : [[name, shape(fields[name], `${where}.${name}`)] as const],
      ),
    ]);
  };
}

/** An object with arbitrary names whose values all have this shape. */
export const record =
  <T>(name: Shape<string>, item: Shape<T>, most: number): Shape<Readonly<Record<string, T>>> =>
  (value, where) => {
    const fields = isObject(value) ? Object.entries(value) : mismatch(where, "an object");
    if (fields.length > most) return mismatch(where, `an object of at most ${most} fields`);
    return Object.fromEntries(
      fields.map(([key, each]) => [name(key, `a name in ${where}`), item(each, `a value in ${where}`)]),
    );
  };

/** A value of one of several `typeof` types; `object` means a list. */
export const byType =
  <T>(shapes: { readonly [type in "string" | "number" | "boolean" | "object"]?: Shape<T> }): Shape<T> =>
  (value, where) => {
    const type = typeof value;
    const shape =
      type === "string" || type === "number" || type === "boolean" || type === "object" ? shapes[type] : undefined;
    return shape ? shape(value, where) : mismatch(where, `one of ${Object.keys(shapes).join(", ")}`);
  };

/** One of several shapes, selected by the string in the field `tag`. */
export const tagged =
  <T>(tag: string, shapes: { readonly [name: string]: Shape<T> }): Shape<T> =>
  (value, where) => {
    const name = isObject(value) ? value[tag] : undefined;
    const shape = typeof name === "string" && Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    return shape ? shape(value, where) : mismatch(`${where}.${tag}`, `one of ${Object.keys(shapes).join(", ")}`);
  };

/** An arbitrary object of JSON values up to a size, for the log. */
export const json =
  (longest: number): Shape<Fields> =>
  (value, where) =>
    isObject(value) && JSON.stringify(value).length <= longest
      ? value
      : mismatch(where, `an object of at most ${longest} characters`);

function mismatch(where: string, what: string): never {
  throw new Mismatch(`${where} is not ${what}`);
}

export type Validation<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly why: string };

/** `why` names the position and the expected value. */
export function validated<T>(message: Shape<T>, value: unknown): Validation<T> {
  try {
    return { ok: true, message: message(value, "message") };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, why: error.message };
    throw error;
  }
}
