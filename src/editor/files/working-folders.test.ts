import { deepEqual, equal } from "node:assert/strict";
import { Log, type Listener } from "../../log";
import { WorkingFolders } from "./working-folders";

suite("WorkingFolders", () => {
  const fixture = (
    folders: string[],
    pick: () => Promise<string | undefined> = () => Promise.reject(new Error("asked")),
  ) => new WorkingFolders({ folders: () => folders, pick, report: () => undefined, home: "/home/me", log: new Log() });

  test("returns the only folder, or the home folder, without asking", async () => {
    equal(await fixture(["/w"]).choose(), "/w");
    equal(await fixture([]).choose(), "/home/me");
  });

  test("asks once for several folders and defaults to the first", async () => {
    let asked = 0;
    const folders = fixture(["/a", "/b"], async () => {
      asked++;
      return asked === 1 ? "/b" : undefined;
    });
    deepEqual(await Promise.all([folders.choose(), folders.choose()]), ["/b", "/b"]);
    equal(await folders.choose(), "/a");
    equal(asked, 2);
  });

  test("reports the default folder once after no choice", async () => {
    const texts: string[] = [];
    const logged: Parameters<Listener>[0][] = [];
    const log = new Log();
    log.onLog(event => logged.push(event));
    const folders = new WorkingFolders({
      folders: () => ["/w/a", "/w/b"],
      pick: async () => undefined,
      report: message => texts.push(message),
      home: "/home/me",
      log,
    });
    deepEqual(await Promise.all([folders.choose(), folders.choose()]), ["/w/a", "/w/a"]);
    deepEqual(texts, ["No folder was selected. The agent works in /w/a. Open a new tab to select another folder."]);
    deepEqual(
      logged.map(({ level, data }) => [level, data]),
      [["info", { cwd: "/w/a" }]],
    );
  });

  test("reports nothing for a choice or a single folder", async () => {
    const say = () => {
      throw new Error("said");
    };
    equal(
      await new WorkingFolders({
        folders: () => ["/a", "/b"],
        pick: async () => "/b",
        report: say,
        home: "/home/me",
        log: new Log(),
      }).choose(),
      "/b",
    );
    equal(
      await new WorkingFolders({
        folders: () => ["/a"],
        pick: async () => undefined,
        report: say,
        home: "/home/me",
        log: new Log(),
      }).choose(),
      "/a",
    );
  });

  test("accepts only the workspace's folders from a page", () => {
    deepEqual(
      ["/a", "/a/b", "/home/me", "/"].map(folder => fixture(["/a"]).isOurs(folder)),
      [true, false, false, false],
    );
    equal(fixture([]).isOurs("/home/me"), true);
  });
});
