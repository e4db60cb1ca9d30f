/** Tests locks on installed folders, including the files of other processes. */
import { deepEqual } from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import type { ProcessEntry, ProcessTable } from "../../../process/process-list";
import { realFiles } from "./files";
import { UsageLocks, USES } from "./usage-locks";

const SELF = { pid: 11, started: "then" };
const MONTHS_AGO = new Date(Date.now() - 100 * 24 * 3600 * 1000);

/** `living`: ids of the living processes. */
const table = (...living: readonly number[]): ProcessTable => ({
  computer: "this",
  showsRunIds: true,
  self: { pid: SELF.pid, group: SELF.pid },
  startOf: () => SELF.started,
  sameStart: (a, b) => a === b,
  living: async (pids = []) =>
    [...pids, process.pid]
      .filter(pid => living.includes(pid))
      .map(pid => ({ pid, started: SELF.started }) as ProcessEntry),
  cpuSeconds: async () => undefined,
  signal: () => undefined,
});

suite("UsageLocks", () => {
  let home: string;
  setup(async () => {
    home = await mkdtemp(path.join(tmpdir(), "uses-"));
    await mkdir(path.join(home, USES));
  });
  teardown(() => rm(home, { recursive: true, force: true }));

  const use = async (name: string, pid: number, host = hostname()): Promise<string> => {
    const file = path.join(home, USES, name);
    await writeFile(file, JSON.stringify({ folder: name, pid, started: SELF.started, host }));
    return file;
  };
  const files = async (): Promise<readonly string[]> => (await readdir(path.join(home, USES))).sort();

  test("returns the folders of living processes and deletes the files of dead ones", async () => {
    await use("dead", 12);
    await use("living", 13);
    const locks = new UsageLocks(realFiles, table(13, process.pid), SELF);
    deepEqual([...(await locks.used(home))], ["living"]);
    deepEqual(await files(), ["living"]);
  });

  test("keeps all files if the process table does not work", async () => {
    await use("unknown", 12);
    const locks = new UsageLocks(realFiles, table(), SELF);
    deepEqual([...(await locks.used(home))], ["unknown"]);
    deepEqual(await files(), ["unknown"]);
  });

  test("deletes files of other computers after a month", async () => {
    await use("recent", 12, "elsewhere");
    const old = await use("old", 12, "elsewhere");
    await utimes(old, MONTHS_AGO, MONTHS_AGO);
    const locks = new UsageLocks(realFiles, table(process.pid), SELF);
    deepEqual([...(await locks.used(home))], ["recent"]);
    deepEqual(await files(), ["recent"]);
  });

  test("ends a use with its release", async () => {
    const locks = new UsageLocks(realFiles, table(SELF.pid, process.pid), SELF),
      lease = await locks.take(home, "1.0.0");
    deepEqual([...(await locks.used(home))], ["1.0.0"]);
    await lease.release();
    deepEqual([...(await locks.used(home))], []);
    deepEqual(await files(), []);
  });
});
