import { deepEqual, rejects } from "node:assert/strict";
import type { Running, Start } from "../../conductor/component";
import { memoryChannels } from "../../rpc/memory-channel";
import { EarlyStart } from "./start";

/** A component that records its starts and stops, by number. */
function component(): { readonly start: Start; readonly log: readonly string[] } {
  const log: string[] = [];
  let starts = 0;
  const start = (): Running => {
    const number = ++starts;
    log.push(`start ${number}`);
    return {
      channel: memoryChannels()[0],
      stop: async () => {
        log.push(`stop ${number}`);
      },
      lastWords: () => String(number),
    };
  };
  return { start, log };
}
const signal = new AbortController().signal;

suite("EarlyStart", () => {
  test("hands its process over at the first start, and starts another one later", async () => {
    const { start, log } = component();
    await using early = new EarlyStart(start);
    early.begin();
    deepEqual(log, ["start 1"]);
    const taken = [await early.start(signal), await early.start(signal)];
    deepEqual(
      taken.map(running => running.lastWords()),
      ["1", "2"],
    );
  });

  test("starts nothing by itself after the component has been started", async () => {
    const { start, log } = component();
    await using early = new EarlyStart(start);
    await early.start(signal);
    early.begin();
    deepEqual(log, ["start 1"]);
  });

  test("stops only a process that was not handed over", async () => {
    const { start, log } = component();
    {
      await using taken = new EarlyStart(start);
      taken.begin();
      await taken.start(signal);
      await using kept = new EarlyStart(start);
      kept.begin();
    }
    deepEqual(log, ["start 1", "start 2", "stop 2"]);
  });

  test("reports a failed start when the component is started", async () => {
    await using early = new EarlyStart(() => Promise.reject(new Error("no program")));
    early.begin();
    await rejects(async () => early.start(signal), /no program/);
  });
});
