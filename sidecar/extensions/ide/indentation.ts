/** Detects a file's indentation for formatting requests. Pure. */

export interface FormatOptions {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
  readonly trimTrailingWhitespace: boolean;
  readonly insertFinalNewline: boolean;
}

/** Uses the most frequent indentation step. Defaults to four spaces. */
export function formatOptions(lines: readonly string[]): FormatOptions {
  const votes = new Map<string, number>();
  let before = "";
  for (const line of lines.slice(0, 5000)) {
    if (line.trim() === "") continue;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "",
      step = indent.startsWith(before) ? indent.slice(before.length) : "";
    if (step === "\t" || /^ {2,8}$/.test(step)) votes.set(step, (votes.get(step) ?? 0) + 1);
    before = indent;
  }
  const [most = "    "] = [...votes].sort(([, a], [, b]) => b - a).map(([step]) => step);
  return {
    tabSize: most === "\t" ? 4 : most.length,
    insertSpaces: most !== "\t",
    trimTrailingWhitespace: true,
    insertFinalNewline: true,
  };
}
