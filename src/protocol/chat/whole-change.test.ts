import { deepEqual, equal } from "node:assert/strict";
import * as fc from "fast-check";
import { wholeChange } from "./whole-change";

suite("change of an excerpt", () => {
  test("is placed in a file that does not have it yet", () =>
    deepEqual(wholeChange("one\r\ntwo\r\nthree\r\n", "two\n", "2\n2b\n"), {
      before: "one\ntwo\nthree\n",
      after: "one\n2\n2b\nthree\n",
      isApplied: false,
      line: 2,
    }));

  test("is undone in a file that already contains the new text", () => {
    deepEqual(wholeChange("one\n2\nthree\n", "two", "2"), {
      before: "one\ntwo\nthree\n",
      after: "one\n2\nthree\n",
      isApplied: true,
      line: 2,
    });
    deepEqual(wholeChange("foo();\nbar();\n", "foo();", "foo();\nbar();")?.before, "foo();\n");
  });

  test("can be the whole file, also a new one", () =>
    deepEqual(wholeChange("text\r\n", "", "text\n"), { before: "", after: "text\n", isApplied: true, line: 1 }));

  test("has no place if the excerpt is missing, empty or repeated", () => {
    equal(wholeChange("one", "two", "three"), undefined);
    equal(wholeChange("one", "", "two"), undefined);
    equal(wholeChange("one one", "one", "two"), undefined);
    equal(wholeChange("ab\na", "a", "ab"), undefined);
  });

  test("leaves the text around the excerpt unchanged", () =>
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string(), (start, from, to, end) => {
        const whole = wholeChange(start + from + end, from, to);
        if (whole?.isApplied === false) deepEqual([whole.before, whole.after], [start + from + end, start + to + end]);
      }),
    ));
});
