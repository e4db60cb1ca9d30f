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
const FAILED: Partial<Result> = { failed: [{ title: "title", message: "no" }] };

suite("npm test summary", () => {
  test("states that no test ran and ignores the leftovers check", async () => {
    const { text, ran } = await summary([{ name: "leftovers", passed: 1 }]);
    assert.match(text, /^No test ran\.$/m);
    assert.equal(ran, false);
    assert.doesNotMatch((await summary([FAILED])).text, /No test ran/);
  });
});
