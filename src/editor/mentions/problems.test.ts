import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { problemsOf, summaryOf, type Problem } from "./problems";

const problem = (severity: Problem["severity"], path = "a.ts", line = 1, column = 1, message = "wrong"): Problem => ({
  severity,
  path,
  line,
  column,
  message,
});

suite("problems as text", () => {
  test("has one line per problem, errors first, by file and position", () =>
    deepEqual(
      problemsOf([
        problem("warning", "a.ts", 1),
        problem("error", "b.ts", 10),
        problem("error", "b.ts", 9, 4, "two\n  lines "),
        problem("error", "a.ts"),
        problem("error", "b.ts", 9, 2),
      ]),
      {
        kind: "problems",
        count: 5,
        text: "a.ts:1:1 error wrong\nb.ts:9:2 error wrong\nb.ts:9:4 error two lines\nb.ts:10:1 error wrong\na.ts:1:1 warning wrong",
      },
    ));

  test("omits whole lines above the limit with their number", () => {
    const { count, text } = problemsOf(
      Array.from({ length: 100 }, (_, i) => problem("error", "a.ts", i + 1)),
      200,
    );
    equal(count, 100);
    ok(text.length <= 200);
    deepEqual(text.split("\n").slice(-2), ["a.ts:8:1 error wrong", "… and 92 more, omitted here."]);
  });

  test("respects the limit and counts all problems (property)", () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 60, max: 400 }),
        (messages, limit) => {
          const { text } = problemsOf(
            messages.map((message, i) => problem("error", "a.ts", i + 1, 1, message)),
            limit,
          );
          const remaining = Number(/… and (\d+) more, omitted here\.$/.exec(text)?.[1] ?? 0);
          ok(text.length <= limit);
          equal(text.split("\n").length - (remaining > 0 ? 1 : 0) + remaining, messages.length);
        },
      ),
    ));

  test("has a summary", () => {
    deepEqual(
      [
        summaryOf([problem("error")]),
        summaryOf([problem("error"), problem("error"), problem("warning")]),
        summaryOf([problem("warning"), problem("warning")]),
      ],
      ["1 error", "2 errors, 1 warning", "2 warnings"],
    );
  });
});
