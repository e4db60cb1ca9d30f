/** The review of a scripted agent's changes by the built sidecar (issue 21). Uses the user's git. */
import { deepEqual, equal } from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import type { Review, ReviewFile } from "../../src/protocol/review/review";
import { findOnPath } from "../process/find-program";
import { BuiltSidecar, isIdle } from "../testing/golden/built-sidecar";
import { SnapshotFixture } from "../testing/review/snapshot-fixture";
import { skipped } from "../testing/skipped";

const START: Readonly<Record<string, string | Uint8Array>> = {
  "src/fs.txt": "one\ntwo\nthree\n",
  "src/disk.txt": "one\ntwo\nthree\n",
  "src/sed.txt": "one\ntwo\nthree\n",
  "moved.txt": "1\n2\n3\n4\n5\n",
  "deleted.txt": "gone\n",
  "binary.bin": Uint8Array.of(0, 1, 2),
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "utf16.txt": Buffer.from("\ufeffone\ntwo\n", "utf16le"),
  "bom.txt": "\ufeffone\ntwo\n",
  "script.sh": "#!/bin/sh\n",
  "same.txt": "same\n",
};

/** Changes in each way that agents have. */
const script = (folder: string): string =>
  [
    `write ${path.join(folder, "src", "fs.txt")} one\\n2\\nthree\\n`,
    "disk sed 's/two/2/' src/disk.txt > x && cat x > src/disk.txt && rm x",
    "terminal sed -i s/two/2/ src/sed.txt",
    "disk mkdir deep && mv moved.txt deep/renamed.txt",
    "disk rm deleted.txt",
    "disk printf '\\\\000\\\\003' > binary.bin",
    "disk printf 'one\\\\r\\\\n2\\\\r\\\\nthree\\\\r\\\\n' > crlf.txt",
    "disk printf '\\\\377\\\\376o\\\\000\\\\n\\\\000' > utf16.txt",
    "disk sed -i s/two/2/ bom.txt",
    "disk rm link && ln -s script.sh link",
    "disk chmod +x script.sh",
    `write ${path.join(folder, "new", "created.txt")} a\\nb\\n`,
  ].join("\n");

const EXPECTED = [
  "binary.bin modified +0 −0",
  "bom.txt modified +1 −1",
  "crlf.txt modified +1 −1",
  "deep/renamed.txt renamed from moved.txt +0 −0",
  "deleted.txt deleted +0 −1",
  "link modified +1 −1",
  "new/created.txt created +2 −0",
  "script.sh mode +0 −0",
  "src/disk.txt modified +1 −1",
  "src/fs.txt modified +1 −1",
  "src/sed.txt modified +1 −1",
  "utf16.txt modified +1 −2",
];

function kindOf({ before, after, from }: ReviewFile): string {
  if (from !== undefined) return `renamed from ${from}`;
  if (before === undefined) return "created";
  if (after === undefined) return "deleted";
  return before.oid === after.oid ? "mode" : "modified";
}

const listed = ({ files }: Review, prefix = ""): readonly string[] =>
  files
    .map(file => `${prefix}${file.path} ${kindOf(file)} +${file.added} −${file.removed}`)
    .sort((a, b) => (a < b ? -1 : 1));

/** Mode and bytes of each file, without repositories. */
function contents(folder: string, below = ""): Readonly<Record<string, string>> {
  return Object.assign(
    {},
    ...readdirSync(path.join(folder, below), { withFileTypes: true }).map(entry => {
      const name = path.join(below, entry.name),
        file = path.join(folder, name);
      if (entry.name === ".git") return {};
      if (entry.isDirectory()) return contents(folder, name);
      if (entry.isSymbolicLink()) return { [name]: `→ ${readlinkSync(file)}` };
      return { [name]: `${(lstatSync(file).mode & 0o111) === 0 ? "" : "x "}${readFileSync(file, "latin1")}` };
    }),
  ) as Readonly<Record<string, string>>;
}

