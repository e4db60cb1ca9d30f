import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, closeSync, copyFileSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AgentError } from "../errors";
import type { Closed } from "../rpc/channel";
import { realClock } from "../rpc/clock";
import { census } from "../testing/census";
import { Drive, temporaryFolder, type DriveOptions } from "../testing/drive";
import { eventually } from "../testing/eventually";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { hurriedClock } from "../testing/accelerated-clock";
import { scriptedAgent } from "../testing/programs/programs";
import { numberedWords } from "../testing/scripted-agent/script";
import { NEEDS_PROC, skipped } from "../testing/skipped";
import { retriedWhileBusy } from "./child";
import { readLedger } from "./orphaned-ledgers";
import { startProcess, type AgentProcess, type ProcessSpec } from "./stdio-process";

const onLinux = process.platform === "linux";
const node = (code: string): ProcessSpec => ({
  name: "Node",
  command: process.execPath,
  args: ["-e", code],
  env: {},
  cwd: process.cwd(),
});
const reasonOf = async (drive: Drive): Promise<Closed> => drive.closed;

/** Starts an agent and awaits its `initialize` response. */
async function started(flags: readonly string[], options: DriveOptions = {}): Promise<Drive> {
  const drive = new Drive(scriptedAgent(flags), options);
  await drive.initialize();
  return drive;
}

suite("child process", () => {
  test("is recorded in the ledger and reported to the host synchronously", async () => {
    using folder = temporaryFolder();
    await using drive = new Drive(scriptedAgent(), { storage: folder.path });
    const [file = ""] = readdirSync(path.join(folder.path, "processes"));
    const { records } = readLedger(readFileSync(path.join(folder.path, "processes", file), "utf8"));
    deepEqual(records, drive.reported);
    const {
      process: { pid },
      ledger,
    } = drive;
    deepEqual(
      { ...records[0], started: "" },
      { pid, group: pid, started: "", runId: `${ledger.run}.1`, command: process.execPath },
    );
  });

  test("leads its own group with the run id in its environment", async function () {
    if (!onLinux) return skipped(this, NEEDS_PROC);
    await using drive = await started([]);
    const { pid } = drive.process;
    const runId = `${drive.ledger.run}.1`;
    deepEqual(
      census(drive.run).map(({ command: _, ...rest }) => rest),
      [{ pid, group: pid, parent: process.pid, runId }],
    );
  });

  test("has its configured variables and none of VS Code's", async () => {
    process.env.ELECTRON_RUN_AS_NODE = "1";
    try {
      await using drive = new Drive(scriptedAgent([], { AGENT_KEY: "a b" }));
      await drive.prompt(await drive.open(), "env AGENT_KEY; env ELECTRON_RUN_AS_NODE");
      equal(drive.text, "AGENT_KEY=a bELECTRON_RUN_AS_NODE=(not set)");
    } finally {
      delete process.env.ELECTRON_RUN_AS_NODE;
    }
  });

  test("receives no signal if it exits at the end of stdin", async () => {
    const drive = await started([], { clock: new FakeClock() });
    await drive[Symbol.asyncDispose]();
    deepEqual(await drive.process.exited, { code: 0, signal: null });
    deepEqual(drive.reported.at(-1), { ended: drive.process.pid });
  });

  test("receives SIGTERM if it ignores the end of stdin", async function () {
    if (process.platform === "win32") return skipped(this, "Windows has no signals");
    const drive = await started(["--ignore-stdin-end"], { clock: hurriedClock(10) });
    await drive[Symbol.asyncDispose]();
    deepEqual(await drive.process.exited, { code: null, signal: "SIGTERM" });
  });

  test("is killed within 5 s with all descendants, also outside its group, if it ignores SIGTERM", async function () {
    if (!onLinux) return skipped(this, NEEDS_PROC);
    const clock = hurriedClock(1);
    const drive = await started(["--ignore-sigterm", "--ignore-stdin-end", "--with-child", "--setsid-child"], {
      clock,
    });
    equal(census(drive.run).length, 3);
    const before = clock.now();
    await drive[Symbol.asyncDispose]();
    deepEqual(census(drive.run), []);
    deepEqual(await drive.process.exited, { code: null, signal: "SIGKILL" });
    deepEqual(drive.reported.at(-1), { ended: drive.process.pid });
    ok(clock.now() - before < 5000, `took ${clock.now() - before} ms`);
  });

  test("leaves no descendants when it exits, and its channel closes without waiting for them", async function () {
    if (!onLinux) return skipped(this, NEEDS_PROC);
    const clock = new FakeClock();
    const pipes = (): number => process.getActiveResourcesInfo().filter(what => what === "PipeWrap").length;
    const before = pipes();
    await using drive = await started(["--with-child", "--setsid-child"], { clock });
    const later = async (ms: number): Promise<void> => {
      await new Promise(resolve => {
        setImmediate(resolve);
      });
      clock.advance(ms);
    };
    let closed = "";
    void drive.closed.then(({ message }) => {
      closed = message;
    });
    process.kill(drive.process.pid!, "SIGKILL");
    await drive.process.exited;
    await eventually(async () => {
      if (clock.now() < 1000) await later(50);
      return closed !== "";
    }, "the channel is closed");
    match(closed, /signal SIGKILL/);
    equal(census(drive.run).length, 2, "they ignore SIGTERM, and hold the pipes");
    await eventually(() => pipes() === before, "our ends of the pipes are closed");
    equal(census(drive.run).length, 2);
    // after SIGKILL; polls slowly, because the system needs time
    await eventually(async () => {
      await later(clock.now() < 1500 ? 50 : 1);
      return drive.reported.length === 2;
    }, "what it left is gone");
    deepEqual(census(drive.run), []);
  });

  test("is stopped without affecting another process of the sidecar", async function () {
    if (!onLinux) return skipped(this, NEEDS_PROC);
    await using drive = await started([]);
    const two = await started(["--ignore-stdin-end", "--setsid-child"], {
      ledger: drive.ledger,
      clock: hurriedClock(1),
    });
    equal(census(drive.run).length, 3);
    await two[Symbol.asyncDispose]();
    deepEqual(
      census(drive.run).map(({ pid }) => pid),
      [drive.process.pid],
    );
    equal((await drive.initialize()).protocolVersion, 1);
  });

  test("is stopped once when its channel is disposed repeatedly", async () => {
    const drive = await started([], { clock: new FakeClock() });
    await Promise.all([drive.peer[Symbol.asyncDispose](), drive.process[Symbol.asyncDispose]()]);
    await drive.process[Symbol.asyncDispose]();
    deepEqual(await drive.process.exited, { code: 0, signal: null });
    await drive[Symbol.asyncDispose]();
    equal(drive.reported.length, 2);
  });

  test("is stopped if it closes its output and keeps running", async () => {
    await using drive = new Drive(
      node("require('fs').closeSync(1); setInterval(() => {}, 1000); process.stdin.resume()"),
      { clock: hurriedClock(10) },
    );
    match((await reasonOf(drive)).message, /it closed its output/);
    ok((await drive.process.exited).signal);
  });
});

