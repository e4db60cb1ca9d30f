import { deepEqual } from "node:assert/strict";
import { movesIn } from "./head-log";

const oid = (digit: string): string => digit.repeat(40),
  line = (from: string, to: string, message: string): string =>
    `${oid(from)} ${oid(to)} Ada <ada@example.com> 1700000000 +0100\t${message}\n`;

suite("log of HEAD", () => {
  test("shows switched branches, and joins consecutive moves", () => {
    deepEqual(movesIn(line("a", "b", "checkout: moving from main to other")), [{ from: oid("a"), to: oid("b") }]);
    deepEqual(movesIn(line("a", "b", "rebase (start): checkout main") + line("b", "c", "rebase (pick): Change")), [
      { from: oid("a"), to: oid("c") },
    ]);
    deepEqual(movesIn(line("a", "b", "checkout: x") + line("b", "a", "checkout: y")), []);
  });
  test("does not show new commits", () => {
    deepEqual(
      movesIn(
        line("0", "a", "commit (initial): One") +
          line("a", "b", "commit: Two") +
          line("b", "c", "pull: Fast-forward") +
          line("c", "d", "commit (amend): Three"),
      ),
      [{ from: oid("b"), to: oid("c") }],
    );
    deepEqual(movesIn("torn line\n\n"), []);
  });
});
