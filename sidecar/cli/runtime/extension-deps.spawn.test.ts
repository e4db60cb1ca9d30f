/** Checks that disposal ends the processes that extensions started through the dependencies. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import path from "node:path";
import { openLedger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import { census } from "../../testing/census";
import { temporaryFolder } from "../../testing/drive";
import { hurriedClock } from "../../testing/accelerated-clock";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import { extensionDeps } from "./extension-deps";

suite("extension dependencies", () => {
  test("ends all processes on disposal and starts no more", async function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
    using folder = temporaryFolder();
    const run = newRun(),
      ledger = openLedger(path.join(folder.path, "ledger"), run);
    const fixture = extensionDeps({
      version: "1",
      environment: async () => process.env,
      find: async program => program,
      log: () => undefined,
      processes: {
        clock: hurriedClock(1),
        ledger,
        report: { started: () => undefined, ended: () => undefined },
        log: () => undefined,
      },
    });
    const stubborn = {
      name: "stubborn",
      command: process.execPath,
      args: ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('here')"],
      env: {},
      cwd: folder.path,
    };
    let onOutput = (): void => undefined;
    const firstOutput = new Promise<void>(resolve => {
        onOutput = resolve;
      }),
      { signal } = new AbortController();
    const ran = rejects(fixture.run(stubborn, { signal, stdout: () => onOutput() }), /is closing/),
      started = await fixture.start(stubborn);
    await firstOutput;
    equal(started.kind, "running");
    await fixture[Symbol.asyncDispose]();
    deepEqual(census(run), []);
    await ran;
    await rejects(fixture.run(stubborn, { signal }), /is closing/);
    await rejects(fixture.start(stubborn), /is closing/);
    deepEqual(census(run), []);
    ledger.close();
  });
});
