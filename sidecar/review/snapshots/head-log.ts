/**
 * The log of a repository's HEAD (`logs/HEAD`): which commits replaced each other, and why. Shows whether files changed
 * because a branch was switched, rebased or pulled. Pure.
 */
import type { Oid } from "./file-state";

/** HEAD moved from one existing commit to another. */
export interface HeadMove {
  readonly from: Oid;
  readonly to: Oid;
}

/** Example: `OLD NEW Ada <ada@example.com> 1700000000 +0100\tcheckout: moving from a to b`. */
const LINE = /^([\da-f]{40,64}) ([\da-f]{40,64}) [^\t]*(?:\t(.*))?$/;
/** Messages of new commits, which contain changes of files and cause none. */
const COMMIT = /^commit\b/;

/** The moves in these lines, with consecutive ones as one. New commits are none. A torn first line is ignored. */
export function movesIn(lines: string): readonly HeadMove[] {
  const moves: HeadMove[] = [];
  let last: HeadMove | undefined;
  for (const line of lines.split("\n")) {
    const [, from, to, message = ""] = LINE.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    if (COMMIT.test(message) || /^0+$/.test(from) || /^0+$/.test(to)) {
      last = undefined;
      continue;
    }
    if (last?.to === from) moves.pop();
    last = { from: last?.to === from ? last.from : from, to };
    moves.push(last);
  }
  return moves.filter(({ from, to }) => from !== to);
}
