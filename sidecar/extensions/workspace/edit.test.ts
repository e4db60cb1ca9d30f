import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { edit, plain, inFormOf } from "./edit";

/** Texts with repetitions and all kinds of line ends. */
const text = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r"), { maxLength: 14 })
  .map(parts => parts.join(""));
const times = (whole: string, part: string): number =>
  [...Array(whole.length).keys()].filter(at => whole.startsWith(part, at)).length;

suite("an edit", () => {
  test("replaces the one place, and says in which line it begins", () => {
    deepEqual(edit("one\ntwo\nthree\n", "two", "2\n2"), { kind: "edited", text: "one\n2\n2\nthree\n", line: 2 });
    deepEqual(edit("one", "one", ""), { kind: "edited", text: "", line: 1 });
    deepEqual(edit("a\nb", "\nb", ""), { kind: "edited", text: "a", line: 1 });
  });

  test("what is not there is told with the lines that are like it", () => {
    deepEqual(edit("if (a) {\n\treturn  1;\n}\n  return 1;\n", "\n    return 1;\n", "x"), {
      kind: "absent",
      similar: [2, 4],
    });
    deepEqual(edit("one", "two", "x"), { kind: "absent", similar: [] });
  });

  test("what is there several times is told with its lines, also where it overlaps", () => {
    deepEqual(edit("x\ny\nx\n", "x", "z"), { kind: "several", lines: [1, 3], times: 2 });
    deepEqual(edit("aaa", "aa", "b"), { kind: "several", lines: [1, 1], times: 2 });
    const many = edit("x\n".repeat(50), "x", "y");
    ok(many.kind === "several" && many.lines.length === 10 && many.times === 50);
  });

  test("nothing is no place, and a text that stays the same no edit", () => {
    deepEqual(
      [edit("a", "", "b").kind, edit("a", "a", "a").kind, edit("a\r\n", "a\n", "a\r\n").kind],
      ["empty", "same", "same"],
    );
  });

  test("a file keeps its line ends, whatever the model writes", () => {
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

  test("it is done if, and only if, there is one such place; around it nothing changes", () =>
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

  test("in a file with one kind of line ends there is no other one afterwards", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "ab"), { maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, lines, fc.constantFrom("\n", "\r\n"), (whole, old, fresh, end) => {
        const result = edit(["x", ...whole].join(end), old.join("\n"), fresh.join("\n"));
        if (result.kind === "edited" && whole.length > 0)
          ok(result.text.match(/\r?\n/g)?.every(each => each === end) ?? true, JSON.stringify(result.text));
      }),
    );
  });

  test("a whole text takes over the mark at the beginning", () => {
    deepEqual(
      [inFormOf("\uFEFFa\r\n", "x\n"), inFormOf("\uFEFFa", "\uFEFFx"), inFormOf("a", "x")],
      ["\uFEFFx\r\n", "\uFEFFx", "x"],
    );
  });

  test("a whole text takes over the line ends of the one before it, if that has one kind", () => {
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
