import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { queryPattern } from "./query-pattern";

const found = (text: string, query: string): readonly string[] => text.match(queryPattern(query)) ?? [];

suite("queryPattern", () => {
  test("matches regardless of case and of the kind of space", () => {
    deepEqual(found("One\n  two, ONE two", "one TWO"), ["One\n  two", "ONE two"]);
    deepEqual(found("ÄPFEL äpfel", "Äpfel"), ["ÄPFEL", "äpfel"]);
    deepEqual(found("a.b axb", "a.b"), ["a.b"], "no pattern of the user");
  });

  test("matches nothing without a query", () => deepEqual(found("text", "  "), []));

  test("finds every part of a text (property)", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 }),
        fc.nat(),
        fc.nat(20),
        (text, from, n) => {
          const characters = [...text.normalize()],
            start = from % characters.length,
            query = characters.slice(start, start + 1 + n).join("");
          fc.pre(query.trim() !== "");
          ok(queryPattern(query).test(text.normalize()));
        },
      ),
    );
  });
});
