/**
 * The log of a repository's HEAD (`logs/HEAD`): which commits replaced each other, and why. Shows whether files changed
 * because a branch was switched, rebased or pulled. Pure.
 */
import type { FileState, Oid } from "./file-state";

/** A position of HEAD. */
export interface HeadPosition {
  /** Length of the log. */
  readonly log: number;
  /** Absent without a commit, and where references are no files. */
  readonly commit?: Oid;
}

/**
 * HEAD moved from one existing commit to another. `move`: git changed files. `commit`: the new commit has changes of
 * files. `unknown`: one of both, because the log does not contain it.
 */
export interface HeadMove {
  readonly kind: "move" | "commit" | "unknown";
  readonly from: Oid;
  readonly to: Oid;
}

/** The contents of a file in two consecutive commits of HEAD. Absent: the commit has no such file. */
export interface HeadChange {
  readonly kind: HeadMove["kind"];
  readonly before?: FileState;
  readonly after?: FileState;
}

/** Example: `OLD NEW Ada <ada@example.com> 1700000000 +0100\tcheckout: moving from a to b`. */
const LINE = /^([\da-f]{40,64}) ([\da-f]{40,64}) [^\t]*(?:\t(.*))?$/;
/** Messages of new commits, which contain changes of files and cause none. */
const COMMIT = /^commit\b/;

/** The moves in these lines, with consecutive ones of a kind as one. A torn first line is ignored. */
export function movesIn(lines: string): readonly HeadMove[] {
  const moves: HeadMove[] = [];
  for (const line of lines.split("\n")) {
    const [, from, to, message = ""] = LINE.exec(line) ?? [];
    if (from === undefined || to === undefined || /^0+$/.test(from) || /^0+$/.test(to)) continue;
    const kind = COMMIT.test(message) ? "commit" : "move",
      last = moves.at(-1),
      isJoined = last?.kind === kind && last.to === from;
    if (isJoined) moves.pop();
    moves.push({ kind, from: isJoined ? last.from : from, to });
  }
  return moves.filter(({ from, to }) => from !== to);
}

/** The moves between two positions of HEAD. `log`: the log at the last one. */
export function movesBetween(before: HeadPosition, log: string, now: Oid | undefined): readonly HeadMove[] {
  const moves = movesIn(log.slice(before.log)),
    from = before.commit;
  if (from === undefined || now === undefined || from === now) return moves;
  // The log can be turned off, or its entries can expire.
  return moves[0]?.from === from ? moves : [{ kind: "unknown", from, to: now }];
}
