/** Inline code that may be the name of a symbol. Pure. Only the host knows whether the symbol exists. */

const NAME = "[\\p{L}_$][\\p{L}\\p{N}_$]*";
const QUALIFIED = new RegExp(`^#?(${NAME}(?:(?:\\.|::|#)${NAME})*)(!?\\([^()]*\\))?$`, "u");
const MAX_LENGTH = 100;

/**
 * The name of `parseFoo()`, `ClassName`, `a.b.c()`, `A::b` or `snake_case`. A word in lower case is a name only if it
 * is called, because most of them are keywords, options and values.
 */
export function symbolMention(text: string): string | undefined {
  const [, name, call] = text.length <= MAX_LENGTH ? (QUALIFIED.exec(text.trim()) ?? []) : [];
  if (name === undefined) return undefined;
  const isDistinctive = /[\p{Ll}\p{N}]\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|::|#|^\p{Lu}\p{Ll}{2}/u.test(name);
  return call !== undefined || isDistinctive ? name : undefined;
}
