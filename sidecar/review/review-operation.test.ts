import { deepEqual, equal, rejects } from "node:assert/strict";
import { at, file, ReviewedFolder } from "../testing/review/reviewed-folder";

suite("operations of a review", () => {
  const TEXTS = { mine: "1\n2\n3\n", agent: "1 agent\n2\n3\n" };

  /** Two changed files and a created one. The log has the start of an undo of all, and its end could not be stored. */
  async function interrupted(): Promise<ReviewedFolder> {
    const folder = new ReviewedFolder();
    for (const path of ["a.ts", "b.ts"]) {
      folder.put(path, file(TEXTS.mine));
      await folder.agent(0, path, file(TEXTS.agent));
    }
    await folder.agent(0, "new.ts", file("new\n"));
    folder.free = 1;
    await rejects(folder.review.undo({ files: folder.review.files }), /disk is full/);
    folder.free = Infinity;
    return folder;
  }
  const recovered = async (folder: ReviewedFolder): Promise<readonly string[]> => {
    const { disk } = folder;
    folder.reopen();
    await folder.review.settle();
    deepEqual(folder.disk, disk, "The recovery writes no file.");
    return folder.review.state.operations.flatMap(({ files }) => files.map(({ path }) => path));
  };
  const contentsAre = (folder: ReviewedFolder, contents: Readonly<Record<string, string>>): void =>
    deepEqual(folder.disk, Object.entries(contents));

  test("do not include a file that was not written, and that the user changed after the interruption", async () => {
    const folder = await interrupted();
    folder.put("b.ts", file(`${TEXTS.agent}mine\n`));
    folder.put("new.ts", file("new\nmine\n"));
    deepEqual(await recovered(folder), ["a.ts"]);
    deepEqual(
      folder.unreviewed.map(([path, added, removed]) => `${path} +${added} −${removed}`),
      ["b.ts +1 −1", "new.ts +1 −0"],
    );
    await folder.review.undo({ files: folder.review.files });
    contentsAre(folder, { "a.ts": TEXTS.mine, "b.ts": `${TEXTS.mine}mine\n`, "new.ts": "mine\n" });
  });

  test("include a file that was written, and that the user changed after the interruption", async () => {
    const folder = await interrupted();
    folder.put("b.ts", file(`${TEXTS.mine}mine\n`));
    deepEqual(await recovered(folder), ["a.ts", "b.ts", "new.ts"]);
    deepEqual(folder.unreviewed, []);
    await folder.review.undoOperation("operation 1");
    contentsAre(folder, { "a.ts": TEXTS.agent, "b.ts": `${TEXTS.agent}mine\n`, "new.ts": "new\n" });
  });

  test("lose no text of the user that is similar to neither content", async () => {
    const folder = await interrupted();
    folder.put("b.ts", file("something else\n"));
    folder.put("new.ts", file("\0binary"));
    await recovered(folder);
    await folder.review.undo({ files: folder.review.files });
    equal(folder.bytes("b.ts"), "something else\n");
    equal(folder.bytes("new.ts"), "\0binary");
  });

  test("report all of their steps, also those of files that are not written", async () => {
    const folder = new ReviewedFolder();
    for (const path of ["a.ts", "b.ts"]) await folder.agent(0, path, file(`${path}\n`));
    folder.put("b.ts", undefined);
    await folder.review.undo({ files: folder.review.files, areSelected: true });
    deepEqual(folder.progress, ["2/4", "3/4", "4/4"]);
    await folder.agent(0, "c.ts", file("c\n"));
    await folder.review.accept({ files: [at("c.ts")] });
    deepEqual(folder.progress.slice(3), ["1/2", "2/2"]);
  });

  test("are undone as they are in the log at that time", async () => {
    const folder = new ReviewedFolder();
    folder.put("a.ts", file(TEXTS.mine));
    await folder.agent(0, "a.ts", file(TEXTS.agent));
    const { id = "" } = await folder.review.undo({ files: [at("a.ts")] });
    const [first, second] = await Promise.all([folder.review.undoOperation(id), folder.review.undoOperation(id)]);
    deepEqual([first.changed, second.changed], [1, 0]);
    equal(folder.bytes("a.ts"), TEXTS.agent);
  });
});
