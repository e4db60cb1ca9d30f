import { deepEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../testing/drive";
import { rustFolders } from "./rust-projects";

suite("rustFolders", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  setup(() => {
    folder = temporaryFolder();
  });
  teardown(() => folder[Symbol.dispose]());
  const at = (name: string): string => path.join(folder.path, name);
  const create = (...files: string[]): void => {
    for (const file of files) {
      mkdirSync(path.dirname(at(file)), { recursive: true });
      if (file.endsWith("/")) mkdirSync(at(file), { recursive: true });
      else writeFileSync(at(file), "");
    }
  };
  const found = async (...folders: string[]): Promise<readonly string[]> =>
    (await rustFolders(folders.map(at), at("home"))).map(item =>
      path.relative(folder.path, item).replaceAll(path.sep, "/"),
    );

  test("returns a folder with a manifest, or below one", async () => {
    create("w/Cargo.toml", "w/member/Cargo.toml", "w/member/src/deep/");
    deepEqual(await found("w"), ["w"]);
    deepEqual(await found("w/member/src/deep"), ["w/member/src/deep"]);
  });

  test("returns the direct subfolders with a manifest, except build and dependency folders", async () => {
    create(
      "w/tools/Cargo.toml",
      "w/backend/Cargo.toml",
      "w/docs/",
      "w/deep/er/Cargo.toml",
      "w/target/Cargo.toml",
      "w/node_modules/Cargo.toml",
      "w/.cache/Cargo.toml",
      "w/vendor/Cargo.toml",
      "w/file",
      "w/odd/Cargo.toml/",
    );
    deepEqual(await found("w"), ["w/backend", "w/tools"]);
  });

  test("returns nothing without a manifest, a folder or an absolute path", async () => {
    create("w/src/main.ts");
    deepEqual(await found("w", "not/there"), []);
    create("r/Cargo.toml");
    deepEqual(await rustFolders(["", path.relative(process.cwd(), at("r"))], at("home")), []);
  });

  test("ignores a manifest above the repository's root", async () => {
    create(
      "all/Cargo.toml",
      "all/repository/.git/",
      "all/repository/web/",
      "all/worktree/.git",
      "all/worktree/web/",
      "all/plain/web/",
    );
    deepEqual(await found("all/repository/web", "all/repository", "all/worktree/web"), []);
    deepEqual(await found("all/plain/web"), ["all/plain/web"]);
    create("all/repository/Cargo.toml");
    deepEqual(await found("all/repository/web"), ["all/repository/web"]);
  });

  test("uses a manifest in the home folder only for a session there", async () => {
    create("Cargo.toml", "home/Cargo.toml", "home/projects/notes/");
    deepEqual(await found("home/projects/notes", "home/projects"), []);
    deepEqual(await found("home"), ["home"]);
  });

  test("searches all folders of a session in order, once each, without following links downwards", async () => {
    create("a/", "b/Cargo.toml", "c/x/Cargo.toml");
    symlinkSync(at("b"), at("a/link"));
    deepEqual(await found("a", "c", "b", "b"), ["c/x", "b"]);
  });
});
