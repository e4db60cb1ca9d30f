import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { contains, resolveInWorkspace } from "./workspace-boundary";

suite("workspace boundary", () => {
  let base: string, root: string;
  setup(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), "boundary-")));
    root = path.join(base, "work");
    mkdirSync(path.join(root, "src"), { recursive: true });
    mkdirSync(path.join(base, "workshop"));
    writeFileSync(path.join(root, "src", "a.txt"), "a");
    writeFileSync(path.join(base, "secret"), "s");
  });
  teardown(() => {
    rmSync(base, { recursive: true });
  });
  const inside = async (file: string, roots = [root]): Promise<boolean> =>
    (await resolveInWorkspace(file, roots)).isInside;

  test("includes files and folders below a root, existing or not", async () => {
    for (const file of ["src/a.txt", "new", "src/deep/new.txt", "", "..name/x", "src/../b"])
      equal(await inside(path.join(root, file)), true, file);
    for (const file of ["../secret", "../workshop/x", "src/../../secret", ".."])
      equal(await inside(`${root}/${file}`), false, file);
    equal(await inside(path.join(base, "secret"), [root, base]), true);
    equal(await inside(path.join(root, "x"), []), false);
  });

  test("classifies a link by its target, in both directions", async () => {
    symlinkSync(base, path.join(root, "out"));
    symlinkSync(path.join(base, "secret"), path.join(root, "harmless.txt"));
    symlinkSync(root, path.join(base, "in"));
    deepEqual(await resolveInWorkspace(path.join(root, "harmless.txt"), [root]), {
      real: path.join(base, "secret"),
      isInside: false,
    });
    equal(await inside(path.join(root, "out", "not", "there.txt")), false);
    equal(await inside(path.join(base, "in", "src", "a.txt")), true);
    equal(await inside(path.join(root, "src", "a.txt"), [path.join(base, "in")]), true);
  });

  test("resolves a dangling link to the file that a write would create", async () => {
    symlinkSync(path.join(base, "not-there"), path.join(root, "dangling"));
    symlinkSync(path.join("..", "..", "not-there"), path.join(root, "src", "relative"));
    symlinkSync("dangling", path.join(root, "twice"));
    symlinkSync("not-there", path.join(root, "within"));
    for (const file of ["dangling", "src/relative", "twice"])
      deepEqual(
        await resolveInWorkspace(path.join(root, file), [root]),
        { real: path.join(base, "not-there"), isInside: false },
        file,
      );
    equal(await inside(path.join(root, "dangling", "deeper.txt")), false);
    deepEqual(await resolveInWorkspace(path.join(root, "within"), [root]), {
      real: path.join(root, "not-there"),
      isInside: true,
    });
  });

  test("rejects a path that cannot be resolved", async () => {
    symlinkSync(path.join(root, "round"), path.join(root, "round"));
    await rejects(resolveInWorkspace(path.join(root, "round", "x"), [root]), { code: "ELOOP" });
    // The system reports the missing folder. Only the normalized target is circular.
    symlinkSync("missing/../roundabout", path.join(root, "roundabout"));
    await rejects(resolveInWorkspace(path.join(root, "roundabout"), [root]), /too many links/);
  });

  test("excludes a sibling folder whose name starts with a root's name", () => {
    equal(contains(path.resolve("/w"), path.resolve("/workshop")), false);
    equal(contains(path.resolve("/w"), path.resolve("/w")), true);
    equal(contains(path.resolve("/w"), path.resolve("/w/..x")), true);
  });
});
