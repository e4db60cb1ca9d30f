import { deepEqual } from "node:assert/strict";
import { AgentError } from "../errors";
import { Turns } from "./v2-turns";

const RUNNING = { sessionUpdate: "state_update", state: "running" },
  IDLE = { sessionUpdate: "state_update", state: "idle", stopReason: "max_tokens" };

suite("ACP v2 turns", () => {
  function run(...events: readonly (object | "accepted" | "drop")[]): unknown {
    const turns = new Turns(),
      ends: unknown[] = [];
    const turn = turns.begin("s", outcome =>
      ends.push(outcome.kind === "stopped" ? outcome.reason : outcome.error.message),
    );
    for (const each of events) {
      if (each === "accepted") turns.accepted("s", turn);
      else if (each === "drop") ends.push(turns.drop("s", turn));
      else turns.update("s", { ...each }, error => new AgentError("protocol", (error as Error).message));
    }
    return ends;
  }

  test("ends when the session is idle after the prompt was accepted or ran", () => {
    deepEqual(run("accepted", IDLE), ["max_tokens"]);
    deepEqual(run(RUNNING, IDLE, "accepted", IDLE), ["max_tokens"]);
    deepEqual(run(RUNNING, { ...IDLE, stopReason: null }), ["end_turn"]);
  });

  test("does not end for a state before the prompt or while the user must act", () => {
    deepEqual(run(IDLE), []);
    deepEqual(
      run(
        "accepted",
        { sessionUpdate: "state_update", state: "requires_action" },
        { sessionUpdate: "notice", state: "idle" },
      ),
      [],
    );
  });

  test("rejects with the agent's error", () =>
    deepEqual(run(RUNNING, { ...IDLE, stopReason: "error", error: { code: 1, message: "no tokens left" } }), [
      "no tokens left",
    ]));

  test("does not end again after it was dropped", () =>
    deepEqual(run("accepted", "drop", IDLE, "drop"), [true, false]));

  test("does not end the next turn when a prompt is rejected late", () => {
    const turns = new Turns(),
      ends: string[] = [];
    const first = turns.begin("s", () => ends.push("first"));
    turns.update("s", RUNNING, error => {
      throw error;
    });
    turns.update("s", IDLE, error => {
      throw error;
    });
    const second = turns.begin("s", () => ends.push("second"));
    turns.accepted("s", first);
    deepEqual([turns.drop("s", first), second.state], [false, "waiting"]);
    turns.accepted("s", second);
    turns.update("s", IDLE, error => {
      throw error;
    });
    deepEqual(ends, ["first", "second"]);
  });
});
