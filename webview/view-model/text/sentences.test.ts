import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { MAX_JUMP, passed, read, spoken, unread } from "./sentences";

const whole = (text: string): readonly string[] => read(unread, text, true)[1];
const begun = (text: string): readonly string[] => read(unread, text, false)[1];

/** Sentences of a text that arrives in chunks. */
function streamed(pieces: readonly string[]): readonly string[] {
  const texts: string[] = [];
  let reader = unread,
    text = "";
  for (const piece of pieces) {
    text += piece;
    const [next, sentences] = read(reader, text, false);
    reader = next;
    texts.push(...sentences);
  }
  return [...texts, ...read(reader, text, true)[1]];
}

const pieces = fc.constantFrom(
  "word",
  "two words",
  ".",
  ". ",
  "! ",
  "? ",
  "…",
  "\n",
  "\n\n",
  " ",
  "# ",
  "## Title\n",
  "- ",
  "* ",
  "1. ",
  "12",
  "> ",
  "- [x] ",
  "```",
  "```js\n",
  "```\n",
  "~~~\n",
  "`a. b`",
  "`",
  "**",
  "*",
  "_",
  "|",
  "| a | b |\n",
  "|---|---|\n",
  "[link. Text](https://example.org/a.b)",
  "[",
  "](",
  ")",
  "---\n",
  "===\n",
  "e.g. ",
  "J. ",
  "Next",
  "5",
  "。",
  "」",
  "\\*",
  "👍",
  "\t",
  "#",
  "=",
  "-",
  "x".repeat(150),
  "y ".repeat(150),
  `${"z ".repeat(199)}. `,
  `${"v".repeat(398)}. `,
  "\u202e",
);

suite("sentence reader", () => {
  test("returns the same sentences for any chunks", () =>
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
        (parts, sizes) => {
          const text = parts.join("");
          const cut: string[] = [];
          for (let at = 0; at < text.length; ) {
            const { value: size } = sizes.next();
            cut.push(text.slice(at, at + size));
            at += size;
          }
          deepEqual(streamed(cut), whole(text));
          deepEqual(streamed([...text].flatMap(character => character.split(""))), whole(text));
        },
      ),
      { numRuns: 300 },
    ));

  test("returns each sentence of prose once, in order", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            words: fc.array(fc.stringMatching(/^[a-m]{4,6}$/), { minLength: 1, maxLength: 8 }),
            end: fc.constantFrom(".", "!", "?"),
            after: fc.constantFrom(" ", "\n", "\n\n", "\n- ", "\n> "),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        sentences => {
          const texts = sentences.map(({ words, end }, i) => `S${i} ${words.join(" ")}${end}`);
          deepEqual(whole(sentences.map(({ after }, i) => `${texts[i]}${after}`).join("")), texts);
        },
      ),
    ));

  test("ends a sentence when the next sentence or line begins", () => {
    deepEqual(begun("One. "), []);
    deepEqual(begun("One. Tw"), ["One."]);
    deepEqual(begun("One.\n"), ["One."]);
    deepEqual(begun("One, e.g. this, by J. Smith, costs 3.5. and 1.000. Two"), [
      "One, e.g. this, by J. Smith, costs 3.5. and 1.000.",
    ]);
    deepEqual(begun("“One.” Two (and more.) Three"), ["“One.”", "Two (and more.)"]);
    deepEqual(begun("一。二。"), ["一。"]);
    deepEqual(begun("In `a. B` or [x. Y](https://e.org/) it goes on. Two"), ["In a. B or x. Y it goes on."]);
  });

  test("waits for an ambiguous line", () => {
    for (const line of ["```js. And", "| A. B", "1", "1.", "-", "**", "# A. B", "--", "~~", "[x"])
      deepEqual([line, begun(line)], [line, []]);
    deepEqual(begun("**A.** B"), ["A."]);
    deepEqual(begun("1. An. B"), ["An."]);
  });

  test("joins lines of a paragraph and ends at a block", () => {
    deepEqual(whole("One\ntwo. Three\n- four\n- five\n  more\n\nsix\n# Seven\neight\n---\nnine"), [
      "One two.",
      "Three",
      "four",
      "five more",
      "six",
      "Seven",
      "eight",
      "nine",
    ]);
    deepEqual(begun("Here they are:\n- o"), ["Here they are:"]);
    deepEqual(whole("> an\n> bee. C"), ["an bee.", "C"]);
  });

  test("describes code and tables instead of reading them", () => {
    deepEqual(whole("Run:\n```sh\nnpm test. Now\nls\n```\nDone."), ["Run:", "Code in sh, 2 lines.", "Done."]);
    deepEqual(whole("```\nx\n```"), ["Code, 1 line."]);
    deepEqual(whole("~~~js\nnot. Closed"), ["Code in js, 1 line."]);
    deepEqual(whole("See\n| File | **Words** |\n|---|---|\n| a | 1 |\n| b | 2 |\nDone."), [
      "See",
      "Table, 2 rows: File, Words.",
      "Done.",
    ]);
    deepEqual(whole("---\n***\n===\n- - -"), []);
  });

  test("omits Markdown marks and keeps similar text", () => {
    equal(
      spoken("**Bold**, *weak*, __both__ and ~~gone~~; see [the docs](https://e.org/a_(b)) and `a * b_c`."),
      "Bold, weak, both and gone; see the docs and a * b_c.",
    );
    equal(spoken("snake_case, 2 * 3, 2*3, \\*kept\\*, a_b_"), "snake_case, 2 * 3, 2*3, *kept*, a_b");
    equal(spoken("\u202etxt"), "⟦U+202E⟧txt");
  });

  test("splits a long sentence between words at whole characters", () => {
    const long = "word ".repeat(300).trim();
    ok(whole(long).every(text => text.length <= 400));
    equal(whole(long).join(" "), long);
    const faces = whole(`x${"😀".repeat(500)}`);
    equal(faces.join(""), `x${"😀".repeat(500)}`);
    ok(faces.every(text => !/\p{Surrogate}/u.test(text)));
  });

  test("skips the passed text and continues after it", () => {
    const text = "One. Two is";
    const [reader, texts] = read(passed(text), `${text} longer. Three`, true);
    deepEqual(texts, ["Two is longer.", "Three"]);
    deepEqual(read(reader, `${text} longer. Three. Four.`, true)[1], ["Four."]);
    deepEqual(read(passed("```js\na"), "```js\na\nb\n```\nEnd.", true)[1], ["Code in js, 2 lines.", "End."]);
  });

  test("repeats nothing when a text continues after its end", () => {
    const [reader, texts] = read(unread, "One\n```js\na", true);
    deepEqual(texts, ["One", "Code in js, 1 line."]);
    deepEqual(read(reader, "One\n```js\na b\nc\n```\nTwo.", true)[1], ["Two."]);
    deepEqual(read(read(unread, "```js\na", true)[0], "```js\na\nb", true)[1], []);
    deepEqual(read(read(unread, "Half a", true)[0], "Half a sentence.", true)[1], ["sentence."]);
  });

  test("replaces a very long addition by a note", () => {
    const text = "Word. ".repeat(MAX_JUMP / 6 + 1);
    const [reader, texts] = read(unread, text, false);
    deepEqual(texts, ["A long text that is not read aloud."]);
    deepEqual(read(reader, `${text}End.`, true)[1], ["End."]);
  });
});
