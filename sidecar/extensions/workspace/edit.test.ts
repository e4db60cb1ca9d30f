import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { edit, plain, inFormOf } from "./edit";

/** Texts with repetitions and all kinds of line ends. */
const text = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r"), { maxLength: 14 })
  .map(parts => parts.join(""));
const times = (whole: string, part: string): number =>
  [...Array(whole.length).keys()].filter(at => whole.startsWith(part, at)).length;

suite("text edit", () => {
  test("replaces the only match and returns its first line", () => {
    deepEqual(edit("one\ntwo\nthree\n", "two", "2\n2"), { kind: "edited", text: "one\n2\n2\nthree\n", line: 2 });
    deepEqual(edit("one", "one", ""), { kind: "edited", text: "", line: 1 });
    deepEqual(edit("a\nb", "\nb", ""), { kind: "edited", text: "a", line: 1 });
  });

  test("returns similar lines without a match", () => {
    deepEqual(edit("if (a) {\n\treturn  1;\n}\n  return 1;\n", "\n    return 1;\n", "x"), {
      kind: "absent",
      similar: [2, 4],
    });
    deepEqual(edit("one", "two", "x"), { kind: "absent", similar: [] });
  });

  test("returns the lines of several matches, including overlapping ones", () => {
    deepEqual(edit("x\ny\nx\n", "x", "z"), { kind: "several", lines: [1, 3], times: 2 });
    deepEqual(edit("aaa", "aa", "b"), { kind: "several", lines: [1, 1], times: 2 });
    const many = edit("x\n".repeat(50), "x", "y");
    ok(many.kind === "several" && many.lines.length === 10 && many.times === 50);
  });

  test("rejects an empty search text and an unchanged text", () => {
    deepEqual(
      [edit("a", "", "b").kind, edit("a", "a", "a").kind, edit("a\r\n", "a\n", "a\r\n").kind],
      ["empty", "same", "same"],
    );
  });

  test("keeps the file's line endings", () => {
    const edited = (whole: string, old: string, fresh: string): string => {
      const result = edit(whole, old, fresh);
      return result.kind === "edited" ? result.text : result.kind;
    };
    equal(edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
    equal(edited("a\r\nb\r\n", "b", "x\ny"), "a\r\nx\r\ny\r\n");
    equal(edited("a\nb\n", "a\r\nb", "x\r\ny"), "x\ny\n");
    equal(edited("a\r\nb\nc\nd", "b\nc", "x\ny"), "a\r\nx\ny\nd", "both kinds: as it is there");
    equal(edited("a\r\n", "a\n", "b"), "b");
  });

  test("succeeds exactly for a single match and changes nothing else (property)", () =>
    fc.assert(
      fc.property(text, text, text, (whole, old, fresh) => {
        const result = edit(whole, old, fresh),
          count = times(plain(whole), plain(old));
        if (plain(old) === "" || plain(old) === plain(fresh))
          return void ok(result.kind === "empty" || result.kind === "same");
        equal(result.kind, count === 0 ? "absent" : count === 1 ? "edited" : "several");
        if (result.kind === "several") equal(result.times, count);
        if (result.kind !== "edited") return;
        const at = plain(whole).indexOf(plain(old)),
          before = plain(whole).slice(0, at),
          after = plain(whole).slice(at + plain(old).length);
        equal(result.line, before.split("\n").length);
        // The text before and after the replaced part is unchanged.
        const kept = [...Array(whole.length + 1).keys()].find(
          n =>
            result.text.startsWith(whole.slice(0, n)) &&
            plain(whole.slice(0, n)) === before &&
            [...Array(whole.length + 1).keys()].some(
              m =>
                m >= n &&
                result.text.endsWith(whole.slice(m)) &&
                plain(whole.slice(n, m)) === plain(old) &&
                plain(whole.slice(m)) === after,
            ),
        );
        ok(
          kept !== undefined || /\r$/.test(before) || /\r$/.test(fresh) || after.startsWith("\n"),
          JSON.stringify({ whole, old, fresh, result }),
        );
      }),
    ));

  test("keeps uniform line endings uniform (property)", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "ab"), { maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, lines, fc.constantFrom("\n", "\r\n"), (whole, old, fresh, end) => {
        const result = edit(["x", ...whole].join(end), old.join("\n"), fresh.join("\n"));
        if (result.kind === "edited" && whole.length > 0)
          ok(result.text.match(/\r?\n/g)?.every(each => each === end) ?? true, JSON.stringify(result.text));
      }),
    );
  });

  test("keeps the byte order mark in a full replacement", () => {
    deepEqual(
      [inFormOf("\uFEFFa\r\n", "x\n"), inFormOf("\uFEFFa", "\uFEFFx"), inFormOf("a", "x")],
      ["\uFEFFx\r\n", "\uFEFFx", "x"],
    );
  });

  test("keeps uniform line endings in a full replacement", () => {
    deepEqual(
      [
        inFormOf("a\r\nb\r\n", "x\ny"),
        inFormOf("a\nb", "x\r\ny"),
        inFormOf("a\r\nb\n", "x\r\ny\n"),
        inFormOf("a", "x\r\ny"),
      ],
      ["x\r\ny", "x\ny", "x\r\ny\n", "x\r\ny"],
    );
  });
});
