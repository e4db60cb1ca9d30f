import { deepEqual } from "node:assert/strict";
import { FakeClock } from "../protocol/testing/fake-clock";
import { AttentionBadge } from "./attention-badge";

suite("AttentionBadge", () => {
  function fixture(): { badge: AttentionBadge; notifications: string[]; clock: FakeClock } {
    const notifications: string[] = [],
      clock = new FakeClock();
    return {
      notifications,
      clock,
      badge: new AttentionBadge({
        show: badge => notifications.push(badge ? `${badge.value}: ${badge.tooltip}` : "none"),
        notify: sentence => notifications.push(`! ${sentence}`),
        now: () => clock.now(),
      }),
    };
  }
  const attention = (sessionId: string, what: "answer" | "reading" | "failed" | "nothing", title?: string) => ({
    sessionId,
    attention: what,
    name: "Ada",
    ...(title === undefined ? {} : { title }),
  });

  test("shows the number of waiting tabs while hidden, with one notification per question and end", () => {
    const { badge, notifications } = fixture();
    badge.onEvent(attention("a", "answer", "Tests"));
    badge.onEvent(attention("a", "answer"));
    badge.onEvent(attention("b", "reading"));
    badge.onEvent(attention("c", "reading"));
    badge.onEvent(attention("a", "nothing"));
    deepEqual(notifications, [
      "! Ada asks you a question in “Tests”.",
      "1: 1 question waits for your answer",
      "1: 1 question waits for your answer",
      "! Ada has finished.",
      "2: 1 question waits for your answer, 1 unread answer",
      "! Ada has finished.",
      "3: 1 question waits for your answer, 2 unread answers",
      "2: 2 unread answers",
    ]);
  });

  test("reports turns that ended with an error, until the chat is visible", () => {
    const badges: unknown[] = [],
      badge = new AttentionBadge({
        show: shown => badges.push(shown),
        notify: sentence => badges.push(sentence),
        now: () => 0,
      });
    badge.onEvent(attention("a", "failed", "Tests"));
    badge.onEvent(attention("b", "failed"));
    badge.visible(true);
    badge.visible(false);
    deepEqual(badges, [
      "Ada stopped with an error in “Tests”.",
      { value: 1, tooltip: "1 unread answer", hasFailed: true },
      "Ada stopped with an error.",
      { value: 2, tooltip: "2 unread answers", hasFailed: true },
      undefined,
      undefined,
    ]);
  });

  test("is empty while the chat is visible, then counts unread answers and open questions", () => {
    const { badge, notifications, clock } = fixture();
    badge.visible(true);
    badge.onEvent(attention("a", "answer"));
    badge.onEvent(attention("b", "reading"));
    clock.advance(2_000);
    badge.visible(false);
    badge.onEvent(attention("c", "reading"));
    badge.visible(true);
    badge.visible(false);
    deepEqual(notifications, [
      "none",
      "none",
      "none",
      "1: 1 question waits for your answer",
      "! Ada has finished.",
      "2: 1 question waits for your answer, 1 unread answer",
      "none",
      "1: 1 question waits for your answer",
    ]);
  });

  test("notifies once about a question that arrived immediately before hiding", () => {
    const { badge, notifications, clock } = fixture();
    badge.visible(true);
    badge.onEvent(attention("a", "answer"));
    badge.onEvent(attention("b", "answer"));
    badge.onEvent(attention("b", "nothing"));
    clock.advance(1_999);
    badge.visible(false);
    badge.visible(true);
    badge.visible(false);
    deepEqual(
      notifications.filter(each => each !== "none"),
      ["! Ada asks you a question.", "1: 1 question waits for your answer", "1: 1 question waits for your answer"],
    );
  });

  test("counts an answer that ended immediately before hiding, without a notification", () => {
    const { badge, notifications, clock } = fixture();
    badge.visible(true);
    badge.onEvent(attention("a", "reading"));
    clock.advance(1_999);
    badge.onEvent(attention("b", "reading"));
    badge.onEvent(attention("c", "reading"));
    badge.onEvent(attention("c", "nothing"));
    clock.advance(1);
    badge.visible(false);
    badge.visible(true);
    badge.visible(false);
    deepEqual(
      notifications.filter(each => each !== "none"),
      ["1: 1 unread answer"],
    );
  });

  test("returns the unread request of a session that moves to another surface", () => {
    const { badge } = fixture(),
      request = attention("a", "answer");
    badge.visible(true);
    badge.onEvent(request);
    deepEqual([badge.take("a"), badge.take("a")], [request, undefined]);
  });

  test("is cleared when the sidecar exits", () => {
    const { badge, notifications } = fixture();
    badge.onEvent(attention("a", "reading"));
    badge.clear();
    deepEqual(notifications, ["! Ada has finished.", "1: 1 unread answer", "none"]);
  });
});
