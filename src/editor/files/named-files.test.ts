import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { NamedFiles } from "./named-files";

function filesOf(files: readonly string[], folders: readonly string[] = ["/w/one", "/w/two"]) {
  let listings = 0;
  const named = new NamedFiles({
    folders: () => folders,
    isFile: async file => files.includes(file),
    listed: async () => {
      listings++;
      return files;
    },
  });
  return {
    find: async (names: readonly string[], cwd?: string) => Object.fromEntries(await named.find(names, cwd)),
    pathOf: (name: string, cwd?: string) => named.pathOf(name, cwd),
    listings: () => listings,
  };
}

suite("files that agents name", () => {
  test("finds them relative to the session's folder, then to the workspace folders", async () => {
    const { find, listings } = filesOf(["/w/two/src/a.ts", "/w/one/src/a.ts", "/w/two/pkg/src/a.ts", "/w/two/b.ts"]);
    deepEqual(await find(["src/a.ts", "b.ts:3", "/w/two/b.ts#L3-L9"], "/w/two/pkg"), {
      "src/a.ts": { path: "/w/two/pkg/src/a.ts" },
      "b.ts:3": { path: "/w/two/b.ts", line: 3 },
      "/w/two/b.ts#L3-L9": { path: "/w/two/b.ts", line: 3, endLine: 9 },
    });
    deepEqual(await find(["src/a.ts"]), { "src/a.ts": { path: "/w/one/src/a.ts" } });
    equal(listings(), 0);
  });

  test("finds the end of a path that one file has, with one listing", async () => {
    const { find, listings } = filesOf(["/w/one/src/deep/a.ts", "/w/one/x/b.ts", "/w/two/x/b.ts", "/w/one/ya.ts"]);
    deepEqual(await find(["a.ts:7:2", "deep/a.ts", "b.ts", "nowhere.ts"]), {
      "a.ts:7:2": { path: "/w/one/src/deep/a.ts", line: 7, column: 2 },
      "deep/a.ts": { path: "/w/one/src/deep/a.ts" },
    });
    equal(listings(), 1);
  });

  test("finds no file outside the workspace, also for a folder of the session outside of it", async () => {
    const { find, pathOf } = filesOf(["/etc/passwd", "/home/a.ts"]);
    deepEqual(await find(["/etc/passwd", "../../etc/passwd", "~/a.ts"], "/home"), {});
    deepEqual(
      [pathOf("../../etc/passwd"), pathOf("new/a.ts", "/home"), pathOf("new/a.ts", "/w/two/p")],
      [undefined, "/w/one/new/a.ts", "/w/two/p/new/a.ts"],
    );
    deepEqual(await filesOf(["/home/a.ts"], []).find(["a.ts"]), {});
  });

  test("returns only listed files for any name (property)", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "b", "/", "..", ".", ":3", "#L1", "%2e", "\\", "w", "one", " ", "%")),
        async parts => {
          const all = ["/w/one/a", "/w/one/b/a", "/w/x"],
            found = await filesOf(all, ["/w/one"]).find([parts.join("")]);
          for (const { path } of Object.values(found)) ok(all.slice(0, 2).includes(path), path);
        },
      ),
    ));
});
