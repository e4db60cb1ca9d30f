import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

interface Progress {
  report(tasks: Iterable<{ readonly name: string; readonly start: number }>, now: number): string;
  progress<T>(name: string, work: () => Promise<T>, report?: (text: string) => void): Promise<T>;
}

/** The scripts are plain JavaScript. */
const load = async (): Promise<Progress> =>
  (await import(pathToFileURL(path.resolve("scripts/progress.mjs")).href)) as Progress;

suite("progress messages", () => {
  test("names all running tasks with their seconds", async () => {
    const tasks = [
      { name: "units", start: 1_000 },
      { name: "types", start: 17_000 },
    ];
    assert.equal((await load()).report(tasks, 25_000), "  … units (24 s), types (8 s)");
  });

  test("returns the task's result and prints nothing for a short task", async () => {
    const texts: string[] = [],
      { progress } = await load();
    assert.equal(
      await progress(
        "short",
        async () => 1,
        text => texts.push(text),
      ),
      1,
    );
    await assert.rejects(
      progress(
        "failing",
        () => Promise.reject(new Error("no")),
        text => texts.push(text),
      ),
      /no/,
    );
    assert.deepEqual(texts, []);
  });
});
