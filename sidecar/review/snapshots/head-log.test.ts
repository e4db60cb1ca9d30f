import { deepEqual } from "node:assert/strict";
import { movesBetween, movesIn } from "./head-log";

const oid = (digit: string): string => digit.repeat(40),
  line = (from: string, to: string, message: string): string =>
    `${oid(from)} ${oid(to)} Ada <ada@example.com> 1700000000 +0100\t${message}\n`,
  moves = (lines: string): readonly string[] => movesIn(lines).map(textOf),
  textOf = ({ kind, from, to }: ReturnType<typeof movesIn>[number]): string => `${kind} ${from[0]} ${to[0]}`;

suite("log of HEAD", () => {
  test("shows switched branches, and joins consecutive moves", () => {
    deepEqual(moves(line("a", "b", "checkout: moving from main to other")), ["move a b"]);
    deepEqual(moves(line("a", "b", "rebase (start): checkout main") + line("b", "c", "rebase (pick): Change")), [
      "move a c",
    ]);
    deepEqual(moves(line("a", "b", "checkout: x") + line("b", "a", "checkout: y")), []);
  });
  test("separates new commits from moves", () => {
    deepEqual(
      moves(
        line("0", "a", "commit (initial): One") +
          line("a", "b", "commit: Two") +
          line("b", "c", "pull: Fast-forward") +
          line("c", "d", "commit (amend): Three") +
          line("d", "e", "commit: Four"),
      ),
      ["commit a b", "move b c", "commit c e"],
    );
    deepEqual(moves("torn line\n\n"), []);
  });
  test("does not explain a move that is not in it", () => {
    const log = line("a", "b", "checkout: x"),
      between = (length: number, commit: string, now: string): readonly string[] =>
        movesBetween({ log: length, commit: oid(commit) }, log, oid(now)).map(textOf);
    deepEqual(between(0, "a", "b"), ["move a b"]);
    deepEqual(between(log.length, "b", "c"), ["unknown b c"]);
    deepEqual(between(1_000, "b", "c"), ["unknown b c"]);
    deepEqual(between(0, "c", "b"), ["unknown c b"]);
    deepEqual(between(log.length, "b", "b"), []);
    deepEqual(movesBetween({ log: 0 }, log, oid("b")).map(textOf), ["move a b"]);
  });
});
