import { deepEqual } from "node:assert/strict";
import { AgentError } from "../errors";
import { Turns } from "./turns";

const RUNNING = { sessionUpdate: "state_update", state: "running" }, IDLE = { sessionUpdate: "state_update", state: "idle", stopReason: "max_tokens" };

suite("turns of ACP v2", () => {
  function play(...happened: readonly (object | "accepted" | "drop")[]): unknown {
    const turns = new Turns(), ends: unknown[] = [];
    turns.begin("s", outcome => ends.push(outcome.kind === "stopped" ? outcome.reason : outcome.error.message));
    for (const each of happened) {
      if (each === "accepted") turns.accepted("s");
      else if (each === "drop") ends.push(turns.drop("s"));
      else turns.update("s", { ...each }, error => new AgentError("protocol", (error as Error).message));
    }
    return ends;
  }

  test("a turn ends when its session is idle after the prompt was accepted, or has run", () => {
    deepEqual(play("accepted", IDLE), ["max_tokens"]);
    deepEqual(play(RUNNING, IDLE, "accepted", IDLE), ["max_tokens"]);
    deepEqual(play(RUNNING, { ...IDLE, stopReason: null }), ["end_turn"]);
  });

  test("what a session was before the prompt ends nothing, nor does work that waits for the user", () => {
    deepEqual(play(IDLE), []);
    deepEqual(play("accepted", { sessionUpdate: "state_update", state: "requires_action" }, { sessionUpdate: "notice", state: "idle" }), []);
  });

  test("an error is one, in the agent's words", () => deepEqual(play(RUNNING, { ...IDLE, stopReason: "error", error: { code: 1, message: "no tokens left" } }), ["no tokens left"]));

  test("a turn that was dropped does not end again", () => deepEqual(play("accepted", "drop", IDLE, "drop"), [true, false]));
});
