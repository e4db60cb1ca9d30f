import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { LiveRegion, MOST_WAITING } from "./live-region";
import { FakeClock } from "../testing/fake-clock";

function region(): {
  readonly live: LiveRegion;
  readonly time: FakeClock;
  readonly said: string[];
  readonly alerts: string[];
} {
  const time = new FakeClock();
  const said: string[] = [],
    alerts: string[] = [];
  return {
    live: new LiveRegion(
      text => said.push(text),
      text => alerts.push(text),
      time,
    ),
    time,
    said,
    alerts,
  };
}

suite("live region", () => {
  test("speaks the first sentence immediately and later ones together after a pause", () => {
    const { live, time, said } = region();
    live.say("A sentence of thirty characters");
    live.say("Two.");
    live.say("Three.");
    deepEqual(said, ["A sentence of thirty characters"]);
    time.advance(31 * 40 - 1);
    equal(said.length, 1);
    time.advance(1);
    deepEqual(said.slice(1), ["Two. Three."]);
    time.advance(10_000);
    live.say("Four.");
    deepEqual(said.slice(2), ["Four."]);
  });

  test("limits the length of an utterance and speaks a long sentence alone", () => {
    const { live, time, said } = region();
    live.say("Go.");
    for (const sentence of ["a".repeat(200), "b".repeat(100), "c".repeat(350), "d"]) live.say(sentence);
    for (let i = 0; i < 4; i++) time.advance(60_000);
    deepEqual(
      said.map(({ length }) => length),
      [3, 301, 350, 1],
    );
    live.say("e".repeat(MOST_WAITING + 1));
    equal(said.at(-1)?.length, MOST_WAITING + 1);
  });

  test("speaks a question immediately", () => {
    const { live, said, alerts } = region();
    live.say("One.");
    live.say("Two.");
    live.sayNow("May I?");
    deepEqual([said, alerts], [["One."], ["May I?"]]);
  });

  test("discards waiting sentences on hush and speaks later ones", () => {
    const { live, time, said } = region();
    for (const sentence of ["One.", "Two.", "Three."]) live.say(sentence);
    time.advance(300);
    live.hush();
    live.say("Four.");
    live.say("Five.");
    deepEqual(said, ["One.", "Four."]);
    time.advance(599);
    equal(said.length, 2);
    time.advance(1);
    deepEqual(said, ["One.", "Four.", "Five."]);
  });

  test("limits the waiting sentences and reports the number of omitted ones", () => {
    const { live, time, said } = region();
    const sentence = "x".repeat(100);
    for (let i = 0; i < 100; i++) live.say(sentence);
    for (let i = 0; i < 100; i++) time.advance(60_000);
    equal(said.join("").match(/x+/g)?.join("").length, MOST_WAITING + 100);
    equal(said.at(-1), `${99 - MOST_WAITING / 100} sentences left out, to be read in the conversation.`);
    live.say("Later.");
    equal(said.at(-1), "Later.");
  });

  test("speaks each sentence once in order or counts it as omitted (property)", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constant("time" as const)), { maxLength: 60 }),
        steps => {
          const { live, time, said } = region();
          let count = 0;
          for (const step of steps) {
            if (step === "time") time.advance(5_000);
            else live.say(`S${++count}${"x".repeat(step)}`);
          }
          for (let i = 0; i < 100; i++) time.advance(200_000);
          const heard = said.flatMap(utterance =>
            [...utterance.matchAll(/\bS(\d+)x|^(\d+) sentences? left out/g)].flatMap(([, n, left]) =>
              n === undefined ? Array.from({ length: Number(left) }, () => undefined) : [Number(n)],
            ),
          );
          equal(heard.length, count);
          ok(heard.every((n, i) => n === undefined || n === i + 1));
        },
      ),
    ));
});
