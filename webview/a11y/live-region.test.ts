import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { LiveRegion, MAX_WAITING } from "./live-region";
import { FakeClock } from "../../src/protocol/testing/fake-clock";

function region(): {
  readonly live: LiveRegion;
  readonly time: FakeClock;
  readonly texts: string[];
  readonly alerts: string[];
} {
  const time = new FakeClock();
  const texts: string[] = [],
    alerts: string[] = [];
  return {
    live: new LiveRegion(
      text => texts.push(text),
      text => alerts.push(text),
      time,
    ),
    time,
    texts,
    alerts,
  };
}

suite("live region", () => {
  test("speaks the first sentence immediately and later ones together after a pause", () => {
    const { live, time, texts } = region();
    live.report("A sentence of thirty characters");
    live.report("Two.");
    live.report("Three.");
    deepEqual(texts, ["A sentence of thirty characters"]);
    time.advance(31 * 40 - 1);
    equal(texts.length, 1);
    time.advance(1);
    deepEqual(texts.slice(1), ["Two. Three."]);
    time.advance(10_000);
    live.report("Four.");
    deepEqual(texts.slice(2), ["Four."]);
  });

  test("limits the length of an utterance and speaks a long sentence alone", () => {
    const { live, time, texts } = region();
    live.report("Go.");
    for (const sentence of ["a".repeat(200), "b".repeat(100), "c".repeat(350), "d"]) live.report(sentence);
    for (let i = 0; i < 4; i++) time.advance(60_000);
    deepEqual(
      texts.map(({ length }) => length),
      [3, 301, 350, 1],
    );
    live.report("e".repeat(MAX_WAITING + 1));
    equal(texts.at(-1)?.length, MAX_WAITING + 1);
  });

  test("speaks a question immediately", () => {
    const { live, texts, alerts } = region();
    live.report("One.");
    live.report("Two.");
    live.announceNow("May I?");
    deepEqual([texts, alerts], [["One."], ["May I?"]]);
  });

  test("discards waiting sentences on hush and speaks later ones", () => {
    const { live, time, texts } = region();
    for (const sentence of ["One.", "Two.", "Three."]) live.report(sentence);
    time.advance(300);
    live.hush();
    live.report("Four.");
    live.report("Five.");
    deepEqual(texts, ["One.", "Four."]);
    time.advance(599);
    equal(texts.length, 2);
    time.advance(1);
    deepEqual(texts, ["One.", "Four.", "Five."]);
  });

  test("limits the waiting sentences and reports the number of omitted ones", () => {
    const { live, time, texts } = region();
    const sentence = "x".repeat(100);
    for (let i = 0; i < 100; i++) live.report(sentence);
    for (let i = 0; i < 100; i++) time.advance(60_000);
    equal(texts.join("").match(/x+/g)?.join("").length, MAX_WAITING + 100);
    equal(texts.at(-1), `${99 - MAX_WAITING / 100} sentences omitted. Read them in the conversation.`);
    live.report("Later.");
    equal(texts.at(-1), "Later.");
  });

  test("speaks each sentence once in order or counts it as omitted (property)", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constant("time" as const)), { maxLength: 60 }),
        steps => {
          const { live, time, texts } = region();
          let count = 0;
          for (const step of steps) {
            if (step === "time") time.advance(5_000);
            else live.report(`S${++count}${"x".repeat(step)}`);
          }
          for (let i = 0; i < 100; i++) time.advance(200_000);
          const received = texts.flatMap(utterance =>
            [...utterance.matchAll(/\bS(\d+)x|^(\d+) sentences? omitted/g)].flatMap(([, n, left]) =>
              n === undefined ? Array.from({ length: Number(left) }, () => undefined) : [Number(n)],
            ),
          );
          equal(received.length, count);
          ok(received.every((n, i) => n === undefined || n === i + 1));
        },
      ),
    ));
});
