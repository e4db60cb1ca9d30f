import { deepEqual, equal } from "node:assert/strict";
import type { SessionEvent } from "./session-model";
import {
  textChunk,
  tool,
  prompt,
  DOWN,
  UNREAD,
  REOPENED,
  OPENED,
  applyEvents,
  notices,
} from "../testing/sessions/session-events";

suite("session state machine: failures", () => {
  test("shows after an agent exit when the agent restarts: after a pause, with a waiting prompt or the next", () => {
    const died: SessionEvent = { kind: "agentDown", text: "Ada stopped.", actions: [], restarts: true };
    const last = (...events: readonly SessionEvent[]): string | undefined =>
      notices(applyEvents(...events).state.conversation).at(-1);
    equal(last(OPENED, died), "Ada stopped. Ada restarts in 1 second.");
    equal(last(OPENED, died, REOPENED, died), "Ada stopped. Ada restarts in 5 seconds.");
    const repeatedExits = [OPENED, died, REOPENED, died, REOPENED, died, REOPENED, died];
    equal(last(...repeatedExits), "Ada stopped. Ada restarts with your next prompt.");
    equal(last(OPENED, prompt("1"), UNREAD), "Ada stopped. Ada restarts in 1 second and gets your prompt then.");
    equal(last({ kind: "openFailed", text: "Not found. Check it.", actions: [] }), "Not found. Check it.");
    const failed: SessionEvent = { kind: "openFailed", text: "Ada stopped.", actions: [], restarts: true };
    equal(last(failed), "Ada stopped. Ada restarts with your next prompt.");
  });

  test("offers to send the prompt again after the agent exits", () => {
    const actions = (...events: readonly SessionEvent[]) =>
      applyEvents(...events, DOWN).state.conversation.entries.flatMap(entry =>
        entry.kind === "notice" ? entry.actions : [],
      );
    deepEqual(actions(OPENED, prompt("1")), ["sendAgain", "restartAgent"]);
    deepEqual(actions(prompt("1")), ["sendAgain", "restartAgent"]);
    deepEqual(actions(OPENED), ["restartAgent"]);
  });

  test("removes the notice of a failed start with the next start, and keeps that of a prompt", () => {
    const failed: SessionEvent = { kind: "openFailed", text: "Not found.", actions: [] };
    const over = (...events: readonly SessionEvent[]) =>
      applyEvents(...events).state.conversation.entries.flatMap(entry =>
        entry.kind === "notice" ? [entry.isOver === true] : [],
      );
    deepEqual(over(failed), [false]);
    deepEqual(over(failed, prompt("1"), failed), [true, false]);
    deepEqual(over(failed, prompt("1"), failed, prompt("2"), OPENED), [true, false]);
  });

  test("marks the output of an exited process and reports the lost memory", () => {
    const { state } = applyEvents(
      OPENED,
      prompt("1"),
      textChunk("half"),
      tool("t", "in_progress"),
      DOWN,
      prompt("2"),
      OPENED,
    );
    deepEqual(
      state.conversation.entries.map(entry =>
        entry.kind === "agent"
          ? [entry.text, entry.interrupted]
          : entry.kind === "tool"
            ? [entry.status]
            : [entry.kind],
      ),
      [["user"], ["half", true], ["cancelled"], ["notice"], ["user"], ["notice"]],
    );
  });
});
