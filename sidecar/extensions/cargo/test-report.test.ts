import { deepEqual, equal, match, ok } from "node:assert/strict";
import { TestReport, type TestSummary } from "./test-report";

function reported(text: string): { readonly tests: TestSummary | undefined; readonly rest: readonly string[] } {
  const second: string[] = [],
    report = new TestReport(line => second.push(line));
  for (const line of text.split("\n")) report.push(line);
  return { tests: report.end(), rest: second.filter(line => line !== "") };
}
const RESULT = (passed: number, failed: number): string =>
  `\ntest result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.01s\n`;

suite("test report", () => {
  test("adds the counts of all programs and omits passed tests", () => {
    const { tests, rest } = reported(
      `\nrunning 2 tests\ntest a ... ok\ntest b ... ignored, too slow\n${RESULT(1, 0)}\nrunning 1 test\ntest c ... ok\n${RESULT(1, 0)}`,
    );
    deepEqual([tests, rest], [{ passed: 2, failed: 0, ignored: 0, filteredOut: 2, failures: [] }, []]);
  });

  test("lists failed tests with their output, per program", () => {
    const first = (output: string) =>
      `running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n${output}\n\n\nfailures:\n    a\n${RESULT(0, 1)}`;
    deepEqual(reported(first("first\n\nmore") + first("second")).tests?.failures, [
      { name: "a", output: "first\n\nmore" },
      { name: "a", output: "second" },
    ]);
  });

  test("lists a failed test without captured output, and one whose program died, by name", () => {
    const { tests, rest } = reported(
      `running 2 tests\nprinted at once\ntest a - should panic ... FAILED\n\nfailures:\n\nfailures:\n    a\n${RESULT(1, 1)}running 3 tests\ntest b ... FAILED\ntest c ... `,
    );
    deepEqual(
      [tests?.failures, tests?.failed, rest],
      [
        [
          { name: "a", output: "" },
          { name: "b", output: "" },
        ],
        2,
        ["printed at once", "test c ... "],
      ],
    );
  });

  test("shows output of passed tests if requested", () => {
    deepEqual(
      reported(
        `running 1 test\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\nhello\n\n\nsuccesses:\n    a\n${RESULT(1, 0)}`,
      ).rest,
      ["---- a stdout ----", "hello", "    a"],
    );
  });

  test("omits standard library frames of a backtrace", () => {
    const output = `thread 'a' panicked at src/lib.rs:1:2:\nboom\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/123/library/std/src/panicking.rs:1:2\n   1: core::panicking\n             at C:\\toolchain\\lib\\rustlib\\src\\rust\\library\\core\\src\\panicking.rs:3\n   2: mine::a\n             at ./src/lib.rs:1:2\n   3: without a place\nnote: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`;
    equal(
      reported(`running 1 test\nfailures:\n---- a stdout ----\n${output}\n\nfailures:\n    a\n${RESULT(0, 1)}`).tests
        ?.failures[0]?.output,
      "thread 'a' panicked at src/lib.rs:1:2:\nboom\nstack backtrace:\n   2: mine::a\n             at ./src/lib.rs:1:2\n   3: without a place",
    );
  });

  test("keeps the output of custom harnesses as text", () => {
    const { tests, rest } = reported("my harness\nall fine");
    deepEqual([tests, rest], [undefined, ["my harness", "all fine"]]);
  });

  test("bounds long test output and many failures", () => {
    const { tests } = reported(
      `running 1 test\nfailures:\n---- big stdout ----\n${"line\n".repeat(20_000)}the end\n${Array.from({ length: 2000 }, (_, i) => `---- t${i} stdout ----\nx`).join("\n")}\n${RESULT(0, 2001)}`,
    );
    equal(tests?.failures.length, 200);
    ok((tests?.failures[0]?.output.length ?? Infinity) < 3_100);
    match(tests?.failures[0]?.output ?? "", /lines omitted\) …[^]*the end$/);
    equal(tests?.failed, 2001);
    const some = `running 150 tests\n${Array.from({ length: 150 }, (_, i) => `test t${i} ... FAILED`).join("\n")}\n`;
    equal(reported(some + some).tests?.failures.length, 200);
  });
});