suite("reason of a process exit", () => {
  test("contains the status and the last three lines of stderr", async () => {
    await using drive = new Drive(node("console.error('1\\n2\\n3\\n4\\n'); process.exitCode = 5"));
    const reason = await reasonOf(drive);
    ok(reason instanceof AgentError && reason.code === "exited");
    match(reason.message, /Node exited unexpectedly \(exit code 5\)/);
    equal(reason.cause, "2\n3\n4");
    equal(drive.process.stderr(), "1\n2\n3\n4\n\n");
  });

  test("is available to later listeners", async () => {
    await using drive = new Drive(scriptedAgent());
    let child: AgentProcess | undefined;
    const ended = new Promise<number>(resolve => {
      child = startProcess(node("process.exit(6)"), {
        clock: realClock,
        ledger: drive.ledger,
        report: { started: () => undefined, ended: resolve },
        log: () => undefined,
      });
    });
    await ended;
    for (let i = 0; i < 10; i++)
      await new Promise(resolve => {
        setImmediate(resolve);
      }); // lets Node detect that the pipes are closed
    const reason = await new Promise<Closed>(resolve => {
      child?.channel.start({ receive: () => undefined, closed: resolve });
    });
    match(reason.message, /exit code 6/);
    await child?.[Symbol.asyncDispose]();
  });

  for (const [what, spec, sentence] of [
    [
      "a command that does not exist",
      { command: "no-such-agent-anywhere" },
      /Agent could not be started: “no-such-agent-anywhere” was not found/,
    ],
    ["a path that does not exist", { command: "/no/such/agent" }, /“\/no\/such\/agent” was not found/],
    ["a folder that does not exist", { cwd: "/no/such/folder" }, /its folder “\/no\/such\/folder” does not exist/],
    ["an argument that the system rejects", { args: ["a\0b"] }, /could not be started/],
  ] as const) {
    test(`is one sentence for the channel and for exited: ${what}`, async () => {
      await using drive = new Drive({
        name: "Agent",
        command: process.execPath,
        args: [],
        env: {},
        cwd: process.cwd(),
        ...spec,
      });
      const calls = drive.initialize();
      await rejects(calls, sentence);
      const reason = await reasonOf(drive);
      ok(reason instanceof AgentError && reason.code === "notFound" && reason.cause !== undefined);
      match(reason.message, sentence);
      await rejects(drive.process.exited, sentence);
      deepEqual([drive.process.pid, drive.process.stderr(), drive.reported], [undefined, "", []]);
    });
  }

  test("is one sentence for a file that is not executable", async function () {
    if (process.platform === "win32") return skipped(this, "Windows has no right to run a file");
    using folder = temporaryFolder();
    const file = path.join(folder.path, "agent");
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o644);
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listener);
    await using drive = new Drive({ name: "Agent", command: file, args: [], env: {}, cwd: folder.path });
    match((await reasonOf(drive)).message, /not executable/);
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    process.off("unhandledRejection", listener);
    deepEqual(unhandled, [], "an unobserved exit rejects without a warning");
  });
});

