import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isFileWithin, isNewWithin } from "./workspace-files";

suite("workspace files", () => {
  let root = "";
  setup(() => {
    root = mkdtempSync(path.join(tmpdir(), "symposium-"));
    mkdirSync(path.join(root, "w/src"), { recursive: true });
    writeFileSync(path.join(root, "w/src/a.ts"), "");
    writeFileSync(path.join(root, "secret"), "");
    symlinkSync("../../secret", path.join(root, "w/src/link"));
    symlinkSync("../..", path.join(root, "w/src/out"));
  });
  teardown(() => rmSync(root, { recursive: true, force: true }));

  const each = (files: readonly string[], check: typeof isFileWithin): Promise<readonly boolean[]> =>
    Promise.all(files.map(file => check(path.join(root, "w", file), [path.join(root, "w")])));

  test("are files in a folder, after links are resolved", async () => {
    deepEqual(await each(["src/a.ts", "src", "src/none", "src/link", "src/out/secret", "../secret"], isFileWithin), [
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    equal(await isFileWithin(path.join(root, "w/src/a.ts"), [path.join(root, "missing")]), false);
  });

  test("can be created in a folder, after links are resolved", async () =>
    deepEqual(await each(["src/b.ts", "x/y/b.ts", "src/out/b.ts", "../b.ts"], isNewWithin), [
      true,
      true,
      false,
      false,
    ]));
});
