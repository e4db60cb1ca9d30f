import { deepEqual, ok } from "node:assert/strict";
import type { SessionEvent } from "./session-model";
import { textChunk, prompt, stopped, DOWN, OPENED, applyEvents, notices } from "../testing/sessions/session-events";

suite("session state machine: turns", () => {
  test("shows the same text for a cancelled turn however the agent ends it", () =>
    deepEqual(
      notices(
        applyEvents(
          OPENED,
          prompt("1"),
          textChunk("x"),
          { kind: "cancel" },
          { kind: "turnEnded", outcome: { kind: "failed", text: "aborted", actions: [] } },
        ).state.conversation,
      ),
      ["Stopped."],
    ));

  test("shows a sentence for each irregular stop reason", () => {
    deepEqual(notices(applyEvents(OPENED, prompt("1"), stopped()).state.conversation), [
      "Ada ended its turn without an answer.",
    ]);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), stopped()).state.conversation), []);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), stopped("_vendor")).state.conversation), [
      "The agent stopped for the reason “_vendor”.",
    ]);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), DOWN).state.conversation), [
      "Ada stopped. Ada restarts in 1 second.",
    ]);
    deepEqual(
      notices(
        applyEvents(OPENED, prompt("1"), textChunk("x"), { kind: "cancel" }, { kind: "cancelOverdue" }).state
          .conversation,
      ),
      ["Ada has not stopped yet. Wait, or restart it."],
    );
  });

  test("queues at most 20 prompts and rejects the next with a sentence", () => {
    const many = Array.from({ length: 22 }, (_, n) => prompt(String(n)));
    ok(applyEvents(OPENED, ...many).line.endsWith("accept 20 refuse 21 (prompting)"));
  });

  test("shows notices for a slow start, a silent turn and an unsupported image", () => {
    deepEqual(notices(applyEvents({ kind: "slow", seconds: 10 }, { kind: "slow", seconds: 30 }).state.conversation), [
      "Ada has not started within 30 seconds. The first start can take long. See the log for its progress.",
    ]);
    deepEqual(
      notices(
        applyEvents(OPENED, prompt("1"), { kind: "silent", minutes: 3 }, { kind: "leftOut", names: ["a.png", "b.png"] })
          .state.conversation,
      ),
      [
        "Ada has sent nothing for 3 minutes. It may still be working. If it hangs, stop or restart it.",
        "Ada does not accept images. Not sent: a.png, b.png.",
      ],
    );
    deepEqual(applyEvents(OPENED).state.conversation.accepts, { images: true });
  });

  test("ends the notices about waiting with the start, the next update, the turn or the agent", () => {
    const over = (...events: readonly SessionEvent[]) =>
      applyEvents(...events).state.conversation.entries.flatMap(entry =>
        entry.kind === "notice" && entry.until !== undefined ? [[entry.until, entry.isOver === true]] : [],
      );
    const slow = { kind: "slow", seconds: 30 } as const,
      silent = { kind: "silent", minutes: 3 } as const,
      overdue = { kind: "cancelOverdue" } as const;
    deepEqual(over(slow), [["start", false]]);
    deepEqual(over(prompt("1"), slow, OPENED), [["start", true]]);
    deepEqual(over(OPENED, prompt("1"), silent), [["update", false]]);
    deepEqual(over(OPENED, prompt("1"), silent, textChunk("a"), silent), [
      ["update", true],
      ["update", false],
    ]);
    deepEqual(over(OPENED, prompt("1"), silent, DOWN), [["update", true]]);
    deepEqual(over(OPENED, prompt("1"), { kind: "cancel" }, overdue, textChunk("a")), [["turn", false]]);
    deepEqual(
      over(OPENED, prompt("1"), { kind: "cancel" }, overdue, {
        kind: "turnEnded",
        outcome: { kind: "stopped", reason: "cancelled" },
      }),
      [["turn", true]],
    );
  });
});
