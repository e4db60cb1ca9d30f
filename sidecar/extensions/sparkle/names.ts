/** Names of sparklers, and the folders that they are kept in. Pure. */

const MOST_CHARACTERS = 60,
  MOST_BYTES = 120;
/** Windows has devices of these names in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** As it is shown: one line, without what cannot be seen; empty where nothing is left. */
export function shownName(given: string): string {
  const line = given.replaceAll(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  return [...line].slice(0, MOST_CHARACTERS).join("").trim();
}

/**
 * Letters, digits and “-” of any script, in lower case: no two that a file system may take for one, and no way out of
 * the folder above. Undefined: no letter, no digit.
 */
export function folderOf(name: string): string | undefined {
  let folder = "";
  for (const character of shownName(name)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")) {
    if (Buffer.byteLength(folder + character) > MOST_BYTES) break;
    folder += character;
  }
  folder = folder.replace(/-+$/, "");
  if (!/[\p{L}\p{N}]/u.test(folder)) return undefined;
  return DEVICE.test(folder) ? `${folder}-` : folder;
}

/** What a Markdown file begins with: `# Heading`. Undefined: with something else. */
export function headingOf(text: string): string | undefined {
  const heading = /^\s*# +(\S.*)/.exec(text)?.[1];
  const name = heading === undefined ? "" : shownName(heading);
  return name === "" ? undefined : name;
}

/** The same text with this heading in place of the one it has, or before it. */
export function withHeading(heading: string, text: string): string {
  const body = headingOf(text) === undefined ? text : text.replace(/^\s*# .*\n?/, "");
  return `# ${heading}\n\n${body.trim()}${body.trim() === "" ? "" : "\n"}`;
}
