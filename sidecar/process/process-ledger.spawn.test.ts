import { deepEqual, equal, ok } from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import fc from "fast-check";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { realClock } from "../rpc/clock";
import { objectOr } from "../rpc/json";
import { census } from "../testing/census";
import { Drive, temporaryFolder } from "../testing/drive";
import { hurriedClock } from "../testing/accelerated-clock";
import { program, scriptedAgent } from "../testing/programs/programs";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { readLedger, reapOrphans } from "./orphaned-ledgers";
import { openLedger } from "./process-ledger";
import { startProcess, systemTools } from "./stdio-process";
import { processTable } from "./process-list";
import { reap, recordsIn } from "./orphan-reaper";
import { orphanedRuns, placeOf } from "./run-owner";
import { newRun } from "./run-id";

const table = processTable(systemTools);
const options = { table, clock: hurriedClock(1) };
const owner = { pid: 99, started: "t", run: "R", host: hostname() };
const record = (pid: number): ChildProcessRecord => ({
  pid,
  group: pid,
  started: `t${pid}`,
  runId: "R.1",
  command: "agent",
});
const lines = (...values: readonly unknown[]): string => values.map(value => `${JSON.stringify(value)}\n`).join("");
const ledgers = (storage: string): string[] =>
  existsSync(path.join(storage, "processes")) ? readdirSync(path.join(storage, "processes")) : [];

function writeLedger(storage: string, name: string, text: string): string {
  mkdirSync(path.join(storage, "processes"), { recursive: true });
  writeFileSync(path.join(storage, "processes", name), text);
  return path.join(storage, "processes", name);
}

suite("process ledger", () => {
  test("writes its owner before any start and each start immediately", () => {
    using folder = temporaryFolder();
    const ledger = openLedger(folder.path, "R");
    const [file = ""] = ledgers(folder.path);
    const read = (): ReturnType<typeof readLedger> =>
      readLedger(readFileSync(path.join(folder.path, "processes", file), "utf8"));
    deepEqual(read(), {
      owner: { pid: process.pid, started: table.startOf(process.pid), run: "R", host: hostname() },
      records: [],
    });
    deepEqual([ledger.nextRunId(), ledger.nextRunId()], [`${ledger.run}.1`, `${ledger.run}.2`]);
    const place = placeOf(table.computer, path.join(folder.path, "processes")),
      orphan = { pid: 5, group: 5, started: "t", runId: ledger.run };
    deepEqual([ledger.run.startsWith("R."), orphanedRuns([orphan], place)], [true, [ledger.run]]);
    const started = ledger.started(process.pid, "R.1", "agent");
    deepEqual(read().records, [started]);
    ledger.close();
    equal(ledgers(folder.path).length, 1, "with a child that lives it stays");
    ledger.ended(process.pid);
    deepEqual(read().records, []);
    ledger.close();
    deepEqual(ledgers(folder.path), []);
  });

  test("warns once if it cannot be written", () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, "processes"), "a file where the folder should be");
    const warnings: string[] = [];
    const ledger = openLedger(folder.path, "R", { warn: message => warnings.push(message) });
    equal(ledger.started(process.pid, "R.1", "agent").pid, process.pid);
    deepEqual(
      warnings.map(message => message.replace(folder.path, "")),
      [
        "Symposium cannot record the processes that it starts, because the folder is not writable (/processes). " +
          "After a crash, agents may keep running until Symposium starts again. Check the folder's permissions.",
      ],
    );
  });

  test("loses no entry but a truncated last line", () => {
    const text = lines({ owner }, { started: record(50) }, { started: record(51) }, { ended: 50 });
    fc.assert(
      fc.property(fc.nat(text.length), cut => {
        const read = readLedger(text.slice(0, cut));
        const whole = text.slice(0, cut).split("\n").length - 1;
        const complete = (n: number): boolean =>
          whole >= n || text.slice(0, cut) === text.split("\n").slice(0, n).join("\n");
        deepEqual(read.owner, complete(1) ? owner : undefined);
        deepEqual(
          read.records.map(({ pid }) => pid),
          complete(4) ? [51] : complete(3) ? [50, 51] : complete(2) ? [50] : [],
        );
      }),
      { numRuns: 200 },
    );
  });

  test("distinguishes a child that reuses a pid", () =>
    deepEqual(
      readLedger(
        lines({ owner }, { started: record(50) }, { ended: 50 }, { started: { ...record(50), started: "later" } }),
      ).records,
      [{ ...record(50), started: "later" }],
    ));
});

suite("leftover of another sidecar", () => {
  test("is kept while the sidecar runs", async () => {
    using folder = temporaryFolder();
    const file = writeLedger(
      folder.path,
      "1.jsonl",
      lines({ owner: { ...owner, pid: process.pid, started: table.startOf(process.pid) } }),
    );
    await reapOrphans(folder.path, options);
    ok(existsSync(file));
  });
  test("is ended if another process reuses the sidecar's pid", async () => {
    using folder = temporaryFolder();
    const file = writeLedger(
      folder.path,
      "1.jsonl",
      lines({ owner: { ...owner, pid: process.pid, started: "before" } }),
    );
    await reapOrphans(folder.path, options);
    ok(!existsSync(file));
  });
  test("is kept until it expires if from another computer or with invalid content", async () => {
    using folder = temporaryFolder();
    const foreign = writeLedger(folder.path, "1.jsonl", lines({ owner: { ...owner, host: "elsewhere" } }));
    const torn = writeLedger(folder.path, "2.jsonl", '{"own');
    await reapOrphans(folder.path, options);
    deepEqual(ledgers(folder.path).length, 2);
    for (const file of [foreign, torn]) utimesSync(file, new Date(0), new Date(0));
    await reapOrphans(folder.path, options);
    deepEqual(ledgers(folder.path), []);
  });
  test("is kept if the system cannot list processes", async () => {
    using folder = temporaryFolder();
    writeLedger(folder.path, "1.jsonl", lines({ owner }));
    await reapOrphans(folder.path, { ...options, table: { ...table, living: async () => [] } });
    equal(ledgers(folder.path).length, 1);
  });
  test("is empty without a folder", async () => {
    using folder = temporaryFolder();
    await reapOrphans(path.join(folder.path, "none"), options);
  });
});

