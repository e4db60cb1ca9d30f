import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { ToolFailure } from "../tool";
import { WorkingFolder } from "./working-folder";

suite("cargo working folder", () => {
  let folder: ReturnType<typeof temporaryFolder>, root: string;
  setup(() => {
    folder = temporaryFolder();
    root = realpathSync(folder.path);
    for (const name of ["session/a/src", "session/b", "outside", "more"])
      mkdirSync(path.join(root, name), { recursive: true });
  });
  teardown(() => folder[Symbol.dispose]());
  const at = (name: string): string => path.join(root, name);
  const manifest = (...names: string[]): void => {
    for (const name of names) writeFileSync(at(`${name}/Cargo.toml`), "");
  };
  const working = (...folders: string[]): WorkingFolder =>
    new WorkingFolder([at("session"), ...folders.map(at)], at("home"));
  const refused = (run: Promise<unknown>, why: RegExp): Promise<void> =>
    rejects(run, (error: unknown) => error instanceof ToolFailure && why.test(error.message));

  test("defaults to the session's folder or the only project in the session's folders", async () => {
    equal(await working().of(undefined), at("session"));
    manifest("session/a");
    equal(await working().of(undefined), at("session/a"));
    manifest("session", "more");
    equal(await working("more").of(undefined), at("session"));
  });

  test("is required as an argument if there are several projects", async () => {
    manifest("session/a", "session/b", "more");
    await refused(working("more").of(undefined), /several Rust projects: a, b, .*more\. Select one with “cwd”/);
    equal(await working("more").of("b"), at("session/b"));
    const set = working("more");
    equal(await set.set("a"), at("session/a"));
    equal(await set.of(undefined), at("session/a"));
    equal(await set.of("b"), at("session/b"));
    await refused(set.set(undefined), /several/);
  });

  test("is relative to the session's folder, or absolute in any session folder", async () => {
    const workingFolder = working("more");
    await workingFolder.set("a");
    equal(await workingFolder.of("a/src"), at("session/a/src"));
    equal(await workingFolder.of(at("more")), at("more"));
    equal(await workingFolder.of("."), at("session"));
  });

  test("is rejected outside the session's folders, also through a link", async () => {
    symlinkSync(at("outside"), at("session/link"));
    for (const cwd of ["..", "../outside", at("outside"), "link", "a/../../outside"]) {
      await refused(working().of(cwd), /is outside of this session's folders/);
      await refused(working().set(cwd), /is outside/);
    }
    await refused(working().inside("../../outside", at("session/a")), /outside/);
  });

  test("is rejected if it has become a link out of the session", async () => {
    const workingFolder = working();
    mkdirSync(at("session/c"));
    await workingFolder.set("c");
    const { rmdirSync } = await import("node:fs");
    rmdirSync(at("session/c"));
    symlinkSync(at("outside"), at("session/c"));
    await refused(workingFolder.of(undefined), /outside/);
  });

  test("is rejected if it is not a folder", async () => {
    writeFileSync(at("session/file"), "");
    for (const cwd of ["file", "not-there"]) await refused(working().of(cwd), /Folder .* does not exist/);
    await refused(working().of("a\0b"), /cannot be accessed/);
    symlinkSync(at("session/round"), at("session/round"));
    await refused(working().of("round"), /cannot be accessed: .*ELOOP/);
  });

  test("is displayed relative to the session's folder", async () => {
    deepEqual(
      [
        await working().shown(at("session")),
        await working().shown(at("session/a/src")),
        await working().shown(at("more")),
      ],
      [".", "a/src", at("more")],
    );
  });
});