suite("review of an agent's changes, with git", () => {
  let fixture: SnapshotFixture, sidecar: BuiltSidecar;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(async () => {
    fixture = new SnapshotFixture();
    sidecar = await BuiltSidecar.start();
  });
  teardown(async () => {
    await sidecar.hangUp();
    await fixture[Symbol.asyncDispose]();
  });

  function fill(folder: string): void {
    for (const [name, content] of Object.entries(START)) fixture.write(`${folder}/${name}`, content);
    fixture.link(`${folder}/link`, "src/fs.txt");
  }
  async function committed(folder: string): Promise<void> {
    await fixture.repository(folder, START);
    fixture.link(`${folder}/link`, "src/fs.txt");
    await fixture.commit(folder);
  }
  /** The review after the turn of a prompt. */
  async function review(text: string): Promise<Review> {
    // The first change follows the first snapshot, after which the review is reported as running.
    const isRecorded = () => [...sidecar.reviews.values()].some(each => each.isRunning);
    await sidecar.prompt(`await ${fixture.at("recorded")}\n${text}`, isRecorded);
    fixture.write("recorded", "");
    await sidecar.until(isIdle);
    await sidecar.until(() => [...sidecar.reviews.values()].some(each => !each.isRunning));
    const [found] = sidecar.reviews.values();
    if (found === undefined) throw new Error("no review");
    return found;
  }
  async function chat(...folders: string[]): Promise<string> {
    const [cwd = "", ...others] = folders.map(folder => fixture.at(folder));
    await sidecar.newChat([], { cwd, folders: [cwd, ...others] });
    await sidecar.until(isIdle);
    return cwd;
  }

  const LAYOUTS: readonly (readonly [title: string, layout: () => Promise<string>])[] = [
    [
      "a repository",
      async () => {
        await committed("r");
        return "r";
      },
    ],
    [
      "a folder without a repository",
      async () => {
        fill("f");
        return "f";
      },
    ],
    [
      "a worktree",
      async () => {
        await committed("r");
        await fixture.git("r", "worktree", "add", "-q", fixture.at("w"));
        return "w";
      },
    ],
    [
      "a folder of a larger repository",
      async () => {
        await fixture.repository("r", { "top.txt": "top\n" });
        fill("r/part");
        await fixture.commit("r");
        return "r/part";
      },
    ],
  ];
  for (const [title, layout] of LAYOUTS)
    test(`lists every change in ${title}, undoes all, and undoes that`, async () => {
      const folder = await layout(),
        cwd = await chat(folder),
        before = contents(cwd),
        found = await review(script(cwd)),
        after = contents(cwd);
      deepEqual(listed(found), EXPECTED);
      // On a slow machine the prompt does not wait for the first snapshot.
      deepEqual(
        found.limits.filter(each => each.kind !== "late"),
        [],
      );
      const { id } = found,
        undone = await sidecar.ask("review/undo", { id });
      deepEqual(undone.remaining, []);
      deepEqual(contents(cwd), before);
      const { operation = "" } = undone;
      deepEqual((await sidecar.ask("review/revert", { id, operation })).remaining, []);
      deepEqual(contents(cwd), after);
      await sidecar.until(() => listed(sidecar.reviews.get(id) ?? found).join() === EXPECTED.join());
    });

  test("lists changes in a nested repository and in two folders", async () => {
    await committed("r");
    await fixture.repository("r/nested", { "a.txt": "one\n" });
    fixture.write("other/b.txt", "one\n");
    const cwd = await chat("r", "other"),
      found = await review(
        ["disk echo 2 >> nested/a.txt", "disk echo 2 >> src/fs.txt", `write ${fixture.at("other/b.txt")} 2\\n`].join(
          "\n",
        ),
      );
    deepEqual(found.files.map(({ root, path: name }) => path.relative(fixture.folder, path.join(root, name))).sort(), [
      "other/b.txt",
      "r/nested/a.txt",
      "r/src/fs.txt",
    ]);
    equal((await sidecar.ask("review/undo", { id: found.id })).files, 3);
    equal(readFileSync(path.join(cwd, "nested", "a.txt"), "utf8"), "one\n");
  });
});
