import { deepEqual, equal, ok } from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";
import { temporaryFolder } from "../../testing/drive";
import type { FileState } from "./file-state";
import { objectId } from "./loose-objects";
import { restoreFile, stateOnDisk, type Restored } from "./restore";

const stateOf = (text: string, mode: FileState["mode"] = "100644"): FileState => ({
  mode,
  oid: objectId("blob", Buffer.from(text), "sha1"),
});

suite("restored file", () => {
  let temporary: ReturnType<typeof temporaryFolder>, root: string;
  setup(() => {
    temporary = temporaryFolder();
    root = path.join(realpathSync(temporary.path), "root");
    mkdirSync(root);
  });
  teardown(() => temporary[Symbol.dispose]());

  const at = (name: string): string => path.join(root, name);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  /** `to` and `from`: contents, undefined for no file. */
  const restore = (
    name: string,
    to: string | undefined,
    from: string | undefined,
    modes: { readonly to?: FileState["mode"]; readonly from?: FileState["mode"] } = {},
  ): Promise<Restored> =>
    restoreFile({
      folder: root,
      path: name,
      state: to === undefined ? undefined : stateOf(to, modes.to),
      bytes: to === undefined ? undefined : Buffer.from(to),
      expected: from === undefined ? undefined : stateOf(from, modes.from),
      algorithm: "sha1",
      hasModes: true,
      platform: process.platform,
    });
  const DONE = { kind: "restored" } as const;
  const onDisk = async (name: string) => {
    const found = await stateOnDisk(at(name), "sha1");
    return found === undefined || typeof found === "string" ? found : found.state;
  };

  test("is replaced, created with its folders, and deleted with empty folders", async () => {
    write("a", "new");
    deepEqual(await restore("a", "old", "new"), DONE);
    equal(readFileSync(at("a"), "utf8"), "old");
    deepEqual(await restore("deep/er/b", "b", undefined), DONE);
    equal(readFileSync(at("deep/er/b"), "utf8"), "b");
    write("deep/c", "c");
    deepEqual(await restore("deep/er/b", undefined, "b"), DONE);
    deepEqual(readdirSync(root, { recursive: true }).sort(), ["a", "deep", "deep/c"]);
    deepEqual(await restore("gone", undefined, undefined), DONE);
  });

  test("keeps the permissions of the replaced file, except for execution", async function () {
    if (process.platform === "win32") return;
    write("a", "new");
    chmodSync(at("a"), 0o640);
    deepEqual(await restore("a", "old", "new", { to: "100755" }), DONE);
    equal(lstatSync(at("a")).mode & 0o777, 0o750);
    deepEqual(await restore("a", "new", "old", { from: "100755" }), DONE);
    equal(lstatSync(at("a")).mode & 0o777, 0o640);
  });

  test("has no modes on a file system without them", async () => {
    write("a", "new");
    chmodSync(at("a"), 0o755);
    const request = { folder: root, path: "a", algorithm: "sha1", platform: process.platform } as const,
      change = { state: stateOf("old"), bytes: Buffer.from("old"), expected: stateOf("new") };
    equal((await restoreFile({ ...request, ...change, hasModes: true })).kind, "refused");
    deepEqual(await restoreFile({ ...request, ...change, hasModes: false }), DONE);
  });

  test("can be a link, and replaces one", async () => {
    write("a", "text");
    deepEqual(await restore("a", "target", "text", { to: "120000" }), DONE);
    equal(readlinkSync(at("a")), "target");
    deepEqual(await restore("a", "text", "target", { from: "120000" }), DONE);
    ok(lstatSync(at("a")).isFile());
  });

  test("takes the place of an empty folder only", async () => {
    mkdirSync(at("a"));
    deepEqual(await restore("a", "text", undefined), DONE);
    write("b/c", "c");
    deepEqual(await restore("b", "text", undefined), { kind: "refused", why: "occupied" });
    deepEqual(await restore("b", "text", "other"), { kind: "refused", why: "changed" });
    equal(readFileSync(at("b/c"), "utf8"), "c");
  });

  test("is refused if the file has another state than expected", async () => {
    write("a", "the user's");
    for (const [to, from] of [
      ["old", "new"],
      ["old", undefined],
      [undefined, "new"],
      [undefined, undefined],
    ] as const)
      deepEqual(await restore("a", to, from), { kind: "refused", why: "changed", found: stateOf("the user's") });
    deepEqual(await restore("absent", "old", "new"), { kind: "refused", why: "changed" });
    deepEqual(await restore("absent", undefined, "new"), { kind: "refused", why: "changed" });
    deepEqual(readdirSync(root), ["a"]);
  });

  test("is refused outside of the root, behind a link, in a repository, and without content", async () => {
    const outside = path.join(path.dirname(root), "outside");
    mkdirSync(outside);
    writeFileSync(path.join(outside, "a"), "a");
    symlinkSync(outside, at("link"));
    write("file", "file");
    for (const name of ["link/a", "link/new/b", "file/a"])
      deepEqual(await restore(name, "x", name === "link/a" ? "a" : undefined), { kind: "refused", why: "outside" });
    deepEqual(await restore("link/a", undefined, "a"), { kind: "refused", why: "outside" });
    for (const name of ["../outside/a", ".git/hooks/pre-commit", "/a", ""])
      deepEqual(await restore(name, "x", undefined), { kind: "refused", why: "path" });
    const missing = await restoreFile({
      folder: root,
      path: "file",
      state: stateOf("x"),
      bytes: undefined,
      expected: stateOf("file"),
      algorithm: "sha1",
      hasModes: true,
      platform: process.platform,
    });
    deepEqual(missing, { kind: "refused", why: "missing" });
    deepEqual(readdirSync(outside), ["a"]);
    ok(!existsSync(at(".git")));
  });

  test("has the requested state, or the file keeps its own", async () => {
    const text = fc.option(fc.constantFrom("a", "b", "", "\r\n\0"), { nil: undefined });
    const request = fc.record({
      name: fc.constantFrom("x", "x/y", "x/y/z", "w"),
      to: text,
      from: text,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 12 }), async requests => {
        for (const { name, to, from } of requests) {
          const before = await onDisk(name),
            result = await restore(name, to, from),
            after = await onDisk(name),
            isFile = typeof before === "object";
          if (result.kind === "refused") deepEqual(after, before);
          else if (to !== undefined) deepEqual(after, stateOf(to));
          else if (isFile) equal(after, undefined);
          if (result.kind === "restored" && isFile) deepEqual(before, from === undefined ? undefined : stateOf(from));
        }
        ok(!readdirSync(root, { recursive: true, encoding: "utf8" }).some(name => name.endsWith(".tmp")));
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});
