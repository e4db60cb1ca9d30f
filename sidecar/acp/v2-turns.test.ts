import { deepEqual } from "node:assert/strict";
import { AgentError } from "../errors";
import { Turns } from "./v2-turns";

const RUNNING = { sessionUpdate: "state_update", state: "running" },
  IDLE = { sessionUpdate: "state_update", state: "idle", stopReason: "max_tokens" };

suite("turns of ACP v2", () => {
  function play(...happened: readonly (object | "accepted" | "drop")[]): unknown {
    const turns = new Turns(),
      ends: unknown[] = [];
    const turn = turns.begin("s", outcome =>
      ends.push(outcome.kind === "stopped" ? outcome.reason : outcome.error.message),
    );
    for (const each of happened) {
      if (each === "accepted") turns.accepted("s", turn);
      else if (each === "drop") ends.push(turns.drop("s", turn));
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
    deepEqual(
      play(
        "accepted",
        { sessionUpdate: "state_update", state: "requires_action" },
        { sessionUpdate: "notice", state: "idle" },
      ),
      [],
    );
  });

  test("an error is one, in the agent's words", () =>
    deepEqual(play(RUNNING, { ...IDLE, stopReason: "error", error: { code: 1, message: "no tokens left" } }), [
      "no tokens left",
    ]));

  test("a turn that was dropped does not end again", () =>
    deepEqual(play("accepted", "drop", IDLE, "drop"), [true, false]));

  test("a prompt that is refused late does not end the next one's turn", () => {
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