suite("last output of a program that exits immediately", () => {
  const cases = [
    [
      "comes from stderr",
      "process.stderr.write('one\\ntwo: no licence\\n'); process.exit(1)",
      /^one\ntwo: no licence$/,
    ],
    [
      "comes from stdout if stderr is empty",
      "process.stdout.write('usage: agent --acp\\n'); process.exit(1)",
      /^usage: agent --acp$/,
    ],
    [
      "comes from stderr if both have output",
      "console.log('usage'); console.error('no licence'); process.exit(1)",
      /^no licence$/,
    ],
  ] as const;
  for (const [what, program, words] of cases)
    test(what, async () => {
      await using drive = new Drive({
        name: "Agent",
        command: process.execPath,
        args: ["-e", program],
        env: {},
        cwd: process.cwd(),
      });
      await rejects(drive.initialize(), /Agent exited unexpectedly \(exit code 1\)/);
      match(String((await reasonOf(drive)).cause), words);
    });
});

suite("program whose file is open for writing", () => {
  const busy = (): Error => Object.assign(new Error("spawn ETXTBSY"), { code: "ETXTBSY" });

  test("starts when the file is closed", () => {
    const waited: number[] = [];
    let attempts = 0;
    equal(
      retriedWhileBusy(
        () => {
          if (++attempts < 3) throw busy();
          return "started";
        },
        ms => {
          waited.push(ms);
        },
      ),
      "started",
    );
    deepEqual(waited, [10, 10]);
  });

  test("fails after a bounded number of attempts, without retrying other errors", () => {
    let attempts = 0;
    throws(
      () =>
        retriedWhileBusy(
          () => {
            attempts++;
            throw busy();
          },
          () => undefined,
        ),
      /ETXTBSY/,
    );
    equal(attempts, 20);
    attempts = 0;
    throws(
      () =>
        retriedWhileBusy(
          () => {
            attempts++;
            throw new Error("other");
          },
          () => undefined,
        ),
      /other/,
    );
    equal(attempts, 1);
  });

  test("reports the open file", async function () {
    if (process.platform !== "linux")
      return skipped(this, "only Linux refuses to start a file that is open for writing");
    using folder = temporaryFolder();
    const file = path.join(folder.path, "agent");
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
    const handle = openSync(file, "r+");
    try {
      await using drive = new Drive({ name: "Agent", command: file, args: [], env: {}, cwd: folder.path });
      match(
        (await reasonOf(drive)).message,
        /^Agent could not be started: “.*agent” is being written by another program\./,
      );
    } finally {
      closeSync(handle);
    }
  });

  test("starts when another process closes the file", async function () {
    if (process.platform !== "linux")
      return skipped(this, "only Linux refuses to start a file that is open for writing");
    using folder = temporaryFolder();
    const file = path.join(folder.path, "agent");
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
    const writer = spawn("sh", ["-c", `exec 3<>'${file}'; echo open; sleep 0.05`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise(resolve => {
      writer.stdout.once("data", resolve);
    });
    await using drive = new Drive({
      name: "Agent",
      command: file,
      args: ["-e", "process.exit(7)"],
      env: {},
      cwd: folder.path,
    });
    match((await reasonOf(drive)).message, /exit code 7/);
  });
});

suite("output of a process", () => {
  test("keeps the last 64 kB of stderr and logs a bounded part", async () => {
    await using drive = await started([]);
    await drive.prompt(await drive.newSession(), "stderr-flood 100000; say done");
    await eventually(() => drive.process.stderr().endsWith("complaint 100000\n"), "the last line is read");
    ok(drive.process.stderr().length <= 64 * 1024);
    const logged = drive.logged
      .filter(([message]) => message === "stderr")
      .reduce((sum, [, { text }]) => sum + String(text).length, 0);
    ok(logged < 400 * 1024, `${logged} logged`);
    equal(drive.logged.filter(([message]) => message === "more on stderr is not logged").length, 1);
  });

  test("arrives before the exit, also at a slow reader", async () => {
    const clock = new FakeClock();
    await using drive = await started([], { clock });
    const session = await drive.newSession();
    let go: () => void = () => undefined;
    drive.slow = new Promise(resolve => {
      go = resolve;
    });
    const settled = rejects(drive.prompt(session, "stream 100 chunks of 100 chars; crash 1"), /exit code 1/);
    await drive.process.exited;
    await drive.until(() => drive.updates.length === 1);
    for (let i = 0; i < 10; i++) {
      await new Promise(resolve => {
        setImmediate(resolve);
      });
      clock.advance(250);
    }
    drive.slow = undefined;
    go();
    await drive.until(() => drive.text.length === 10_000);
    clock.advance(250);
    await settled;
    equal(drive.text, numberedWords(10_000));
  });
});
