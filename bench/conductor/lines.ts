/**
 * A minimal line reader. It reports the start of each line; for a line in several chunks, it reports the first bytes.
 */
const NEWLINE = 0x0a,
  HEAD = 1024;

export function onLines(line: (bytes: Buffer, start: number, end: number) => void): (chunk: Buffer) => void {
  const head = Buffer.alloc(HEAD);
  let isBegun = false,
    held = 0;
  return chunk => {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      if (!isBegun) line(chunk, start, newline);
      else line(head, 0, held + chunk.copy(head, held, start, newline));
      isBegun = false;
      held = 0;
      start = newline + 1;
    }
    if (start === chunk.length) return;
    isBegun = true;
    held += chunk.copy(head, held, start);
  };
}
