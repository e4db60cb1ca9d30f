import { deepEqual, equal, rejects } from "node:assert/strict";
import { Log } from "../log";
import { FakeClock } from "../protocol/testing/fake-clock";
import { FakeSidecar } from "../testing/fake-sidecar";
import { MAX_WAIT_MS, SaveReports } from "./save-reports";

suite("save reports", () => {
  test("report saves of the user, and none of an agent or without a sidecar", async () => {
    const sidecar = new FakeSidecar(),
      clock = new FakeClock();
    let isRunning = true,
      agents: string | undefined;
    const client = await sidecar.current();
    sidecar.reply("review/save", () => ({}));
    const reports = new SaveReports({
      clock,
      log: new Log(),
      running: () => (isRunning ? client : undefined),
      isAgentSave: file => file === agents,
    });
    await reports.saving("/w/a.ts");
    await reports.saved("/w/a.ts");
    agents = "/w/a.ts";
    await reports.saving("/w/a.ts");
    await reports.saved("/w/a.ts");
    isRunning = false;
    await reports.saving("/w/b.ts");
    deepEqual(
      sidecar.calls.map(({ params }) => params),
      [
        { path: "/w/a.ts", state: "saving" },
        { path: "/w/a.ts", state: "saved" },
      ],
    );
    equal(clock.waiting, 0);
  });

  test("report a write of the user, also if it fails", async () => {
    const sidecar = new FakeSidecar(),
      client = await sidecar.current();
    sidecar.reply("review/save", () => ({}));
    const reports = new SaveReports({
      clock: new FakeClock(),
      log: new Log(),
      running: () => client,
      isAgentSave: () => false,
    });
    await rejects(
      reports.during("/w/new.ts", async () => {
        deepEqual(sidecar.calls.length, 1);
        throw new Error("The disk is full.");
      }),
      /full/,
    );
    deepEqual(
      sidecar.calls.map(({ params }) => params),
      [
        { path: "/w/new.ts", state: "saving" },
        { path: "/w/new.ts", state: "saved" },
      ],
    );
  });

  test("delay a save for a second at most, and ignore a failure", async () => {
    const sidecar = new FakeSidecar(),
      clock = new FakeClock(),
      client = await sidecar.current();
    sidecar.hold("review/save");
    const reports = new SaveReports({ clock, log: new Log(), running: () => client, isAgentSave: () => false }),
      saving = reports.saving("/w/a.ts");
    clock.advance(MAX_WAIT_MS);
    await saving;
    sidecar.release();
    sidecar.reply("review/save", () => {
      throw new Error("no");
    });
    await reports.saving("/w/a.ts");
    equal(clock.waiting, 0);
  });
});
