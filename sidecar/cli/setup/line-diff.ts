/** Difference between two versions of a text file, for display. Pure. */

const CONTEXT = 3;

/** One hunk of a unified diff, without file names. Empty if the lines are equal. */
export function lineDiff(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const start = old.findIndex((line, i) => line !== fresh[i]),
    from = start === -1 ? old.length : start;
  if (from === old.length && old.length === fresh.length) return "";
  let end = 0; // number of equal lines at the end
  while (end < Math.min(old.length, fresh.length) - from && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const first = Math.max(0, from - CONTEXT),
    [oldEnd, freshEnd] = [old.length - end, fresh.length - end];
  const context = (lines: readonly string[]): string[] => lines.map(line => ` ${line}`);
  const following = old.slice(oldEnd, oldEnd + CONTEXT);
  const lines = [
    ...context(old.slice(first, from)),
    ...old.slice(from, oldEnd).map(line => `-${line}`),
    ...fresh.slice(from, freshEnd).map(line => `+${line}`),
    ...context(following),
  ];
  const range = (last: number): string => {
    const count = last - first + following.length;
    return `${count === 0 ? first : first + 1},${count}`;
  };
  return `@@ -${range(oldEnd)} +${range(freshEnd)} @@\n${lines.map(line => `${line}\n`).join("")}`;
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
