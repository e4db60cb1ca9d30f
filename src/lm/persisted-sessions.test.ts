import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../log";
import { FakeClock } from "../protocol/testing/fake-clock";
import { PersistedSessions, WRITE_MS } from "./persisted-sessions";
import { CapabilityCache } from "./capability-cache";

/** Like VS Code's storage: a write is visible immediately and reaches the disk later. */
function memory(fails = false) {
  const values = new Map<string, unknown>();
  return {
    values,
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => {
      if (fails) throw new Error("no room");
      values.set(key, value);
    },
  };
}

function logged() {
  const log = new Log(),
    lines: string[] = [];
  log.onLog(({ message }) => lines.push(message));
  return { log, lines };
}

const turn = () => new Promise(resolve => setImmediate(resolve));

suite("PersistedSessions", () => {
  const none = { from: 0, added: [] };

  test("keeps one record per id, the latest last", () => {
    const kept = new PersistedSessions(memory(), logged().log, new FakeClock());
    for (const [id, n] of [
      ["a", 1],
      ["b", 2],
      ["a", 3],
    ] as const)
      kept.keep(id, { n }, none);
    deepEqual(kept.all(), [
      { n: 2, turns: [] },
      { n: 3, turns: [] },
    ]);
    kept.forget(["b", "never"]);
    deepEqual(kept.all(), [{ n: 3, turns: [] }]);
  });

  test("appends turns and drops a record with a gap", () => {
    const kept = new PersistedSessions(memory(), logged().log, new FakeClock());
    kept.keep("a", {}, { from: 0, added: ["1", "2"] });
    kept.keep("a", {}, { from: 2, added: ["3"] });
    kept.keep("a", {}, { from: 1, added: ["4"] });
    deepEqual(kept.all(), [{ turns: ["1", "4"] }]);
    kept.keep("a", {}, { from: 3, added: ["5"] });
    deepEqual(kept.all(), []);
  });

  test("keeps at most two hundred records, dropping the oldest", () => {
    const kept = new PersistedSessions(memory(), logged().log, new FakeClock());
    for (let i = 0; i < 210; i++) kept.keep(`s${i}`, { i }, none);
    deepEqual([kept.all().length, kept.all()[0]], [200, { i: 10, turns: [] }]);
  });

  test("is written at most once per second and on disposal", () => {
    const clock = new FakeClock(),
      storage = memory(),
      kept = new PersistedSessions(storage, logged().log, clock);
    for (let i = 0; i < 100; i++) kept.keep("a", { i }, none);
    deepEqual(storage.values.size, 0);
    clock.advance(WRITE_MS);
    deepEqual(storage.values.get("symposium.lmSessions"), { a: { i: 99, turns: [] } });
    kept.keep("a", { i: 100 }, none);
    kept.dispose();
    deepEqual(storage.values.get("symposium.lmSessions"), { a: { i: 100, turns: [] } });
    deepEqual(new PersistedSessions(storage, logged().log, clock).all(), [{ i: 100, turns: [] }]);
    equal(clock.waiting, 0);
  });

  test("ignores invalid storage and logs a failed write", async () => {
    const odd = memory(),
      clock = new FakeClock();
    odd.values.set("symposium.lmSessions", "odd");
    deepEqual(new PersistedSessions(odd, logged().log, clock).all(), []);
    const { log, lines } = logged();
    new PersistedSessions(memory(true), log, clock).keep("a", {}, none);
    clock.advance(WRITE_MS);
    await turn();
    deepEqual(lines, ["Could not save a conversation"]);
  });
});

suite("CapabilityCache", () => {
  test("stores image support and context size and reports changes", async () => {
    let changes = 0;
    const learned = new CapabilityCache(memory(), logged().log, () => {
      changes++;
    });
    equal(learned.takesImages("a"), false);
    for (const images of [true, true]) {
      learned.learn({ agentId: "a", images });
      await turn();
    }
    deepEqual([learned.takesImages("a"), learned.takesImages("b"), changes], [true, false, 1]);
    learned.learn({ agentId: "a", images: false });
    await turn();
    deepEqual([learned.takesImages("a"), changes], [false, 2]);
    for (const contextTokens of [200_000, 200_000]) {
      learned.learn({ agentId: "a", contextTokens });
      await turn();
    }
    deepEqual(
      [learned.contextTokens("a"), learned.contextTokens("b"), learned.takesImages("a"), changes],
      [200_000, undefined, false, 3],
    );
  });
});
