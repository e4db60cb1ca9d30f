/** A minimal line reader. Reports the start of each line. Reports the first bytes of a line in several chunks. */
const NEWLINE = 0x0a,
  HEAD = 1024;

export function onLines(line: (bytes: Buffer, start: number, end: number) => void): (chunk: Buffer) => void {
  const head = Buffer.alloc(HEAD);
  let isBegun = false,
    headLength = 0;
  return chunk => {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      if (!isBegun) line(chunk, start, newline);
      else line(head, 0, headLength + chunk.copy(head, headLength, start, newline));
      isBegun = false;
      headLength = 0;
      start = newline + 1;
    }
    if (start === chunk.length) return;
    isBegun = true;
    headLength += chunk.copy(head, headLength, start);
  };
}
