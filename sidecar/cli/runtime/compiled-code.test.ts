import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { CompiledCode } from "./compiled-code";

const HASHES = ["0123456789abcdef", "fedcba9876543210"] as const;

suite("compiled code", () => {
  let temporary: ReturnType<typeof temporaryFolder>, folder: string, stored: string, main: string;
  setup(() => {
    temporary = temporaryFolder();
    folder = temporary.path;
    stored = path.join(folder, "stored", "v8");
    main = path.join(folder, "main.js");
    writeFileSync(
      main,
      `//${HASHES[0]}\nexports.sum = () => require("./chunk.js").one + 1; exports.path = require("node:path");`,
    );
    writeFileSync(path.join(folder, "chunk.js"), `//${HASHES[1]}\nexports.one = 1;`);
  });

  teardown(() => temporary[Symbol.dispose]());

  /** Runs the program as one start does. */
  function start(of: string | undefined): unknown {
    const code = new CompiledCode(of, name => name),
      { sum, path } = code.load(main) as { readonly sum: () => number; readonly path: unknown },
      result = [sum(), path];
    code.store(Date.now());
    return result;
  }

  test("loads a program and its chunks, and stores each once", () => {
    deepEqual(start(stored), [2, "node:path"]);
    const files = [`chunk-${HASHES[1]}`, `main-${HASHES[0]}`],
      before = new Date(Date.now() - 60_000);
    deepEqual(readdirSync(stored).sort(), files);
    for (const file of files) utimesSync(path.join(stored, file), before, before);
    deepEqual(start(stored), [2, "node:path"]);
    for (const file of files) deepEqual(statSync(path.join(stored, file)).mtime, before);
  });

  test("evaluates a module once", () => {
    writeFileSync(main, `exports.one = require("./chunk.js"); exports.again = require("./chunk.js");`);
    const { one, again } = new CompiledCode(undefined, name => name).load(main) as Record<string, unknown>;
    equal(one, again);
  });

  test("runs the new program after an update of the same length", () => {
    start(stored);
    writeFileSync(
      main,
      `//${HASHES[1]}\nexports.sum = () => require("./chunk.js").one + 2; exports.path = require("node:path");`,
    );
    deepEqual(start(stored), [3, "node:path"]);
  });

  test("replaces damaged code, and deletes code that was stored more than 30 days ago", () => {
    mkdirSync(stored, { recursive: true });
    const damaged = path.join(stored, `main-${HASHES[0]}`),
      old = path.join(stored, "main-of-an-old-version"),
      then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const file of [damaged, old]) writeFileSync(file, "damaged");
    utimesSync(old, then, then);
    deepEqual(start(stored), [2, "node:path"]);
    ok(readFileSync(damaged).length > "damaged".length);
    deepEqual(readdirSync(stored).sort(), [`chunk-${HASHES[1]}`, `main-${HASHES[0]}`]);
  });

  test("runs without a folder, with one that cannot be created, and stores no program without a hash", () => {
    deepEqual(start(undefined), [2, "node:path"]);
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    deepEqual(start(path.join(file, "inside")), [2, "node:path"]);
    writeFileSync(main, `exports.sum = () => 5; exports.path = "";`);
    mkdirSync(stored, { recursive: true });
    deepEqual(start(stored), [5, ""]);
    deepEqual(readdirSync(stored), []);
  });
});
