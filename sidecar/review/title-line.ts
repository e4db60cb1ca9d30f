const MAX_LENGTH = 200;

/** The start of a text in one line, as a title. */
export function titleLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_LENGTH);
}
