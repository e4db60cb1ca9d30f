/** Selects lines of a text for a model, up to a size limit. Line numbers are 1-based and inclusive. Pure. */

export type Part = { readonly kind: "part"; readonly text: string } | { readonly kind: "wrong"; readonly why: string };

/** Maximum length of a result in characters. */
export const MAX_READ = 100_000;

/** A note in brackets follows a shortened result. `\r\n` becomes `\n`. */
export function partOf(
  whole: string,
  startLine: number | undefined,
  endLine: number | undefined,
  maxLength = MAX_READ,
): Part {
  const text = whole.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  for (const [name, line] of [
    ["startLine", startLine],
    ["endLine", endLine],
  ] as const) {
    if (line !== undefined && (!Number.isInteger(line) || line < 1))
      return { kind: "wrong", why: `${name} must be a line number; the first is 1.` };
  }
  const isAll = startLine === undefined && endLine === undefined,
    lines = text.split("\n"),
    count = text.endsWith("\n") ? lines.length - 1 : lines.length;
  const start = startLine ?? 1,
    end = Math.min(endLine ?? count, count);
  if (endLine !== undefined && endLine < start) return { kind: "wrong", why: "endLine must not be before startLine." };
  if (startLine !== undefined && start > Math.max(count, 1))
    return { kind: "wrong", why: `The file has only ${count} lines.` };
  const wanted = isAll ? text : lines.slice(start - 1, end).join("\n");
  return {
    kind: "part",
    text: wanted.length <= maxLength ? wanted : shortened(lines.slice(start - 1, end), start, count, maxLength),
  };
}

function shortened(lines: readonly string[], start: number, count: number, maxLength: number): string {
  let length = 0,
    taken = 0;
  for (const line of lines) {
    if (length + line.length + 1 > maxLength) break;
    length += line.length + 1;
    taken++;
  }
  if (taken === 0)
    return `${wholeCharacters(lines[0] ?? "", maxLength)}\n[Line ${start} is too long to be shown: ${lines[0]?.length ?? 0} characters.${count > start ? ` The file has ${count} lines: continue with startLine ${start + 1}.` : ""}]`;
  return `${lines.slice(0, taken).join("\n")}\n[These are lines ${start} to ${start + taken - 1} of ${count}: continue with startLine ${start + taken}.]`;
}

/** At most `maxLength` UTF-16 code units of a text, without splitting a surrogate pair. */
export function wholeCharacters(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return cut.length < text.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
