import { deepEqual } from "node:assert/strict";
import { FakeClock } from "../testing/fake-clock";
import { AttentionBadge } from "./attention-badge";

suite("attention badge", () => {
  function fixture(): { badge: AttentionBadge; told: string[]; clock: FakeClock } {
    const told: string[] = [],
      clock = new FakeClock();
    return {
      told,
      clock,
      badge: new AttentionBadge({
        show: badge => told.push(badge ? `${badge.value}: ${badge.tooltip}` : "none"),
        notify: sentence => told.push(`! ${sentence}`),
        now: () => clock.now(),
      }),
    };
  }
  const wants = (sessionId: string, what: "answer" | "reading" | "nothing", title?: string) => ({
    sessionId,
    wants: what,
    name: "Ada",
    ...(title === undefined ? {} : { title }),
  });

  test("a hidden chat says how many wait, and tells of each question and each end of a turn once", () => {
    const { badge, told } = fixture();
    badge.heard(wants("a", "answer", "Tests"));
    badge.heard(wants("a", "answer"));
    badge.heard(wants("b", "reading"));
    badge.heard(wants("c", "reading"));
    badge.heard(wants("a", "nothing"));
    deepEqual(told, [
      "! Ada asks you something in “Tests”.",
      "1: 1 question waits for your answer",
      "1: 1 question waits for your answer",
      "! Ada has ended its turn.",
      "2: 1 question waits for your answer, 1 answer to read",
      "! Ada has ended its turn.",
      "3: 1 question waits for your answer, 2 answers to read",
      "2: 2 answers to read",
    ]);
  });

  test("a chat that is looked at wants nothing; what was read is read, a question waits on", () => {
    const { badge, told, clock } = fixture();
    badge.visible(true);
    badge.heard(wants("a", "answer"));
    badge.heard(wants("b", "reading"));
    clock.advance(2_000);
    badge.visible(false);
    badge.heard(wants("c", "reading"));
    badge.visible(true);
    badge.visible(false);
    deepEqual(told, [
      "none",
      "none",
      "none",
      "1: 1 question waits for your answer",
      "! Ada has ended its turn.",
      "2: 1 question waits for your answer, 1 answer to read",
      "none",
      "1: 1 question waits for your answer",
    ]);
  });

  test("a question that came right before the chat was hidden is told of, once; one that was answered is not", () => {
    const { badge, told, clock } = fixture();
    badge.visible(true);
    badge.heard(wants("a", "answer"));
    badge.heard(wants("b", "answer"));
    badge.heard(wants("b", "nothing"));
    clock.advance(1_999);
    badge.visible(false);
    badge.visible(true);
    badge.visible(false);
    deepEqual(
      told.filter(each => each !== "none"),
      ["! Ada asks you something.", "1: 1 question waits for your answer", "1: 1 question waits for your answer"],
    );
  });

  test("an answer that ended right before the chat was hidden is to be read, without a notification; one that was looked at, or read since, is not", () => {
    const { badge, told, clock } = fixture();
    badge.visible(true);
    badge.heard(wants("a", "reading"));
    clock.advance(1_999);
    badge.heard(wants("b", "reading"));
    badge.heard(wants("c", "reading"));
    badge.heard(wants("c", "nothing"));
    clock.advance(1);
    badge.visible(false);
    badge.visible(true);
    badge.visible(false);
    deepEqual(
      told.filter(each => each !== "none"),
      ["1: 1 answer to read"],
    );
  });

  test("nothing is left of a sidecar that is gone", () => {
    const { badge, told } = fixture();
    badge.heard(wants("a", "reading"));
    badge.clear();
    deepEqual(told, ["! Ada has ended its turn.", "1: 1 answer to read", "none"]);
  });
});
