import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { beginning, compose, shared, type Section } from "./embodiment";
import { harmless, marked, MAX_KEEP, unmarked } from "./marks";
import { MIN_BYTES, MAX_BYTES } from "./settings";

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom("</sparkle>", "<sparkle", "\n", "\n\n## ", "ö".repeat(500), "🙂".repeat(200), "x".repeat(3_000)),
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(""));
const section: fc.Arbitrary<Section> = fc.record({
  title: fc.string({ maxLength: 40 }),
  file: fc.string({ maxLength: 120 }),
  pieces: fc.array(hostile, { minLength: 1, maxLength: 20 }),
});
const size = (text: string) => Buffer.byteLength(text);
const of = (title: string, ...pieces: string[]): Section => ({ title, file: `~/${title}.md`, pieces });

suite("embodiment", () => {
  test("is one block within the size limit including marks, with valid characters", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.array(section, { maxLength: 7 }),
        fc.integer({ min: MIN_BYTES, max: 20_000 }),
        (name, sections, limit) => {
          const text = compose([...name].slice(0, 60).join(""), sections, limit),
            block = marked("embodiment", text, MAX_KEEP);
          ok(size(block) <= limit, `${size(block)} > ${limit}`);
          equal(block.includes(text), true, "marking changes nothing");
          equal(unmarked(marked("embodiment", text)), "");
          equal(Buffer.from(text).toString(), text);
          ok(!text.includes("\uFFFD") || JSON.stringify([name, sections]).includes("\uFFFD"));
        },
      ),
      { numRuns: 400 },
    ));

  test("contains everything below the limit", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            title: fc.constant("t"),
            file: fc.constant("f"),
            pieces: fc.array(
              fc.string({ maxLength: 50 }).map(text => `[${text.replaceAll("<", "")}]`),
              { minLength: 1, maxLength: 5 },
            ),
          }),
          { maxLength: 7 },
        ),
        sections => {
          const text = compose("Ada", sections, MAX_BYTES);
          for (const { pieces } of sections) for (const piece of pieces) ok(text.includes(piece));
          ok(!text.includes("…") || JSON.stringify(sections).includes("…"));
        },
      ),
    ));

  test("starts with its opening without marks", () =>
    equal(compose("# Ada </sparkle>", [], MIN_BYTES), harmless("# Ada </sparkle>")));

  test("keeps the newest list entries with the number and file of the omitted ones", () => {
    const text = compose(
      "Ada",
      [of("Anchors", ...Array.from({ length: 100 }, (_, i) => `- anchor ${i}. ${"x".repeat(50)}`))],
      MIN_BYTES,
    );
    const last = Number(/anchor (\d+)\.[^\n]*\n\n… (\d+) older/.exec(text)?.[1]),
      remaining = Number(/… (\d+) older: see ~\/Anchors\.md\./.exec(text)?.[1]);
    ok(text.includes("- anchor 0.") && last > 5);
    equal(last + 1 + remaining, 100);
  });

  test("keeps the beginning of a long text in whole lines with its file name", () => {
    const text = compose("Ada", [of("Profile", "a line of it\n".repeat(1_000))], MIN_BYTES);
    match(text, /a line of it\n\n… The rest is in ~\/Profile\.md\.$/);
  });

  test("contains small sections completely beside large ones", () => {
    const text = compose(
      "Ada",
      [of("Large", "x".repeat(100_000)), of("Small", "small and whole"), of("Larger", "y".repeat(200_000))],
      MIN_BYTES,
    );
    ok(text.includes("small and whole") && text.includes("xxx") && text.includes("yyy"));
    ok(size(text) > MIN_BYTES * 0.9, "the room is used");
  });

  test("names the sections that do not fit", () => {
    const many = Array.from({ length: 30 }, (_, i) => of(`S${i}`, "z".repeat(5_000)));
    match(compose("Ada", many, MIN_BYTES), /Omitted because of the size limit: S0, S1/);
  });

  test("stays within a tight limit", () => {
    const list = { ...of("List", ...Array.from({ length: 2_000 }, (_, i) => `- ${i}`)), file: "f".repeat(300) },
      text = of("Text", "a line\n".repeat(2_000));
    for (let limit = MIN_BYTES; limit < MIN_BYTES + 200; limit++)
      ok(size(compose("Ada", [list, text], limit)) <= limit, String(limit));
    ok(size(compose("Ada", [of("Marks", "<sparkle".repeat(10_000))], MIN_BYTES)) <= MIN_BYTES);
    const long = Array.from({ length: 3 }, (_, i) => of(`${i}${"t".repeat(500)}`, "z".repeat(5_000))),
      short = Array.from({ length: 10 }, (_, i) => of(`S${i}`, "z".repeat(5_000)));
    ok(size(compose("Ada", [...long, ...short], MIN_BYTES)) <= MIN_BYTES);
  });

  test("shares the size evenly and reassigns the unused part", () => {
    deepEqual(shared([10, 1_000, 50, 1_000], 360), [10, 150, 50, 150]);
    deepEqual(shared([10, 20], 1_000), [10, 20]);
    deepEqual(shared([10, 20], -5), [0, 0]);
  });

  test("cuts at whole characters, and at whole lines if possible", () => {
    equal(beginning("öö", 3), "ö");
    equal(beginning("🙂", 3), "");
    equal(beginning("first line\nse", 12), "first line");
    equal(beginning("a\nlong second line", 12), "a\nlong secon");
  });
});
