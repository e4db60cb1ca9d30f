import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { realFiles } from "../agents/install/store/files";
import { Locks } from "../agents/install/store/locks";
import { UsageLocks } from "../agents/install/store/usage-locks";
import type { ProcessEntry, ProcessTable } from "../process/process-list";
import { realClock } from "../rpc/clock";
import { ConversationLocks } from "./conversation-locks";

const STARTED = "then",
  ID = "0b0b0b0b-0000-4000-8000-000000000001";

suite("conversation locks", () => {
  let folder: string;
  const living = new Set<number>();
  setup(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "locks-"));
    living.clear();
  });
  teardown(() => rm(folder, { recursive: true, force: true }));

  const table: ProcessTable = {
    computer: "this",
    showsRunIds: true,
    self: { pid: process.pid, group: process.pid },
    startOf: () => STARTED,
    sameStart: (a, b) => a === b,
    living: async (pids = []) =>
      [...pids].filter(pid => living.has(pid)).map(pid => ({ pid, started: STARTED }) as ProcessEntry),
    cpuSeconds: async () => undefined,
    signal: () => undefined,
  };
  /** The locks as another process sees them. */
  function locksOf(pid: number): ConversationLocks {
    living.add(pid).add(process.pid);
    return new ConversationLocks({
      folder,
      locks: new Locks(path.join(folder, ".locks"), realClock, realFiles),
      uses: new UsageLocks(realFiles, table, { pid, started: STARTED }),
      pause: async () => undefined,
    });
  }

  test("permit one process at a time, until it releases the conversation or ends", async () => {
    const [first, second] = [locksOf(11), locksOf(12)],
      lease = await first.open(ID, false);
    deepEqual([lease?.isHeld(), await second.open(ID, false)], [true, undefined]);
    ok((await second.open(ID.replace("1", "2"), false))?.isHeld(), "another conversation");
    await lease?.release();
    ok((await second.open(ID, false))?.isHeld());
    living.delete(12);
    ok((await first.open(ID, false))?.isHeld());
  });

  test("end the right of a process that is taken over", async () => {
    const first = await locksOf(11).open(ID, false),
      second = await locksOf(12).open(ID, true);
    deepEqual([first?.isHeld(), second?.isHeld()], [false, true]);
    await first?.release();
    equal(second?.isHeld(), true);
  });

  test("permit the process that has the right to open the conversation again", async () => {
    const locks = locksOf(11),
      first = await locks.open(ID, false),
      second = await locks.open(ID, false);
    await first?.release();
    equal(second?.isHeld(), true);
  });

  test("permit one of several processes that open a conversation at the same time", async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, (_, i) => locksOf(11 + i).open(ID, false)));
    equal(opened.filter(lease => lease !== undefined).length, 1);
  });

  test("protect nothing in a storage that cannot be written", async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, "no folder");
    ok((await locksOf(11).open(ID, false))?.isHeld());
  });
});
