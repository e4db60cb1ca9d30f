/** Pattern of a text that the user searches for. Pure. */

/**
 * A global pattern that matches the query regardless of case and of the kind of space. `encode`: converts a character
 * to the encoding of the searched text. An empty query has no pattern.
 */
export function queryPattern(query: string, encode: (character: string) => string = same): RegExp {
  const characters = [...query.normalize().trim().replaceAll(/\s+/g, " ")];
  return new RegExp(
    characters.map(each => (each === " " ? "[ \\t\\r\\n]+" : anyCase(each, encode))).join("") || "(?!)",
    "g",
  );
}

const same = (character: string): string => character;

function anyCase(character: string, encode: (character: string) => string): string {
  const forms = [...new Set([character, character.toLowerCase(), character.toUpperCase()])].map(form =>
    encode(form).replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
  );
  if (forms.length === 1) return forms[0] ?? "";
  // A class is faster than alternatives.
  return forms.every(form => form.length === 1) ? `[${forms.join("")}]` : `(?:${forms.join("|")})`;
}
