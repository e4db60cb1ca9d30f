import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { ansiLines, type AnsiStyle } from "./ansi";

const text = (output: string): readonly string[] => ansiLines(output).map(line => line.map(run => run.text).join(""));
const styles = (output: string): readonly (readonly [string, AnsiStyle])[] =>
  ansiLines(output).flatMap(line => line.map(({ text, style }) => [text, style] as const));
const ESC = "\u001b";

suite("terminal output", () => {
  test("ends lines at \\n and \\r\\n and shows an unfinished last line", () =>
    deepEqual(text("a\r\nb\n\nc"), ["a", "b", "", "c"]));

  test("overwrites after a carriage return", () => {
    deepEqual(text("10 %\r100 %\rDone"), ["Done%"]);
    deepEqual([text("abc\r"), text("abc\b\bX"), text("\b\ba")], [["abc"], ["aXc"], ["a"]]);
  });

  test("erases to the end, to the start, or the whole line", () => {
    deepEqual(
      [
        text(`abc\r${ESC}[Kx`),
        text(`abc\r${ESC}[2Kx`),
        text(`abc${ESC}[2Kx`),
        text(`abc\b\b${ESC}[1K`),
        text(`abc\ra${ESC}[0K`),
      ],
      [["x"], ["x"], ["   x"], ["  c"], ["a"]],
    );
  });

  test("moves tabs to the next multiple of eight", () =>
    deepEqual([text("a\tb"), text("\tb"), text("12345678\tb")], [["a       b"], ["        b"], ["12345678        b"]]));

  test("reads theme, 256 and RGB colours", () => {
    deepEqual(styles(`${ESC}[31ma${ESC}[92;44mb${ESC}[39;49mc`), [
      ["a", { colour: { theme: 1 } }],
      ["b", { colour: { theme: 10 }, background: { theme: 4 } }],
      ["c", {}],
    ]);
    deepEqual(styles(`${ESC}[38;5;9ma${ESC}[38;5;196mb${ESC}[48;5;255mc`), [
      ["a", { colour: { theme: 9 } }],
      ["b", { colour: { rgb: [255, 0, 0] } }],
      ["c", { colour: { rgb: [255, 0, 0] }, background: { rgb: [238, 238, 238] } }],
    ]);
    deepEqual(styles(`${ESC}[38;2;1;2;3ma${ESC}[38;5;999mb${ESC}[38;2;1;2;256mc${ESC}[38mz`), [
      ["abcz", { colour: { rgb: [1, 2, 3] } }],
    ]);
  });

  test("reads bold, dim, italic, underline and inverse", () => {
    deepEqual(styles(`${ESC}[1;2;3;4;7ma${ESC}[22;23mb${ESC}[24;27mc${ESC}[1md${ESC}[me`), [
      ["a", { bold: true, dim: true, italic: true, underline: true, inverse: true }],
      ["b", { underline: true, inverse: true }],
      ["c", {}],
      ["d", { bold: true }],
      ["e", {}],
    ]);
  });

  test("drops other and incomplete sequences", () => {
    deepEqual(
      [
        text(`a${ESC}[2Jb${ESC}[10;20Hc${ESC}[?25ld`),
        text(`${ESC}]0;title\u0007a${ESC}]8;;https://x${ESC}\\b${ESC}]8;;${ESC}\\`),
        text(`a${ESC}(Bb${ESC}=c${ESC}Pq1${ESC}\\d`),
      ],
      [["abcd"], ["ab"], ["abcd"]],
    );
    deepEqual(
      [text(`a${ESC}`), text(`a${ESC}[3`), text(`a${ESC}]0;ti`), text("a\u0007\u0000\u007fb")],
      [["a"], ["a"], ["a"], ["ab"]],
    );
  });

  test("treats a surrogate pair as one character", () => deepEqual(text("😀b\rx"), ["xb"]));

  test("keeps all plain characters for any output", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "a",
            "b",
            " ",
            "\n",
            `${ESC}[31m`,
            `${ESC}[0m`,
            `${ESC}[38;5;9m`,
            `${ESC}[?25l`,
            `${ESC}]0;t\u0007`,
          ),
        ),
        parts => {
          const plain = parts
            .filter(part => part.length === 1)
            .join("")
            .split("\n");
          deepEqual(text(parts.join("")), plain.at(-1) === "" ? plain.slice(0, -1) : plain);
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("a", "\r", "\b", "\t", "\n", `${ESC}[K`, `${ESC}[1K`, `${ESC}[2K`, `${ESC}[`, ESC, "\u009b"),
          { maxLength: 200 },
        ),
        parts => ok(Array.isArray(ansiLines(parts.join("")))),
      ),
    );
  });

  test("is parsed in linear time", () => {
    const began = process.cpuUsage().user;
    for (const part of [
      "\r",
      "a\r",
      "\t",
      "a\b",
      `${ESC}[K`,
      `${ESC}[1K`,
      `a${ESC}[2K`,
      ESC,
      `${ESC}]`,
      `${ESC}[38;5;`,
    ])
      ansiLines(`${"x".repeat(9_000)}${part.repeat(Math.floor(55_000 / part.length))}`);
    ok(process.cpuUsage().user - began < 3_000_000);
  });
});
