import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

interface Result {
  name: string;
  passed: number;
  failed: { title: string; message: string }[];
  skipped: { title: string; reason: string }[];
  seconds: number;
}

async function summary(results: Partial<Result>[], options: object = {}): Promise<{ text: string; ran: boolean }> {
  const { summary: sums } = (await import(pathToFileURL(path.resolve("scripts/summary.mjs")).href)) as {
    summary(results: Result[], options: object): { text: string; ran: boolean };
  };
  return sums(
    results.map(each => ({ name: "units", passed: 0, failed: [], skipped: [], seconds: 0, ...each })),
    { seconds: 7, ...options },
  );
}
const numbered = (count: number, text = "line"): string =>
  Array.from({ length: count }, (_, i) => `${text} ${i + 1}`).join("\n");
const failing = (message: string, count = 1): Partial<Result> => ({
  failed: Array.from({ length: count }, (_, i) => ({ title: `title ${i + 1}`, message })),
});

suite("the end of what npm test prints", () => {
  test("says what ran, why something was skipped and what failed, with its message", async () => {
    const { text, ran } = await summary(
      [
        { name: "types", passed: 8, seconds: 3 },
        {
          ...failing("Error: no\n\n    at x.ts:1:2\n"),
          passed: 1,
          skipped: [{ title: "s › t", reason: "no desktop" }],
          seconds: 4,
        },
      ],
      { grep: "x", only: ["types", "units"] },
    );
    assert.equal(
      text,
      [
        "types          8 passed    0 failed    0 skipped     3 s",
        "units          1 passed    1 failed    1 skipped     4 s",
        "skipped: s › t (no desktop)",
        "failed: title 1",
        "    Error: no",
        "",
        "        at x.ts:1:2",
        "only: types, units",
        "grep: x",
        "7 s",
        "9 passed, 1 failed, 1 skipped",
      ].join("\n"),
    );
    assert.equal(ran, true);
  });

  test("of a long message it has the first lines, of a long line the beginning", async () => {
    const { text } = await summary([failing(`${"x".repeat(400)}\n${numbered(40)}`)]);
    const message = text.split("\n").filter(line => line.startsWith("    "));
    assert.deepEqual(
      [message.length, message[0], message[24], message[25]],
      [26, `    ${"x".repeat(300)}…`, "    line 24", "    … and 16 more lines"],
    );
  });

  test("of very many failures the later ones are only named", async () => {
    const { text } = await summary([failing("no", 30)]);
    assert.equal(text.match(/^ {4}no$/gm)?.length, 20);
    assert.equal(text.match(/^failed: /gm)?.length, 30);
  });

  test("says when nothing ran; that nothing was left behind is no test", async () => {
    const { text, ran } = await summary([{ name: "leftovers", passed: 1 }]);
    assert.match(text, /^Not one test ran\.$/m);
    assert.equal(ran, false);
    assert.doesNotMatch((await summary([failing("no")])).text, /Not one/);
  });
});