interface Spawner extends AsyncDisposable {
  readonly drive: ReturnType<typeof startProcess>;
  readonly record: ChildProcessRecord;
}

/** Starts a small sidecar with a stubborn agent and waits until it is ready. */
async function spawner(storage: string, run: string, files: "writes" | "noWrites" = "writes"): Promise<Spawner> {
  const own = openLedger(path.join(storage, "own"), newRun());
  const flags = ["--ignore-sigterm", "--ignore-stdin-end", "--with-child", "--setsid-child"];
  let ready: (line: string) => void = () => undefined;
  const first = new Promise<string>(resolve => {
    ready = resolve;
  });
  const spec = program("spawner", [storage, run, ...flags]);
  // RLIMIT_FSIZE: files can be created, but not written.
  const args = ["-c", 'ulimit -f 0; exec "$0" "$@"', spec.command, ...spec.args],
    limited = { ...spec, command: "/bin/sh", args };
  const drive = startProcess(files === "writes" ? spec : limited, {
    clock: realClock,
    ledger: own,
    report: { started: () => undefined, ended: () => undefined },
    log: (message, { line }) => {
      if (message === "garbage on stdout") ready(String(line));
    },
  });
  drive.channel.start({ receive: () => undefined, closed: () => undefined });
  const [found] = recordsIn([objectOr(JSON.parse(await first)).ready]);
  ok(found);
  return {
    drive,
    record: found,
    [Symbol.asyncDispose]: async () => {
      await drive[Symbol.asyncDispose]();
      own.close();
    },
  };
}

suite("sidecar killed with kill -9", function () {
  suiteSetup(function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
  });

  test("leaves processes that the next sidecar ends and forgets", async () => {
    using folder = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run);
    equal(census(run).length, 3);
    await reapOrphans(folder.path, options);
    equal(census(run).length, 3, "while it lives, nothing is touched");
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    equal(census(run).length, 3);
    await Promise.all([reapOrphans(folder.path, options), reapOrphans(folder.path, options)]);
    deepEqual(census(run), []);
    deepEqual(ledgers(folder.path), []);
  });

  test("leaves processes that the next sidecar ends without their records", async () => {
    using folder = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run);
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    const [file = ""] = ledgers(folder.path);
    const [first = ""] = readFileSync(path.join(folder.path, "processes", file), "utf8").split("\n");
    writeLedger(folder.path, file, `${first}\n`);
    appendFileSync(path.join(folder.path, "processes", file), '{"started":{"pid":');
    await reapOrphans(folder.path, options);
    deepEqual(census(run), []);
  });

  test("leaves processes that the host ends by its own records", async () => {
    using folder = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run);
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    equal(await reap([small.record], options), true);
    deepEqual(census(run), []);
  });
});

suite("killed sidecar without a writable ledger", function () {
  suiteSetup(function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
  });

  test("leaves processes that are ended by run id when the ledger is missing", async () => {
    using folder = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run);
    rmSync(path.join(folder.path, "processes"), { recursive: true });
    await reapOrphans(folder.path, options);
    equal(census(run).length, 3, "while it lives, nothing is touched");
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    await Promise.all([reapOrphans(folder.path, options), reapOrphans(folder.path, options)]);
    deepEqual(census(run), []);
  });

  test("leaves processes that are ended when every write failed", async () => {
    using folder = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run, "noWrites");
    const texts = ledgers(folder.path).map(name => readFileSync(path.join(folder.path, "processes", name), "utf8"));
    deepEqual(texts, [""], "the ledger is empty");
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    equal(census(run).length, 3);
    await reapOrphans(folder.path, options);
    deepEqual(census(run), []);
  });

  test("leaves processes that another storage folder does not end", async () => {
    using folder = temporaryFolder();
    using second = temporaryFolder();
    const run = newRun();
    await using small = await spawner(folder.path, run);
    process.kill(small.drive.pid!, "SIGKILL");
    await small.drive.exited;
    await reapOrphans(second.path, options);
    equal(census(run).length, 3);
    await reapOrphans(folder.path, options);
    deepEqual(census(run), []);
  });
});

suite("recycled pid", () => {
  test("is not signalled by record or ledger", async () => {
    using folder = temporaryFolder();
    await using drive = new Drive(scriptedAgent());
    await drive.initialize();
    const [started] = recordsIn(drive.reported);
    ok(started);
    const stale = { ...started, started: `${started.started}0`, runId: `${newRun()}.1` };
    writeLedger(folder.path, "1.jsonl", lines({ owner: { ...owner, run: "gone" } }, { started: stale }));
    await reapOrphans(folder.path, options);
    equal(await reap([stale], options), true);
    equal((await drive.initialize()).protocolVersion, 1, "it still answers");
  });
});
