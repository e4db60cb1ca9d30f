import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { CompiledCode, compiledCodeFolder } from "./compiled-code";

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

  /** The stored files' names without the hash of their program's place. */
  const names = (): string[] => readdirSync(stored).map(name => name.replace(/(?<=-[\da-f]{16})-\w+$/, ""));
  const isStored = (part: string): string => {
    const name = readdirSync(stored).find(each => each.startsWith(part));
    ok(name);
    return path.join(stored, name);
  };

  test("loads a program and its chunks, and stores each once", () => {
    deepEqual(start(stored), [2, "node:path"]);
    deepEqual(names(), [`chunk-${HASHES[1]}`, `main-${HASHES[0]}`]);
    const files = readdirSync(stored),
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

  test("replaces damaged code", () => {
    start(stored);
    const file = isStored("main"),
      { length } = readFileSync(file);
    for (const damaged of [
      readFileSync(file).fill(0, length - 1),
      readFileSync(file).fill(0, 0, length / 2),
      readFileSync(file).subarray(0, length / 2),
      Buffer.alloc(0),
    ]) {
      writeFileSync(file, damaged);
      deepEqual(start(stored), [2, "node:path"]);
      const copies = readFileSync(file);
      ok(copies.length > 0);
      deepEqual(copies.subarray(0, copies.length / 2), copies.subarray(copies.length / 2));
    }
  });

  test("deletes code that was stored more than 30 days ago", () => {
    const then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    mkdirSync(path.join(stored, "folder-of-an-old-version"), { recursive: true });
    writeFileSync(path.join(stored, "main-of-an-old-version"), "");
    for (const name of readdirSync(stored)) utimesSync(path.join(stored, name), then, then);
    start(stored);
    deepEqual(names(), [`chunk-${HASHES[1]}`, `main-${HASHES[0]}`]);
  });

  test("stores code for each place of a program, because stack traces name it", () => {
    writeFileSync(main, `//${HASHES[0]}\nexports.stack = () => new Error().stack;`);
    const copy = path.join(folder, "copy", "main.js");
    cpSync(main, copy);
    for (const file of [main, copy, main, copy]) {
      const code = new CompiledCode(stored, name => name),
        { stack } = code.load(file) as { readonly stack: () => string };
      ok(stack().includes(`${file}:2:`));
      code.store(Date.now());
    }
    equal(readdirSync(stored).length, 2);
  });

  test("leaves no incomplete file when the code cannot be stored", () => {
    start(stored);
    const file = isStored("chunk"),
      files = readdirSync(stored);
    rmSync(file);
    mkdirSync(path.join(file, "inside"), { recursive: true });
    deepEqual(start(stored), [2, "node:path"]);
    deepEqual(readdirSync(stored), files);
  });

  test("loads a chunk that was missing at the first attempt", () => {
    const chunk = path.join(folder, "chunk.js"),
      text = readFileSync(chunk);
    rmSync(chunk);
    const { sum } = new CompiledCode(undefined, name => name).load(main) as { readonly sum: () => number };
    throws(sum, /ENOENT/);
    throws(sum, /ENOENT/);
    writeFileSync(chunk, text);
    equal(sum(), 2);
  });

  test("uses the home directory only if its path is absolute", () => {
    equal(
      compiledCodeFolder({}, () => folder),
      path.join(folder, ".symposium", "cache", "compiled"),
    );
    equal(
      compiledCodeFolder({}, () => ""),
      undefined,
    );
    equal(
      compiledCodeFolder({}, () => "workspace"),
      undefined,
    );
    equal(
      compiledCodeFolder({ NODE_DISABLE_COMPILE_CACHE: "1" }, () => folder),
      undefined,
    );
    const unknown = (): string => {
      throw new Error("no entry of the user");
    };
    equal(compiledCodeFolder({}, unknown), undefined);
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
