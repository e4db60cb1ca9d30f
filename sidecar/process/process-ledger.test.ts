import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { readLedger } from "./orphaned-ledgers";
import { openLedger, type LedgerFiles } from "./process-ledger";
import type { ProcessTable } from "./process-list";

const table: ProcessTable = {
  computer: "c",
  showsRunIds: true,
  self: { pid: 2, group: 2 },
  startOf: pid => `t${pid}`,
  sameStart: (a, b) => a !== "" && a === b,
  cpuSeconds: async () => undefined,
  living: async () => [],
  signal: () => undefined,
};

/** A disk with space for `free` characters. A larger write is truncated and fails. */
function disk(free: number) {
  const contents = { free, text: undefined as string | undefined };
  const files: LedgerFiles = {
    makeFolder: () => undefined,
    append: (_, text) => {
      const part = text.slice(0, contents.free);
      contents.free -= part.length;
      contents.text = (contents.text ?? "") + part;
      if (part !== text) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    },
    remove: () => {
      contents.text = undefined;
    },
  };
  return { contents, files, read: () => readLedger(contents.text ?? "") };
}

suite("ledger on a full disk", () => {
  test("warns once with advice, and again only after a successful write", () => {
    const { contents, files } = disk(0),
      warnings: string[] = [];
    const ledger = openLedger("/s", "R", { table, files, warn: message => warnings.push(message) });
    ledger.started(50, "R.1", "agent");
    ledger.ended(50);
    equal(warnings.length, 1);
    match(warnings[0] ?? "", /because the disk is full \(.s.processes\)\..*Free some disk space\.$/);
    contents.free = 10_000;
    ledger.started(51, "R.2", "agent");
    contents.free = 0;
    ledger.started(52, "R.3", "agent");
    equal(warnings.length, 2);
  });

  test("lists all running processes after the next successful write, despite a truncated line", () => {
    const pid = fc.integer({ min: 50, max: 54 });
    fc.assert(
      fc.property(fc.array(fc.record({ pid, room: fc.nat(400) }), { maxLength: 12 }), pid, (steps, last) => {
        const { contents, files, read } = disk(100),
          living = new Set<number>();
        const ledger = openLedger("/s", "R", { table, files });
        const toggle = (pid: number): void => {
          if (living.delete(pid)) return ledger.ended(pid);
          living.add(pid);
          ledger.started(pid, ledger.nextRunId(), "agent");
        };
        for (const { pid, room } of steps) {
          contents.free = room;
          toggle(pid);
        }
        contents.free = Infinity;
        toggle(last);
        const { owner, records } = read();
        equal(owner?.run, "R");
        // A child whose end was not written may also be listed: its start time proves that it is gone.
        deepEqual(
          [...living].filter(pid => !records.some(record => record.pid === pid)),
          [],
        );
        for (const pid of living) ledger.ended(pid);
        ledger.close();
        equal(contents.text, undefined);
      }),
    );
  });

  test("is removed without a second warning if it was never written", () => {
    const { files } = disk(0),
      warnings: string[] = [];
    openLedger("/s", "R", { table, files, warn: message => warnings.push(message) }).close();
    equal(warnings.length, 1);
  });
});
