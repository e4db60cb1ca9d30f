import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../log";
import { WorkingFolders } from "./working-folders";

suite("working folders", () => {
  const world = (folders: string[], pick: () => Promise<string | undefined> = () => Promise.reject(new Error("asked"))) => new WorkingFolders({ folders: () => folders, pick, home: "/home/me", log: new Log() });

  test("the only folder, or the home folder when none is open, without asking", async () => {
    equal(await world(["/w"]).choose(), "/w");
    equal(await world([]).choose(), "/home/me");
  });

  test("of several the user picks one, once for all tabs that open meanwhile; no choice is the first", async () => {
    let asked = 0;
    const folders = world(["/a", "/b"], async () => { asked++; return asked === 1 ? "/b" : undefined; });
    deepEqual(await Promise.all([folders.choose(), folders.choose()]), ["/b", "/b"]);
    equal(await folders.choose(), "/a");
    equal(asked, 2);
  });

  test("a page's word counts for a folder of ours only", () => {
    deepEqual(["/a", "/a/b", "/home/me", "/"].map(folder => world(["/a"]).isOurs(folder)), [true, false, false, false]);
    equal(world([]).isOurs("/home/me"), true);
  });
});
