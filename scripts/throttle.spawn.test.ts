import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { NEEDS_PROC, skipped } from "../sidecar/testing/skipped";

const THROTTLE = path.resolve("scripts/real-agents/throttle.mjs");

suite("throttle.mjs", () => {
  setup(function () {
    if (process.platform !== "linux") skipped(this, NEEDS_PROC);
  });

  /** Runs a Node program with 20 % of a core. */
  function throttled(source: string): ReturnType<typeof spawn> {
    return spawn(process.execPath, [THROTTLE, "20", process.execPath, "-e", source], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  }

  test("forwards the streams, limits the CPU and exits with the program's code", async () => {
    const busy = `process.stdin.on("end", () => {
      const start = process.hrtime.bigint(), cpu = process.cpuUsage();
      while (process.hrtime.bigint() - start < 2_000_000_000n);
      const { user, system } = process.cpuUsage(cpu);
      console.log((user + system) / Number((process.hrtime.bigint() - start) / 1_000n));
      process.exitCode = 7;
    }).resume();`;
    const child = throttled(busy),
      exit = once(child, "exit");
    child.stdin?.end();
    assert.ok(child.stdout);
    const share = Number(await text(child.stdout));
    assert.ok(share > 0 && share < 0.5, `${share} of a core`);
    assert.deepEqual(await exit, [7, null]);
  });

  test("stops the program and exits with the received signal", async () => {
    const child = throttled("console.log('started'); setInterval(() => {}, 1_000)"),
      exit = once(child, "exit");
    assert.ok(child.stdout);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await exit, [143, null]);
  });
});
