/** How a file is indented, for formatters that want to be told. Pure. */

export interface FormatOptions {
  readonly tabSize: number;
  readonly insertSpaces: boolean;
  readonly trimTrailingWhitespace: boolean;
  readonly insertFinalNewline: boolean;
}

/** By most of the steps from one line to a deeper one; four spaces where nothing is indented. */
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
