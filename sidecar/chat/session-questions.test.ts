import { deepEqual, equal } from "node:assert/strict";
import type { SessionEvent } from "./session-model";
import { OPTIONS, prompt, asked, stopped, OPENED, applyEvents } from "../testing/sessions/session-events";

suite("session state machine: questions", () => {
  test("asks despite bypass if the agent offers no allow_once option", () => {
    const only = {
      kind: "asked",
      permission: { permissionId: "p", toolCall: {}, options: [OPTIONS[0]], policy: "allow" },
    } as const;
    equal(applyEvents(OPENED, prompt("1"), only).line, "open running accept 1 send 1 (prompting)");
  });

  test("asks its own questions regardless of the agent's policy and offers no permanent answer", () => {
    const ours = {
      kind: "asked",
      permission: { permissionId: "f", toolCall: {}, options: [OPTIONS[1]], policy: "ours" },
    } as const;
    const { state, line } = applyEvents(
      OPENED,
      prompt("1"),
      ours,
      { kind: "bypassed", until: "sessionEnds" },
      { ...ours, permission: { ...ours.permission, permissionId: "g" } },
    );
    equal(line, "open running accept 1 send 1 (prompting)");
    equal(state.conversation.entries.find(entry => entry.kind === "permission")?.isOurs, true);
  });

  test("marks a permission that bypass answered", () => {
    const card = applyEvents(OPENED, prompt("1"), asked("p", "allow")).state.conversation.entries.find(
      entry => entry.kind === "permission",
    );
    deepEqual(card?.answered, {
      kind: "selected",
      optionId: "yes",
      name: "Yes",
      optionKind: "allow_once",
      by: "bypass",
    });
  });

  test("does not show the parameters of an earlier turn's call with the same id", () => {
    const old: SessionEvent = {
      kind: "updated",
      version: 1,
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "0",
        title: "ls",
        status: "completed",
        rawInput: { command: "ls" },
      },
    };
    const { state } = applyEvents(OPENED, prompt("1"), old, stopped(), prompt("2"), {
      kind: "asked",
      permission: { permissionId: "p", toolCall: { toolCallId: "0", title: "rm" }, options: OPTIONS, policy: "ask" },
    });
    const card = state.conversation.entries.find(entry => entry.kind === "permission");
    deepEqual([card?.title, card?.input], ["rm", undefined]);
  });
});
