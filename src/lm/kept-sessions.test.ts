import { deepEqual, equal } from "node:assert/strict";
import { Log } from "../log";
import { KeptSessions } from "./kept-sessions";
import { Learned } from "./learned";

/** As VS Code's: what was written is there at once, and on disk later. */
function memory(fails = false) {
  const values = new Map<string, unknown>();
  return { values, get: (key: string) => values.get(key), update: async (key: string, value: unknown) => { if (fails) throw new Error("no room"); values.set(key, value); } };
}

function logged() {
  const log = new Log(), lines: string[] = [];
  log.onLog(({ message }) => lines.push(message));
  return { log, lines };
}

const turn = () => new Promise(resolve => setImmediate(resolve));

suite("conversations that are kept", () => {
  test("in their order, the last that was kept last, once each", () => {
    const kept = new KeptSessions(memory(), logged().log);
    for (const [id, session] of [["a", 1], ["b", 2], ["a", 3]] as const) kept.keep(id, session);
    deepEqual(kept.all(), [2, 3]);
    kept.forget(["b", "never"]);
    deepEqual(kept.all(), [3]);
  });

  test("two hundred at most: the oldest go", () => {
    const kept = new KeptSessions(memory(), logged().log);
    for (let i = 0; i < 210; i++) kept.keep(`s${i}`, i);
    deepEqual([kept.all().length, kept.all()[0]], [200, 10]);
  });

  test("what is no list of ours is none; what cannot be written is logged", async () => {
    const odd = memory();
    odd.values.set("symposium.lmSessions", "odd");
    deepEqual(new KeptSessions(odd, logged().log).all(), []);
    const { log, lines } = logged();
    new KeptSessions(memory(true), log).keep("a", 1);
    await turn();
    deepEqual(lines, ["A conversation could not be kept for the next start"]);
  });
});

suite("what was learned of agents", () => {
  test("whether one takes images, and a word when that is new", async () => {
    let changes = 0;
    const learned = new Learned(memory(), logged().log, () => { changes++; });
    equal(learned.takesImages("a"), false);
    for (const images of [true, true]) { learned.learn("a", images); await turn(); }
    deepEqual([learned.takesImages("a"), learned.takesImages("b"), changes], [true, false, 1]);
    learned.learn("a", false);
    await turn();
    deepEqual([learned.takesImages("a"), changes], [false, 2]);
  });
});
