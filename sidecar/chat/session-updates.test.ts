import { deepEqual } from "node:assert/strict";
import type { SessionEvent } from "./session-model";
import { startSession, stepSession } from "./session-state";
import {
  EMPTY,
  textChunk,
  prompt,
  stopped,
  MODEL,
  WITH_MODEL,
  choose,
  OPENED,
  applyEvents,
  notices,
} from "../testing/sessions/session-events";

suite("session state machine: updates", () => {
  test("shows a selected option immediately, then the agent's value, or the previous value on rejection", () => {
    const shown = (...events: readonly SessionEvent[]) =>
      applyEvents(...WITH_MODEL, ...events).state.conversation.controls.map(({ value }) => value);
    deepEqual(shown(choose("l")), ["l"]);
    deepEqual(shown(choose("l"), { kind: "controlSet", controls: [{ ...MODEL, value: "s" }] }), ["s"]);
    deepEqual(shown(choose("l"), { kind: "controlSet", controls: undefined }), ["l"]);
    const refused: SessionEvent = { kind: "controlRefused", controlId: "m", before: "s", why: "It is not for you." };
    deepEqual(shown(choose("l"), refused), ["s"]);
    deepEqual(notices(applyEvents(...WITH_MODEL, choose("l"), refused).state.conversation), [
      "“Model” was not changed. It is not for you.",
    ]);
  });

  test("shows the duration of a thought when another update follows or the turn ends", () => {
    const thoughtChunk = (text: string): SessionEvent => ({
      kind: "updated",
      version: 1,
      update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text } },
    });
    const at: readonly [number, SessionEvent][] = [
      [0, OPENED],
      [1, prompt("1")],
      [1000, thoughtChunk("a")],
      [4000, thoughtChunk("b")],
      [5500, textChunk("x")],
      [7000, thoughtChunk("c")],
      [9000, stopped()],
    ];
    const state = at.reduce(
      (now, [time, event]) => stepSession(now, event, time)[0],
      startSession(EMPTY, "s-", undefined)[0],
    );
    deepEqual(
      state.conversation.entries.flatMap(entry => (entry.kind === "thought" ? [[entry.text, entry.ms]] : [])),
      [
        ["ab", 4500],
        ["c", 2000],
      ],
    );
  });
});
