import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

interface Result {
  passed: number;
  failed: { title: string; message: string }[];
  skipped: { title: string; reason: string }[];
}
interface Suites {
  shares(names: readonly string[]): string[][];
  mocha(
    name: string,
    options: object,
    start: (env: Record<string, string>) => Promise<{ code: number; text: string }>,
  ): Promise<Result>;
}

/** The scripts are plain JavaScript, which the compiler does not check. */
const suites = async (): Promise<Suites> =>
  (await import(pathToFileURL(path.resolve("scripts/suites.mjs")).href)) as Suites;

suite("npm test counts", () => {
  let folder: string;
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "suites-"));
  });
  teardown(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs these tests with the custom reporter, and summarizes them like `npm test`. */
  async function counted(source: string, options: object = {}, endsWith?: number): Promise<Result> {
    const file = path.join(folder, "some.test.cjs");
    writeFileSync(file, source);
    return (await suites()).mocha("some", { output: "hold", ...options }, async env => {
      const { status, stdout } = spawnSync(
        process.execPath,
        [
          "node_modules/mocha/bin/mocha.js",
          "--ui",
          "tdd",
          "--reporter",
          "scripts/reporter.cjs",
          "--reporter-option",
          "grace=100",
          file,
        ],
        { encoding: "utf8", env: { ...process.env, ...env } },
      );
      return { code: endsWith ?? status ?? 1, text: stdout };
    });
  }

  test("includes passed, failed and skipped tests with the reason", async () => {
    const { passed, failed, skipped } = await counted(`suite("s", () => {
      test("good", () => {});
      test("bad", () => { throw new Error("no"); });
      test("not here", function () { this.skipReason = "no desktop"; this.skip(); });
    });`);
    assert.equal(passed, 1);
    assert.deepEqual(
      failed.map(({ title }) => title),
      ["s › bad"],
    );
    assert.deepEqual(skipped, [{ title: "s › not here", reason: "no desktop" }]);
  });

  test("fails a test skipped without a reason", async () => {
    const { failed, skipped } = await counted(`suite("s", () => { test.skip("quiet", () => {}); });`);
    assert.deepEqual({ failed: failed.map(({ title }) => title), skipped }, { failed: ["s › quiet"], skipped: [] });
  });

  test("fails a suite whose process exits early", async () => {
    const { passed, failed } = await counted(`suite("s", () => { test("last words", () => process.exit(0)); });`);
    assert.equal(passed, 0);
    assert.match(failed[0]?.message ?? "", /did not complete/);
  });

  test("fails a suite whose process keeps running", async () => {
    const { passed, failed } = await counted(
      `suite("s", () => { test("leaves a timer behind", () => { setInterval(() => {}, 1000); }); });`,
    );
    assert.equal(passed, 1);
    assert.match(failed[0]?.message ?? "", /keeps their process alive/);
  });

  test("stops and fails a program at its time limit", async () => {
    const { run } = (await import(pathToFileURL(path.resolve("scripts/project.mjs")).href)) as {
      run(command: string, args: string[], options: object): Promise<{ code: number; text: string }>;
    };
    const { code, text } = await run(process.execPath, ["-e", "for (;;);"], { output: "hold", limit: 60 });
    assert.deepEqual([code, text], [1, "It was stopped after the limit of 0.001 minutes.\n"]);
  });

  test("fails a suite without tests unless filtered", async () => {
    assert.match((await counted("")).failed[0]?.message ?? "", /No test ran/);
    assert.deepEqual((await counted("", { grep: "nothing of this name" })).failed, []);
  });

  test("distributes page suites once each, the longest alone", async () => {
    const names = readdirSync("src/test/page")
      .filter(file => file.endsWith(".page.ts"))
      .map(file => file.replace(".page.ts", ""));
    const shared = (await suites()).shares(names);
    assert.deepEqual(shared.flat().sort(), names.sort());
    assert.deepEqual(
      [0, 1, 2, -1].map(i => shared.at(i)?.length),
      [1, 1, 1, 1],
    );
  });

  test("repeats a check only after a failure or a change of its files", async () => {
    const { unlessUnchanged } = (await import(pathToFileURL(path.resolve("scripts/skip-unchanged.mjs")).href)) as {
      unlessUnchanged(name: string, inputs: readonly string[], check: () => Promise<Result>): Promise<Result>;
    };
    const name = `test ${path.basename(folder)}`,
      input = path.relative(path.resolve(), folder),
      runs: boolean[] = [];
    const check = async (passes: boolean): Promise<boolean> => {
      const { failed } = await unlessUnchanged(name, [input], () => {
        runs.push(passes);
        return Promise.resolve({
          passed: Number(passes),
          failed: passes ? [] : [{ title: name, message: "" }],
          skipped: [],
        });
      });
      return failed.length === 0;
    };
    try {
      writeFileSync(path.join(folder, "a.ts"), "1");
      assert.deepEqual([await check(false), await check(true), await check(true)], [false, true, true]);
      assert.deepEqual(runs, [false, true], "a failure is not remembered, a success is");
      writeFileSync(path.join(folder, "a.ts"), "2");
      assert.equal(await check(false), false);
      writeFileSync(path.join(folder, "a.ts"), "1");
      writeFileSync(path.join(folder, "b.ts"), "");
      assert.equal(await check(true), true);
      assert.deepEqual(runs, [false, true, false, true]);
    } finally {
      rmSync(path.join("out/passed", name), { force: true });
    }
  });

  test("fails for a nonzero exit without a failed test", async () => {
    const { failed } = await counted(`suite("s", () => { test("good", () => {}); });`, {}, 3);
    assert.equal(failed.length, 1);
  });
});
