import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { harmless, markBytes, marked, MAX_KEEP, titleWithout, trailingSpace, unmarked } from "./marks";

const MARKS = fc.constantFrom(
  '<sparkle part="embodiment">\n',
  "\n</sparkle>",
  "</SPARKLE>",
  "<sparkle",
  "\n",
  "\u0000",
  "<",
  " ",
  "\t",
);
const hostile = fc.array(fc.oneof(fc.string({ unit: "binary" }), MARKS), { maxLength: 8 }).map(parts => parts.join(""));
const PART = fc.constantFrom("embodiment" as const, "checkpoint" as const, "meta-moment" as const);
/** Separators with which agents join the blocks of a prompt. */
const JOINT = fc.constantFrom("", " ", "\n", "\n\n", "\r\n", " \n ");

suite("Sparkle marks", () => {
  test("is removed from any user text and blocks, however an agent joins them", () =>
    fc.assert(
      fc.property(
        hostile,
        fc.array(fc.tuple(PART, hostile), { minLength: 1, maxLength: 3 }),
        JOINT,
        fc.constantFrom("", "\n"),
        (words, blocks, joint, end) => {
          fc.pre(!words.trimEnd().endsWith("\n</sparkle>"));
          const texts = blocks.map(([part, inside], i) => marked(part, inside, i === 0 ? trailingSpace(words) : 0));
          equal(unmarked([words, ...texts].join(joint) + end), words);
          for (const text of texts) equal(unmarked(text), "");
        },
      ),
      { numRuns: 1_000 },
    ));

  test("removes a block that an agent repeats separately", () => {
    for (const keep of [0, 3]) equal(unmarked(marked("embodiment", "a\n<sparkle>", keep)), "");
  });

  for (const text of [
    "",
    "hello",
    " hello \n",
    '<sparkle part="embodiment">\nnever closed',
    '<sparkle part="other">\nx\n</sparkle>',
    "\n</sparkle>",
    `${marked("checkpoint", "pasted")}\n\nWhat is this?`,
  ])
    test(`is not found in ${JSON.stringify(text)}`, () => equal(unmarked(text), text));

  test("is parsed in linear time", () => {
    const many = '<sparkle part="embodiment">\n'.repeat(200_000);
    equal(unmarked(many), many);
    equal(unmarked('<sparkle part="embodiment">\nx\n</sparkle>'.repeat(20_000)), "");
    equal(unmarked("\n</sparkle>".repeat(200_000)).length, 200_000 * 11);
  }).timeout(2_000);

  test("is escaped in its content together with control characters", () => {
    equal(
      harmless("a\tb\nc <sparkle> </Sparkle x> <span>\u0000\u001b[31m\r\u0085"),
      "a\tb\nc ‹sparkle> ‹/Sparkle x> <span>[31m",
    );
  });

  test("reports the maximum number of added bytes", () =>
    equal(Buffer.byteLength(marked("embodiment", "ö", MAX_KEEP)), markBytes("embodiment") + 2));

  test("is removed from a title cut anywhere", () => {
    const joined = `Fix the lexer ${marked("embodiment", "long").replaceAll("\n", " ")}`;
    for (let length = "Fix the lexer <s".length; length <= joined.length; length++)
      for (const end of ["", "…", "..."]) equal(titleWithout(joined.slice(0, length) + end), "Fix the lexer");
    equal(titleWithout(marked("embodiment", "x")), "");
    for (const title of ["", "The parser", "Why <span>?", "a <", "1 < 2…"]) equal(titleWithout(title), title);
    ok(!titleWithout(`${joined} twice ${joined}`).includes("<"));
  });
});
