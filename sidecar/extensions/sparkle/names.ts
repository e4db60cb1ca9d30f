/** Names of sparklers and of their folders. Pure. */

const MAX_CHARACTERS = 60,
  MAX_BYTES = 120;
/** Reserved device names on Windows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Display form: one line without invisible characters. May be empty. */
export function shownName(given: string): string {
  const line = given.replaceAll(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  return [...line].slice(0, MAX_CHARACTERS).join("").trim();
}

/**
 * Letters, digits and “-” of any script, in lower case. The result is unique on case-insensitive and normalizing file
 * systems and cannot escape the parent folder. Undefined if the name has no letter and no digit.
 */
export function folderOf(name: string): string | undefined {
  let folder = "";
  for (const character of shownName(name)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")) {
    if (Buffer.byteLength(folder + character) > MAX_BYTES) break;
    folder += character;
  }
  folder = folder.replace(/-+$/, "");
  if (!/[\p{L}\p{N}]/u.test(folder)) return undefined;
  return DEVICE.test(folder) ? `${folder}-` : folder;
}

/** The first-level heading at the start of a Markdown file. Undefined without a heading. */
export function headingOf(text: string): string | undefined {
  const heading = /^\s*# +(\S.*)/.exec(text)?.[1];
  const name = heading === undefined ? "" : shownName(heading);
  return name === "" ? undefined : name;
}

/** Replaces the heading, or inserts it. */
export function withHeading(heading: string, text: string): string {
  const body = headingOf(text) === undefined ? text : text.replace(/^\s*# .*\n?/, "");
  return `# ${heading}\n\n${body.trim()}${body.trim() === "" ? "" : "\n"}`;
}
