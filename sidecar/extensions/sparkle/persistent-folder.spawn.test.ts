import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { realFiles, type Files } from "../../agents/install/store/files";
import { ToolFailure } from "../tool";
import { temporaryFolder } from "../../testing/drive";
import { hurriedClock } from "../../testing/accelerated-clock";
import { PersistentFolder, type Writing } from "./persistent-folder";

const { signal } = new AbortController();

/** A home, a workspace, and the folders in them. */
class Fixture implements Disposable {
  readonly #folder = temporaryFolder();
  readonly logged: string[] = [];
  readonly home = path.join(this.#folder.path, "home");
  readonly cwd = path.join(this.#folder.path, "work");
  now = Date.parse("2026-11-22T09:51:03.000Z");

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.cwd);
  }

  user(files: Partial<Files> = {}): PersistentFolder {
    return this.#open({ root: path.join(this.home, ".sparkle"), called: "~/.sparkle", of: "user" }, files);
  }
  space(files: Partial<Files> = {}): PersistentFolder {
    return this.#open(
      { root: path.join(this.cwd, ".sparkle-space"), called: ".sparkle-space", of: "workspace" },
      files,
    );
  }
  inHome(file: string): string {
    return path.join(this.home, ".sparkle", file);
  }
  inSpace(file: string): string {
    return path.join(this.cwd, ".sparkle-space", file);
  }
  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  #open(place: PersistentFolder["place"], files: Partial<Files>): PersistentFolder {
    return new PersistentFolder(place, {
      clock: hurriedClock(100),
      date: () => new Date(this.now++),
      files: { ...realFiles, ...files },
      log: (level, message, detail) => {
        this.logged.push(`${level} ${message}: ${String(detail.why)}`);
      },
    });
  }
}

const replaced = (folder: PersistentFolder, file: string, text: string) =>
  folder.writing(signal, writing => writing.replace(file, text));
const appended = (folder: PersistentFolder, file: string, text: string) =>
  folder.writing(signal, writing => writing.append(file, text, "begin\n"));
const read = (file: string) => readFileSync(file, "utf8");
const refusing = (message: string, code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(message), { code }));
const failure = (pattern: RegExp) => (error: unknown) => error instanceof ToolFailure && pattern.test(error.message);

