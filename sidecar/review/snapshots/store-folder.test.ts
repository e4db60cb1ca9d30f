import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { algorithmOf, configText, StoreFolder } from "./store-folder";

suite("folder of a store", () => {
  test("has the user's settings of the file system, and no others", () => {
    const text = configText(
      new Map([
        ["core.filemode", "false"],
        ["core.trustctime", "false"],
        ["core.fsmonitor", "/evil"],
        ["core.hookspath", "/evil"],
        ["core.autocrlf", "true"],
        ["core.symlinks", "true\n[core]\n\tfsmonitor = /evil"],
        ["filter.evil.clean", "/evil"],
      ]),
      "linux",
    );
    match(text, /\n\tfilemode = false\n\ttrustctime = false\n/);
    match(text, /\n\tautocrlf = false\n/);
    match(text, /\n\tfsmonitor = false\n/);
    equal(/evil|symlinks|hookspath/.test(text), false);
  });

  test("has the defaults of the platform without a repository", () => {
    match(configText(undefined, "win32"), /\n\tfilemode = false\n\tignorecase = true\n/);
    equal(/filemode/.test(configText(undefined, "linux")), false);
    equal(algorithmOf(new Map([["extensions.objectformat", "sha256"]])), "sha256");
  });

  test("is continued only for the same repository and settings", () => {
    using temporary = temporaryFolder();
    const store = StoreFolder.of(temporary.path, "/root"),
      content = { config: "[core]\n", exclude: "", alternates: "/repository/objects" };
    deepEqual(
      [
        store.create(content),
        store.create({ ...content, exclude: "*.log\n" }),
        store.create({ ...content, alternates: undefined }),
        store.create({ ...content, alternates: '/a\n"b' }),
        store.create({ ...content, alternates: '/a\n"b', config: "[gc]\n" }),
      ],
      [false, true, false, false, false],
    );
    equal(readFileSync(path.join(store.objects, "info/alternates"), "utf8"), `"/a\\n\\"b"\n`);
  });

  test("lists the indexes of all processes", () => {
    using temporary = temporaryFolder();
    const store = new StoreFolder(path.join(temporary.path, "store"));
    deepEqual(store.indexes(), []);
    mkdirSync(store.path);
    for (const name of ["index.1", "index.2.lock", "index.x", "config"]) writeFileSync(path.join(store.path, name), "");
    deepEqual(
      store.indexes().map(({ pid }) => pid),
      [1],
    );
    store.removeBeside(2);
    deepEqual(store.indexes().length, 1);
  });
});
