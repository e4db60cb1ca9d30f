/** Start, end and misbehavior of simulated language servers. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { existsSync } from "node:fs";
import { census } from "../../testing/census";
import { eventually } from "../../testing/eventually";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { hurriedClock } from "../../testing/accelerated-clock";
import { deferred } from "../../../src/protocol/wire/deferred";
import { NEEDS_PROC, skipped } from "../../testing/skipped";
import { UNUSED_MS } from "./server-lifecycle";
import { refused } from "./documents";
import { ServersRig, DelayingClock, hasMessage, places } from "../../testing/extensions/servers-rig";

suite("language server", () => {
  test("stops when unused and restarts on demand", async () => {
    const clock = new DelayingClock(UNUSED_MS);
    await using rig = new ServersRig([], { clock });
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(clock.delayed.length, 1);
    clock.delayed[0]?.();
    await eventually(() => rig.times("exit") === 1, "its end");
    equal(await rig.hover("three"), "**three**, 5 letters");
    equal(rig.times("initialize"), 2);
  });

  for (const habit of ["load", "status"])
    test(`is awaited while it loads (${habit})`, async () => {
      await using rig = new ServersRig([habit], { settings: { words: { style: "plain" } } });
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      equal(await rig.hover("answers"), `[["plain",null]]`);
    });

  test("reports its start and progress during `initialize` to every caller", async () => {
    await using rig = new ServersRig(["reports", "mute-start"]);
    const withdrawn = new AbortController(),
      hover = { operation: "hover", path: rig.file, at: { symbol: "one" } } as const;
    const calls = [rig.ask(hover, withdrawn.signal), rig.ask(hover, withdrawn.signal)].map(call =>
      rejects(call, /withdrawn/),
    );
    await eventually(() => rig.progress.length === 4, "the progress of both calls");
    deepEqual(rig.progress, ["Starting node…", "Starting node…", "node: Preparing 5 %", "node: Preparing 5 %"]);
    withdrawn.abort(new Error("withdrawn"));
    await Promise.all(calls);
  });

  test("reports progress to a caller that waits for a response", async () => {
    await using rig = new ServersRig(["reports", "mute"]);
    for (const first of ["Starting node…", "node: Indexing 5 %"]) {
      const withdrawn = new AbortController(),
        hover = { operation: "hover", path: rig.file, at: { symbol: "one" } } as const;
      rig.progress.length = 0;
      const over = rejects(rig.ask(hover, withdrawn.signal), /withdrawn/);
      await eventually(() => rig.progress.includes("node: Indexing 5 %"), "the progress of the request");
      equal(rig.progress[0], first);
      withdrawn.abort(new Error("withdrawn"));
      await over;
    }
  });

  suite("misbehaving language server", () => {
    test("die-start: is started at most three times", async () => {
      await using rig = new ServersRig(["die-start"]);
      for (let i = 0; i < 3; i++)
        await rejects(
          rig.hover("one"),
          hasMessage(/could not be started: it exited with exit code 1\. Its output: error: 'words' is not installed/),
        );
      await rejects(
        rig.hover("one"),
        hasMessage(/cannot be used: it failed 3 times in a row and is not started again for some minutes/),
      );
    });

    for (const habit of ["garbage-start", "garbage"])
      test(`${habit}: ignores its human-readable output`, async () => {
        await using rig = new ServersRig([habit]);
        equal(await rig.hover("one"), "**one**, 3 letters");
      });

    test("die: reports the exit reason and restarts for the next operation", async () => {
      await using rig = new ServersRig(["die"]);
      await rejects(
        rig.hover("one"),
        hasMessage(
          /has exited: it exited with exit code 3\. Its output: thread 'main' panicked at words\.rs Try again\./,
        ),
      );
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      equal(rig.times("initialize"), 2);
      ok(rig.rig.logged.includes("warn: A language server exited"));
    });

    test("die-open: rejects callers that wait for diagnostics", async () => {
      for (const operation of [{ operation: "code_actions", at: { line: 0 } }, { operation: "diagnostics" }] as const) {
        await using rig = new ServersRig(["die-open"], { clock: hurriedClock(1) });
        await rejects(rig.ask({ ...operation, path: rig.file }), hasMessage(/has exited: it exited with exit code 4/));
      }
    });

    for (const [habit, why] of [
      ["huge", /a message of 999999999999 bytes; the limit is 33554432/],
      ["headerless", /invalid LSP header: “x{200}”/],
    ] as const) {
      test(`${habit}: is ended with the reason`, async () => {
        await using rig = new ServersRig([habit]);
        await rejects(rig.hover("one"), hasMessage(why));
        ok(places(await rig.at("definition", "one", 1)).length > 0);
      });
    }

    test("deep: ignores an invalid message without failing other requests", async () => {
      await using rig = new ServersRig(["deep"]);
      equal(await rig.hover("one"), "**one**, 3 letters");
    });

    test("mute: times out and cancels the request", async () => {
      const clock = new DelayingClock(20_000);
      await using rig = new ServersRig(["mute"], { clock, limitMs: 20_000 });
      const refused = rejects(rig.hover("one"), hasMessage(/did not respond within 20 seconds/));
      await eventually(() => rig.times("textDocument/hover") === 1, "the question");
      clock.delayed[0]?.();
      await refused;
      deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
      await eventually(() => rig.times("$/cancelRequest") === 1, "that it is withdrawn");
    });

    test("mute: rejects a cancelled request", async () => {
      await using rig = new ServersRig(["mute"]);
      await rig.at("definition", "one");
      const withdrawn = new AbortController(),
        answer = rig.ask({ operation: "hover", path: rig.file, at: { symbol: "one" } }, withdrawn.signal);
      setImmediate(() => withdrawn.abort(new Error("withdrawn")));
      await rejects(answer, /withdrawn/);
    });

    test("mute-start: times out during its start", async () => {
      const clock = new DelayingClock(10_000);
      await using rig = new ServersRig(["mute-start"], { clock, limitMs: 10_000 });
      const refused = rejects(rig.hover("one"), hasMessage(/did not respond within 10 seconds/));
      await eventually(() => rig.times("initialize") === 1, "its start");
      clock.delayed[0]?.();
      await refused;
    });

    test("stubborn: exits when the servers close", async function () {
      if (process.platform !== "linux") return skipped(this, NEEDS_PROC);
      const rig = new ServersRig(["stubborn"], { clock: hurriedClock(10) });
      await rig.hover("one");
      equal(census(rig.rig.run).length, 1);
      await rig[Symbol.asyncDispose](); // runs its own checks
    });
  });

  test("restarts its time limit after a permission", async () => {
    const clock = new FakeClock(),
      asked = deferred<void>(),
      permitted = deferred<void>();
    await using rig = new ServersRig([], { clock, limitMs: 60_000 });
    rig.permit = async () => {
      asked.resolve();
      await permitted.promise;
      throw refused("denied");
    };
    const over = rejects(rig.hover("one"), hasMessage(/^denied$/));
    await asked.promise;
    clock.advance(600_000);
    permitted.resolve();
    await over;
  });

  test("is reported with an installation hint if missing, and found after its installation", async () => {
    await using rig = new ServersRig([], {
      programs: [{ command: "words-server", args: [] }],
      isConfigured: false as never,
      install: "Install it with: words install",
    });
    for (let i = 0; i < 5; i++)
      await rejects(
        rig.hover("one"),
        hasMessage(/^No language server for Words was found \(words-server\)\. Install it with: words install\.$/),
      );
  });

  test("receives no requests if the session ends during its start", async () => {
    let end: Promise<void> | undefined;
    await using rig: ServersRig = new ServersRig(["mute-start"], {
      starting: () => {
        end = rig.servers.close();
      },
    });
    await rejects(rig.hover("one"), hasMessage(/the session has ended/));
    await end;
    ok(!existsSync(rig.log), "it was asked");
  });

  test("is not started after the close", async () => {
    await using rig = new ServersRig();
    await rig.servers.close();
    await rejects(rig.hover("one"), hasMessage(/cannot be used: the session has ended/));
  });
});
