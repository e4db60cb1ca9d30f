import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { readableLine, readableText, visibleLine, visibleText } from "./visible-text";

const number = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
const BLANK =
  /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cs}\u2800\u{1D159}\u{13441}\u{13442}\u{16FE4}]/u;
const hidden: number[] = [];
for (let code = 0; code <= 0x10ffff; code++)
  if (BLANK.test(String.fromCodePoint(code)) && !" \t\n".includes(String.fromCodePoint(code))) hidden.push(code);

suite("visible text", () => {
  test("shows every ignorable, white space and control code point", () => {
    ok(hidden.length > 4_000);
    for (const code of hidden) {
      const character = String.fromCodePoint(code);
      equal(visibleText(`a${character}b`), `a⟦${number(code)}⟧b`);
      equal(visibleLine(`a${character}b`), code === 13 ? "a b" : `a⟦${number(code)}⟧b`);
      equal(readableText(`a${character}b`), /\p{Zs}/u.test(character) ? `a${character}b` : `a⟦${number(code)}⟧b`);
    }
  });

  test("shows each of them anywhere in a text (property)", () => {
    const code = fc.constantFrom(...hidden).filter(each => each !== 13 && !(each >= 0xd800 && each <= 0xdfff));
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        code,
        fc.integer({ min: 1, max: 50 }),
        fc.string({ unit: "grapheme" }),
        (before, each, times, after) => {
          const character = String.fromCodePoint(each),
            text = before + character.repeat(times) + after;
          for (const show of [visibleText, visibleLine]) {
            ok(!show(text).includes(character));
            ok(show(text).includes(number(each)));
            ok(show(text).length < 12 * (before.length + after.length) + 40, "a run is short");
          }
          equal(visibleText(visibleText(text)), visibleText(text));
        },
      ),
    );
  });

  const table: readonly (readonly [given: string, shown: string])[] = [
    ["rm \u202Etxt.exe", "rm ⟦U+202E⟧txt.exe"],
    ["ok\r rm\x1B[2K", "ok⟦U+000D⟧ rm⟦U+001B⟧[2K"],
    ["a\uD83D", "a⟦U+D83D⟧"],
    ["a\u3164\u3164\u3164b", "a⟦U+3164 ×3⟧b"],
    ["a\u00A0b", "a⟦U+00A0⟧b"],
    ["ls\u{E0061}\u{E0062}", "ls⟦U+E0061⟧⟦U+E0062⟧"],
    ["❤\uFE0F", "❤⟦U+FE0F⟧"],
    ["grüße\tЖ 漢字 🎉\r\nשלום", "grüße\tЖ 漢字 🎉\nשלום"],
    ["a    b", "a    b"],
  ];
  for (const [given, shown] of table)
    test(`converts ${JSON.stringify(given)} to ${shown}`, () => equal(visibleText(given), shown));

  test("shortens blanks and empty lines before text", () => {
    equal(visibleText(`ls${" ".repeat(500)}; rm`), "ls ⟦500 blanks⟧ ; rm");
    equal(visibleText(`ls${"\n".repeat(60)}rm`), "ls\n⟦59 empty lines⟧\nrm");
    equal(visibleText(`ls\n${`${" ".repeat(30)}\n`.repeat(60)}rm`), "ls\n⟦60 empty lines⟧\nrm");
    equal(visibleText(`${" ".repeat(40)}x\n\n\ny`), `${" ".repeat(40)}x\n\n\ny`);
    equal(visibleLine(`ls${" \n".repeat(500)}rm`), "ls rm");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(" ", "\t", "\n", "\r\n"), { maxLength: 300 }), blanks => {
        const lines = visibleText(`ls${blanks.join("")}rm`).split("\n");
        ok(lines.length <= 8 && lines.every(line => line.length <= 60), JSON.stringify(lines));
      }),
    );
  });

  test("keeps emoji in ordinary text and shows stray joiners", () => {
    for (const text of ["❤\uFE0F", "👩\u200D💻", "👩🏽\u200D❤\uFE0F\u200D👨🏿", "1\uFE0F\u20E3", "✔\uFE0F Done"])
      equal(readableText(text), text);
    equal(
      readableText("a\uFE0F b\u200D 👩\u200D\u200D💻\uFE0F\uFE0F"),
      "a⟦U+FE0F⟧ b⟦U+200D⟧ 👩⟦U+200D ×2⟧💻\uFE0F⟦U+FE0F⟧",
    );
    equal(readableLine(" ✔\uFE0F\n done "), "✔\uFE0F done");
  });
});
