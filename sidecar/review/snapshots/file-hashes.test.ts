import { deepEqual, equal } from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../testing/drive";
import { FileHashes } from "./file-hashes";
import { LooseObjects, objectId } from "./loose-objects";

const HOUR_MS = 3_600_000;

suite("hashes of files", () => {
  const blob = (text: string) => objectId("blob", Buffer.from(text), "sha1");

  test("are remembered until the file or its object changes", async () => {
    using temporary = temporaryFolder();
    const objects = path.join(temporary.path, "objects"),
      file = path.join(temporary.path, "a.txt");
    let reads = 0;
    const store = new LooseObjects(objects, "sha1"),
      write = store.write.bind(store);
    store.write = (...args) => {
      reads++;
      return write(...args);
    };
    const hashes = new FileHashes(store, () => Date.now() + HOUR_MS);
    writeFileSync(file, "one\n");
    for (let i = 0; i < 2; i++) deepEqual(await hashes.store(file), { mode: "100644", oid: blob("one\n") });
    equal(reads, 1);
    chmodSync(file, 0o755);
    deepEqual(await hashes.store(file), { mode: "100755", oid: blob("one\n") });
    writeFileSync(file, "two\n");
    deepEqual(await hashes.store(file), { mode: "100755", oid: blob("two\n") });
    const before = reads;
    rmSync(objects, { recursive: true });
    deepEqual(await hashes.store(file), { mode: "100755", oid: blob("two\n") });
    equal(reads, before + 1);
    equal(readdirSync(objects).length, 1);
  });

  test("are not remembered if the file could change again at the same time", async () => {
    using temporary = temporaryFolder();
    const file = path.join(temporary.path, "a.txt"),
      time = new Date(1_700_000_000_000),
      hashes = new FileHashes(new LooseObjects(path.join(temporary.path, "objects"), "sha1"), () => Date.now());
    for (const text of ["one\n", "two\n"]) {
      writeFileSync(file, text);
      utimesSync(file, time, time);
      deepEqual(await hashes.store(file), { mode: "100644", oid: blob(text) });
    }
  });

  test("are those of the targets for links, and absent for folders and missing files", async () => {
    using temporary = temporaryFolder();
    const at = (name: string) => path.join(temporary.path, name),
      hashes = new FileHashes(new LooseObjects(at("objects"), "sha1"), () => Date.now());
    symlinkSync("nowhere", at("link"));
    mkdirSync(at("folder"));
    deepEqual(await hashes.store(at("link")), { mode: "120000", oid: blob("nowhere") });
    equal(await hashes.store(at("folder")), "absent");
    equal(await hashes.store(at("missing")), "absent");
  });
});