suite("PersistentFolder", () => {
  test("creates nothing on reads and reads absent files as undefined", async () => {
    using kept = new Fixture();
    for (const folder of [kept.user(), kept.space()]) {
      equal(await folder.read("a.md"), undefined);
      deepEqual(await folder.list("b", "files"), []);
    }
    deepEqual([readdirSync(kept.home), readdirSync(kept.cwd), kept.logged], [[], [], []]);
  });

  test("is created by the first write, with a .gitignore in a workspace", async () => {
    using kept = new Fixture();
    await replaced(kept.user(), "x/a.md", "one");
    await replaced(kept.space(), "a.md", "two");
    deepEqual(
      [read(kept.inHome("x/a.md")), read(kept.inSpace("a.md")), read(kept.inSpace(".gitignore"))],
      ["one", "two", "*\n"],
    );
    deepEqual(readdirSync(kept.inHome("")), ["x"]);
    rmSync(kept.inSpace(".gitignore"));
    await replaced(kept.space(), "b.md", "three");
    deepEqual(readdirSync(kept.inSpace("")), ["a.md", "b.md"]);
  });

  if (process.platform !== "win32")
    test("is private to the user and keeps changed permissions", async () => {
      using kept = new Fixture();
      await replaced(kept.user(), "a.md", "one");
      deepEqual([statSync(kept.inHome("")).mode & 0o777, statSync(kept.inHome("a.md")).mode & 0o777], [0o700, 0o600]);
      rmSync(kept.inHome("a.md"));
      writeFileSync(kept.inHome("a.md"), "by hand", { mode: 0o640 });
      await replaced(kept.user(), "a.md", "two");
      equal(statSync(kept.inHome("a.md")).mode & 0o777, 0o640);
    });

  test("is not created in a missing workspace", async () => {
    using kept = new Fixture();
    rmSync(kept.cwd, { recursive: true });
    await rejects(replaced(kept.space(), "a.md", "x"), failure(/does not exist/));
    equal(existsSync(kept.cwd), false);
  });

  test("keeps the last twenty replaced versions byte for byte", async () => {
    using kept = new Fixture();
    const folder = kept.user(),
      bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00]);
    mkdirSync(kept.inHome(""));
    writeFileSync(kept.inHome("a.md"), bytes);
    await replaced(folder, "a.md", "one");
    const [first] = readdirSync(kept.inHome("older"));
    match(first!, /^a\.2026-11-22T09-51-03-\d+Z\.md$/);
    deepEqual(readFileSync(kept.inHome(`older/${first}`)), bytes);
    await replaced(folder, "a.md", "one");
    equal(readdirSync(kept.inHome("older")).length, 1, "the same again replaces nothing");
    writeFileSync(kept.inHome("older/b.md"), "another's");
    for (let i = 0; i < 22; i++) await replaced(folder, "a.md", `text ${i}`);
    const older = readdirSync(kept.inHome("older")).filter(name => name.startsWith("a."));
    deepEqual(
      [
        older.length,
        older.includes(first!),
        read(kept.inHome(`older/${older.at(-1)}`)),
        read(kept.inHome("older/b.md")),
      ],
      [20, false, "text 20", "another's"],
    );
  });

  test("appends to the existing bytes", async () => {
    using kept = new Fixture();
    await appended(kept.user(), "a.md", "one\n");
    writeFileSync(kept.inHome("a.md"), "\uFEFFby hand\r\nno end");
    await appended(kept.user(), "a.md", "\ntwo\n");
    equal(read(kept.inHome("a.md")), "\uFEFFby hand\r\nno end\ntwo\n");
    equal(existsSync(kept.inHome("older")), false);
  });

  for (const [what, bytes] of [
    ["no text", Buffer.from([0xff, 0xfe, 0x41, 0x00])],
    ["too long", Buffer.alloc(9 * 1_048_576, 0x61)],
  ] as const)
    test(`saves a file that is ${what} and starts a new one`, async () => {
      using kept = new Fixture();
      mkdirSync(kept.inHome(""));
      writeFileSync(kept.inHome("a.md"), bytes);
      await appended(kept.user(), "a.md", "new\n");
      equal(read(kept.inHome("a.md")), "begin\nnew\n");
      const [older] = readdirSync(kept.inHome("older"));
      ok(readFileSync(kept.inHome(`older/${older}`)).equals(bytes));
      match(kept.logged.join(), /was replaced/);
    });

  test("omits unreadable files and logs them", async () => {
    using kept = new Fixture();
    mkdirSync(kept.inHome("folder.md"), { recursive: true });
    writeFileSync(kept.inHome("a.md"), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    const folder = kept.user({ readdir: refusing("EACCES: no", "EACCES") });
    deepEqual(
      [await folder.read("a.md"), await folder.read("folder.md"), await folder.list(".", "files")],
      [undefined, undefined, []],
    );
    equal(kept.logged.length, 3);
    match(kept.logged.join("\n"), /is ignored: .*\n.*not a file\n.*EACCES/);
  });

  test("lists files or folders sorted, without hidden ones", async () => {
    using kept = new Fixture();
    for (const folder of ["b", "a", ".c"]) mkdirSync(kept.inHome(`x/${folder}`), { recursive: true });
    for (const file of ["2.md", "1.md", ".3.md"]) writeFileSync(kept.inHome(`x/${file}`), "");
    deepEqual(
      [await kept.user().list("x", "files"), await kept.user().list("x", "folders")],
      [
        ["1.md", "2.md"],
        ["a", "b"],
      ],
    );
  });

  test("reads one end of a long file in whole lines and characters", async () => {
    using kept = new Fixture();
    mkdirSync(kept.inHome(""));
    const line = "äöü".repeat(20);
    writeFileSync(kept.inHome("a.md"), `${`${line}\n`.repeat(20_000)}last\n`);
    const [first = "", last = ""] = [await kept.user().read("a.md"), await kept.user().read("a.md", "end")];
    ok(first.endsWith(line) && first.startsWith(line) && Buffer.byteLength(first) <= 1_048_576);
    ok(last.startsWith(line) && last.endsWith(`${line}\nlast\n`));
  });

  if (process.platform !== "win32") {
    test("follows a link in the user's folder and keeps it", async () => {
      using kept = new Fixture();
      mkdirSync(kept.inHome(""));
      writeFileSync(path.join(kept.home, "dotfile.md"), "mine");
      symlinkSync("../dotfile.md", kept.inHome("a.md"));
      equal(await kept.user().read("a.md"), "mine");
      await replaced(kept.user(), "a.md", "new");
      deepEqual(
        [
          lstatSync(kept.inHome("a.md")).isSymbolicLink(),
          read(path.join(kept.home, "dotfile.md")),
          readdirSync(kept.inHome("older")).length,
        ],
        [true, "new", 1],
      );
    });

    for (const [what, link] of [
      [
        "a file",
        (kept: Fixture) => {
          mkdirSync(kept.inSpace(""));
          symlinkSync(path.join(kept.home, "secret"), kept.inSpace("a.md"));
        },
      ],
      [
        "a missing file",
        (kept: Fixture) => {
          mkdirSync(kept.inSpace(""));
          symlinkSync(path.join(kept.home, "nothing"), kept.inSpace("a.md"));
        },
      ],
      [
        "a source file beside it",
        (kept: Fixture) => {
          mkdirSync(kept.inSpace(""));
          writeFileSync(path.join(kept.cwd, "main.rs"), "secret");
          symlinkSync("../main.rs", kept.inSpace("a.md"));
        },
      ],
      [
        "the folder",
        (kept: Fixture) => {
          writeFileSync(path.join(kept.home, "a.md"), "secret");
          symlinkSync(kept.home, kept.inSpace(""));
        },
      ],
      ["a missing folder", (kept: Fixture) => symlinkSync(path.join(kept.home, "nowhere"), kept.inSpace(""))],
    ] as const)
      test(`does not follow a link out of a workspace: ${what}`, async () => {
        using kept = new Fixture();
        writeFileSync(path.join(kept.home, "secret"), "secret");
        link(kept);
        const before = readdirSync(kept.home);
        equal(await kept.space().read("a.md"), undefined);
        match(kept.logged.join(), /points outside/);
        await rejects(replaced(kept.space(), "a.md", "x"), failure(/points outside/));
        await rejects(appended(kept.space(), "a.md", "x"), failure(/points outside/));
        deepEqual([readdirSync(kept.home), read(path.join(kept.home, "secret"))], [before, "secret"]);
      });

    test("does not wait for a pipe", async () => {
      using kept = new Fixture();
      mkdirSync(kept.inSpace(""), { recursive: true });
      const { execFileSync } = await import("node:child_process");
      execFileSync("mkfifo", [kept.inSpace("a.md")]);
      equal(await kept.space().read("a.md"), undefined);
      await rejects(appended(kept.space(), "a.md", "x"), failure(/not a file/));
    });
  }

  for (const file of ["../a.md", "x/../../a.md"])
    test(`rejects ${file}`, async () => {
      using kept = new Fixture();
      writeFileSync(path.join(kept.home, "a.md"), "secret");
      equal(await kept.user().read(file), undefined);
      await rejects(replaced(kept.user(), file, "x"), failure(/not in ~\/\.sparkle/));
      equal(read(path.join(kept.home, "a.md")), "secret");
    });

  test("leaves the file unchanged after a failed write, with a reason and no leftovers", async () => {
    using kept = new Fixture();
    await replaced(kept.user(), "a.md", "one");
    const full = kept.user({ rename: refusing("ENOSPC", "ENOSPC") });
    await rejects(replaced(full, "a.md", "two"), failure(/disk is full/));
    const denied = kept.user({ mkdir: refusing("EACCES: no", "EACCES") });
    await rejects(replaced(denied, "a.md", "two"), failure(/~\/\.sparkle cannot be written.*EACCES/));
    equal(read(kept.inHome("a.md")), "one");
    deepEqual([readdirSync(kept.inHome("")), readdirSync(kept.inHome("older"))], [["a.md", "older"], []]);
  });

  test("deletes temporary files of a killed writer", async () => {
    using kept = new Fixture();
    mkdirSync(kept.inHome(""));
    writeFileSync(kept.inHome(".a.md.0123456789abcdef.part"), "half");
    writeFileSync(kept.inHome(".mine.part"), "a person's");
    await replaced(kept.user(), "a.md", "one");
    deepEqual(readdirSync(kept.inHome("")), [".mine.part", "a.md"]);
  });

  test("serializes writes, times out waiting ones and releases cancelled calls", async () => {
    using kept = new Fixture();
    let leave = (): void => undefined;
    const order: string[] = [],
      withdrawn = new AbortController();
    await new Promise<void>(
      onStart =>
        void kept
          .user()
          .writing(signal, async () => {
            onStart();
            await new Promise<void>(resolve => {
              leave = resolve;
            });
            order.push("first");
          })
          .then(() => order.push("through")),
    );
    const late = rejects(replaced(kept.user(), "a.md", "late"), failure(/Another window is writing/));
    const gone = rejects(
      kept.user().writing(withdrawn.signal, async () => order.push("never")),
      /gone/,
    );
    withdrawn.abort(new Error("gone"));
    await Promise.all([late, gone]);
    leave();
    await replaced(kept.user(), "a.md", "second");
    deepEqual(order, ["first", "through"]);
    equal(read(kept.inHome("a.md")), "second");
  });

  test("takes over the lock of an exited writer", async () => {
    using kept = new Fixture();
    mkdirSync(kept.inHome(".lock"), { recursive: true });
    utimesSync(kept.inHome(".lock"), new Date(0), new Date(0));
    await replaced(kept.user(), "a.md", "one");
    deepEqual(readdirSync(kept.inHome("")), ["a.md"]);
  });

  test("rethrows unexpected errors", async () => {
    using kept = new Fixture();
    await rejects(
      kept.user().writing(signal, async (_: Writing) => {
        throw new RangeError("bug");
      }),
      RangeError,
    );
  });
});
