import { deepEqual, equal } from "node:assert/strict";
import { Log, type Listener } from "../../log";
import { WorkingFolders } from "./working-folders";

suite("working folders", () => {
  const fixture = (
    folders: string[],
    pick: () => Promise<string | undefined> = () => Promise.reject(new Error("asked")),
  ) => new WorkingFolders({ folders: () => folders, pick, say: () => undefined, home: "/home/me", log: new Log() });

  test("the only folder, or the home folder when none is open, without asking", async () => {
    equal(await fixture(["/w"]).choose(), "/w");
    equal(await fixture([]).choose(), "/home/me");
  });

  test("of several the user picks one, once for all tabs that open meanwhile; no choice is the first", async () => {
    let asked = 0;
    const folders = fixture(["/a", "/b"], async () => {
      asked++;
      return asked === 1 ? "/b" : undefined;
    });
    deepEqual(await Promise.all([folders.choose(), folders.choose()]), ["/b", "/b"]);
    equal(await folders.choose(), "/a");
    equal(asked, 2);
  });

  test("which folder was taken is said, once, when no choice was made", async () => {
    const said: string[] = [];
    const logged: Parameters<Listener>[0][] = [];
    const log = new Log();
    log.onLog(event => logged.push(event));
    const folders = new WorkingFolders({
      folders: () => ["/w/a", "/w/b"],
      pick: async () => undefined,
      say: message => said.push(message),
      home: "/home/me",
      log,
    });
    deepEqual(await Promise.all([folders.choose(), folders.choose()]), ["/w/a", "/w/a"]);
    deepEqual(said, ["No folder was chosen: the agent works in /w/a. Open a new tab to choose another."]);
    deepEqual(
      logged.map(({ level, data }) => [level, data]),
      [["info", { cwd: "/w/a" }]],
    );
  });

  test("a choice, and a folder without one to make, need no word", async () => {
    const say = () => {
      throw new Error("said");
    };
    equal(
      await new WorkingFolders({
        folders: () => ["/a", "/b"],
        pick: async () => "/b",
        say,
        home: "/home/me",
        log: new Log(),
      }).choose(),
      "/b",
    );
    equal(
      await new WorkingFolders({
        folders: () => ["/a"],
        pick: async () => undefined,
        say,
        home: "/home/me",
        log: new Log(),
      }).choose(),
      "/a",
    );
  });

  test("a page's word counts for a folder of ours only", () => {
    deepEqual(
      ["/a", "/a/b", "/home/me", "/"].map(folder => fixture(["/a"]).isOurs(folder)),
      [true, false, false, false],
    );
    equal(fixture([]).isOurs("/home/me"), true);
  });
});
