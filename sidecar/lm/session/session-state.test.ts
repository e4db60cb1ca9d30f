import { equal } from "node:assert/strict";
import { NO_CONTEXT } from "../history/chat-context";
import {
  HELD_EVENTS,
  MAX_QUESTIONS,
  REPEATABLE_CHARACTERS,
  REPEATABLE_PARTS,
  type ModelSessionEffect,
  type ModelSessionEvent,
  type ModelSessionState,
} from "./session-state-model";
import { startModelSession, stepModelSession } from "./session-state";
import { PENDING_MS, STOPPING_MS } from "./session-effects";

/**
 * `ask 1` is a request with text, `back 2 t1 p2` one with results, `back 3 t1 hi` one with both. Others are `tool t1`,
 * `permission p1` and `say hello`. A turn ends with `end`, `end refusal`, `fail` or `die`.
 */
function eventOf(line: string): ModelSessionEvent {
  const [kind = "", a = "", ...rest] = line.split(" "),
    prompt = { requestId: Number(a), text: "", context: () => NO_CONTEXT, namesTools: () => false, blocks: () => [] };
  switch (kind) {
    case "opened":
    case "quiet":
    case "overdue":
    case "takenBack":
      return { kind };
    case "openFailed":
      return { kind, message: "It is not there." };
    case "ask":
      return { kind: "prompted", prompt };
    case "back":
      return {
        kind: "resumed",
        requestId: Number(a),
        results: rest.filter(id => id !== "hi").map(callId => ({ callId, result: "ok", isError: false })),
        prompt: rest.includes("hi") ? prompt : undefined,
      };
    case "again":
      return { kind: "repeated", requestId: Number(a) };
    case "tool":
    case "permission":
      return { kind: "asked", question: { callId: a, kind, toolName: `use-${a}`, parameters: {} } };
    case "withdrew":
    case "decided":
      return { kind, callId: a };
    case "say":
      return { kind: "spoke", part: { type: "text", value: [a, ...rest].join(" ") } };
    case "think":
      return { kind: "spoke", part: { type: "thinking", value: a } };
    case "end":
      return { kind: "turnEnded", outcome: { kind: "stopped", reason: a === "" ? "end_turn" : a } };
    case "fail":
      return { kind: "turnEnded", outcome: { kind: "failed", message: "It failed." } };
    case "die":
      return { kind: "agentDown", message: "It died." };
    case "cancel":
      return { kind: "cancelled", requestId: Number(a) };
    case "close":
      return { kind: "closed", message: "The window is closed." };
    default:
      throw new Error(`no such event: ${line}`);
  }
}

function show(effect: ModelSessionEffect): string {
  switch (effect.kind) {
    case "prompt":
      return `prompt ${effect.prompt.requestId}`;
    case "emit":
      return `${effect.requestId}: ${"value" in effect.part ? effect.part.value : effect.part.type === "tool_call" ? effect.part.toolCallId : effect.part.type}`;
    case "askHost":
      return `${effect.requestId}? ${effect.question.callId}`;
    case "finish":
      return `finish ${effect.requestId}${effect.goesOn ? "…" : ""}${effect.error === undefined ? "" : ` (${effect.error})`}`;
    case "turnOver":
      return effect.how;
    case "answer":
      return `${effect.callId} = ${effect.answer.kind === "refused" ? effect.answer.reason : effect.answer.kind}`;
    case "discard":
      return `discard ${"value" in effect.part ? effect.part.value : ""}`;
    case "unexpected":
      return `UNEXPECTED ${effect.what}`;
    case "watch":
      return `watch ${effect.ms === PENDING_MS ? "results" : effect.ms === STOPPING_MS ? "the stop" : effect.ms}`;
    default:
      return effect.kind;
  }
}

function play(...lines: readonly string[]): readonly [ModelSessionState, readonly ModelSessionEffect[]] {
  let [state, effects] = startModelSession("Ada");
  const all = [...effects];
  for (const line of lines) {
    [state, effects] = stepModelSession(state, eventOf(line));
    all.push(...effects);
  }
  return [state, all];
}

/** Runs after the agent's session is open. Omits `awaitQuiet` and `unwatch`, which other tests check. */
function story(...lines: readonly string[]): string {
  const [state, effects] = play("opened", ...lines);
  return [
    ...effects
      .slice(1)
      .filter(({ kind }) => kind !== "awaitQuiet" && kind !== "unwatch")
      .map(show),
    `(${state.phase.kind})`,
  ].join(", ");
}

suite("SessionActor state", () => {
  test("buffers the first prompt until the agent's session is open", () => {
    const [state, effects] = play("ask 1", "opened", "say hello", "end");
    equal([...effects.map(show), state.phase.kind].join(", "), "open, prompt 1, 1: hello, answered, finish 1, idle");
  });

  test("sends only the newer of two waiting requests and ends the older with a notice", () => {
    const [, effects] = play("ask 1", "ask 2", "opened");
    equal(effects.map(show).join(", "), "open, 1: A newer message replaced this one., finish 1, prompt 2");
  });

  test("fails the request when the agent cannot start and retries with the next request", () => {
    const [, effects] = play("ask 1", "openFailed", "ask 2", "opened", "cancel 2");
    equal(
      effects.map(show).join(", "),
      "open, finish 1 (It is not there.), open, prompt 2, finish 2, cut, cancelAgent, watch the stop",
    );
  });

  test("sends no prompt for a request that is cancelled while the agent starts", () => {
    const [, effects] = play("ask 1", "cancel 1", "opened");
    equal(effects.map(show).join(", "), "open, finish 1");
  });

  test("sends questions of one debounce period together and accepts their results in any order", () =>
    equal(
      story("ask 1", "tool t1", "tool t2", "tool t3", "quiet", "back 2 t3 t1 t2", "say c", "end"),
      "prompt 1, 1? t1, 1? t2, 1? t3, finish 1…, watch results, t3 = result, t1 = result, t2 = result, 2: c, answered, finish 2, (idle)",
    ));

  test("restarts the debounce for each question", () =>
    equal(
      play("opened", "ask 1", "tool t1", "say a", "tool t2")[1].filter(({ kind }) => kind === "awaitQuiet").length,
      2,
    ));

  test("sends text after a question behind its result, and later questions with the batch", () =>
    equal(
      story("ask 1", "say a", "tool t1", "say b", "tool t2", "quiet", "back 2 t1 t2"),
      "prompt 1, 1: a, 1? t1, 1? t2, finish 1…, watch results, t1 = result, t2 = result, 2: b, (streaming)",
    ));

  test("sends the agent's output between requests with the next request, its questions in one batch", () =>
    equal(
      story(
        "ask 1",
        "tool t1",
        "quiet",
        "say b",
        "say c",
        "tool t2",
        "say d",
        "tool t3",
        "back 2 t1",
        "quiet",
        "back 3 t2 t3",
        "end",
      ),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = result, 2: bc, 2? t2, 2? t3, finish 2…, watch results, t2 = result, t3 = result, 3: d, answered, finish 3, (idle)",
    ));

  test("ends nothing when the debounce expires without a question", () =>
    equal(story("ask 1", "quiet", "say a"), "prompt 1, 1: a, (streaming)"));

  test("rejects questions without a result in the next request, by name, and continues the turn", () =>
    equal(
      story("ask 1", "tool t1", "tool t2", "quiet", "back 2 t2"),
      "prompt 1, 1? t1, 1? t2, finish 1…, watch results, t2 = result, t1 = VS Code did not run use-t1., (streaming)",
    ));

  test("accepts a duplicate result once", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "back 2 t1 t1"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = result, (streaming)",
    ));

  test("ignores an unknown result, with and without an open response", () =>
    equal(
      story("ask 1", "back 2 t9", "tool t1", "quiet", "back 3 t9"),
      "prompt 1, 2: Ada no longer waits for this result., finish 2…, 1? t1, finish 1…, watch results, 3: Ada no longer waits for this result., finish 3…, (blocked)",
    ));

  test("accepts results that arrive before their response is finished", () =>
    equal(
      story("ask 1", "tool t1", "say b", "back 2 t1"),
      "prompt 1, 1? t1, finish 1, t1 = result, 2: b, (streaming)",
    ));

  test("resolves a permission by the decision, never by a result", () =>
    equal(
      story("ask 1", "permission p1", "permission p2", "quiet", "decided p1", "decided p1", "back 2 p1 p2"),
      "prompt 1, 1? p1, 1? p2, finish 1…, watch results, p1 = allowed, p2 = The user did not allow it., (streaming)",
    ));

  test("ignores a decision for a tool call", () =>
    equal(story("ask 1", "tool t1", "decided t1"), "prompt 1, 1? t1, (streaming)"));

  test("buffers the agent's output and turn end after a permission until the next request", () =>
    equal(
      story("ask 1", "permission p1", "quiet", "decided p1", "say b", "end", "back 2 p1"),
      "prompt 1, 1? p1, finish 1…, watch results, p1 = allowed, 2: b, answered, finish 2, (idle)",
    ));

  test("settles a question that the agent cancels, shown or not, and ignores its result", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "tool t2", "withdrew t2", "withdrew t1", "withdrew t1", "back 2 t1", "say b"),
      "prompt 1, 1? t1, finish 1…, watch results, t2 = It was withdrawn., t1 = It was withdrawn., 2: b, (streaming)",
    ));

  test("settles open questions at the end of the turn and reports the end with the results", () =>
    equal(
      story("ask 1", "tool t1", "say b", "end", "back 2 t1"),
      "prompt 1, 1? t1, finish 1…, t1 = The turn is over., watch results, 2: b, answered, finish 2, (idle)",
    ));

  test("settles questions that were not shown at the end of their turn", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "tool t2", "say b", "end", "tool t3", "say c", "back 2 t1"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The turn is over., t2 = The turn is over., t3 = No turn is open., discard c, 2: b, answered, finish 2, (idle)",
    ));

  test("delivers results with new text, cancels the turn and sends the text as a new turn", () =>
    equal(
      story("ask 1", "tool t1", "permission p2", "quiet", "say b", "back 2 t1 hi", "say c", "end", "say d"),
      "prompt 1, 1? t1, 1? p2, finish 1…, watch results, t1 = result, p2 = VS Code did not run use-p2., discard b, cut, cancelAgent, watch the stop, discard c, prompt 2, 2: d, (streaming)",
    ));

  test("rejects open questions for new text without cancelling a turn that has ended", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "end", "ask 2"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The turn is over., cut, prompt 2, (streaming)",
    ));

  test("ends a streaming answer for new text", () =>
    equal(
      story("ask 1", "say a", "ask 2", "end cancelled"),
      "prompt 1, 1: a, finish 1, cut, cancelAgent, watch the stop, prompt 2, (streaming)",
    ));

  test("shows one sentence for an answer without text, even after thoughts", () =>
    equal(
      story("ask 1", "think hm", "end"),
      "prompt 1, 1: hm, 1: Ada ended its turn without an answer., answered, finish 1, (idle)",
    ));

  test("appends the stop reason to the answer", () =>
    equal(
      story("ask 1", "say a", "end max_tokens"),
      "prompt 1, 1: a, 1: \n\nThe answer ends here because it reached the model's token limit., answered, finish 1, (idle)",
    ));

  test("fails the request of a failed turn", () =>
    equal(story("ask 1", "say a", "fail"), "prompt 1, 1: a, cut, finish 1 (It failed.), (idle)"));

  test("rejects all questions of a cancelled turn before the next prompt, including new questions", () =>
    equal(
      story("ask 1", "tool t1", "say b", "cancel 1", "tool t2", "ask 2", "end"),
      "prompt 1, 1? t1, finish 1, t1 = The user stopped the turn., discard b, cut, cancelAgent, watch the stop, t2 = No turn is open., prompt 2, (streaming)",
    ));

  test("ignores the cancellation of an unknown request", () =>
    equal(
      story("ask 1", "cancel 9", "tool t1", "quiet", "cancel 1"),
      "prompt 1, 1? t1, finish 1…, watch results, (blocked)",
    ));

  test("cancels or replaces a request that waits for the end of the cancelled turn", () =>
    equal(
      story("ask 1", "cancel 1", "ask 2", "ask 3", "cancel 3", "end"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, 2: A newer message replaced this one., finish 2, finish 3, (idle)",
    ));

  test("abandons an agent that does not end the turn and opens a new session for the waiting text", () =>
    equal(
      story("ask 1", "cancel 1", "ask 2", "overdue", "opened"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, leave, open, prompt 2, (streaming)",
    ));

  test("cancels a turn that the user removed, in each phase", () => {
    equal(story("ask 1", "takenBack"), "prompt 1, finish 1, cut, cancelAgent, watch the stop, (cancelling)");
    equal(
      story("ask 1", "tool t1", "quiet", "takenBack"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The user stopped the turn., cut, cancelAgent, watch the stop, (cancelling)",
    );
    equal(
      story("ask 1", "cancel 1", "ask 2", "takenBack"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, finish 2, (cancelling)",
    );
    equal(story("ask 1", "end", "takenBack"), story("ask 1", "end"));
  });

  test("opens a session only for the next request if no text waits", () =>
    equal(
      story("ask 1", "cancel 1", "overdue", "ask 2"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, leave, open, (opening)",
    ));

  test("rejects questions whose results never arrive and cancels the turn", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "say b", "overdue", "end"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The user stopped the turn., discard b, cut, cancelAgent, watch the stop, (idle)",
    ));

  test("fails the open request when the agent exits and reopens for the next request", () =>
    equal(
      story("ask 1", "say a", "die", "ask 2", "opened"),
      "prompt 1, 1: a, cut, finish 1 (It died.), open, prompt 2, (streaming)",
    ));

  test("reports an agent exit between requests with the results, after its last output", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "say b", "die", "back 2 t1"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The turn is over., 2: b, cut, finish 2 (It died.), (down)",
    ));

  test("completes the answer of an agent that exits after its turn and reopens for the next request", () =>
    equal(
      story("ask 1", "tool t1", "quiet", "say b", "end", "die", "back 2 t1", "ask 3"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The turn is over., 2: b, answered, finish 2, open, (opening)",
    ));

  test("sends the next text after the agent exits while its turn is cancelled", () =>
    equal(
      story("ask 1", "cancel 1", "ask 2", "die", "opened"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, open, prompt 2, (streaming)",
    ));

  test("sends output between turns with the next answer and rejects requests between turns", () =>
    equal(
      story("say a", "say b", "tool t1", "ask 1", "say c"),
      "t1 = No turn is open., 1: ab, prompt 1, 1: c, (streaming)",
    ));

  test("repeats a completed round completely and continues an incomplete one", () => {
    equal(
      story("ask 1", "say a", "say b", "again 2", "say c", "end", "again 3"),
      "prompt 1, 1: a, 1: b, finish 1, 2: ab, 2: c, answered, finish 2, 3: abc, finish 3, (idle)",
    );
    equal(
      story("ask 1", "say a", "tool t1", "quiet", "again 2", "back 3 t1", "say b", "again 4"),
      "prompt 1, 1: a, 1? t1, finish 1…, watch results, 2: a, 2: t1, finish 2…, t1 = result, 3: b, finish 3, 4: b, (streaming)",
    );
  });

  test("does not keep a round above the size limit", () =>
    equal(
      story("ask 1", `say ${"a".repeat(REPEATABLE_CHARACTERS + 1)}`, "end", "again 2").replace(/a{9,}/, "a…"),
      "prompt 1, 1: a…, answered, finish 1, 2: This answer is too long to be sent again. It is in the chat's history above., finish 2, (idle)",
    ));

  test("does not keep a round above the part limit", () =>
    equal(
      story(
        "ask 1",
        ...Array.from({ length: REPEATABLE_PARTS + 1 }, (_, i) => (i % 2 === 0 ? "say b" : "think c")),
        "end",
        "again 2",
      )
        .split(", ")
        .at(-3),
      "2: This answer is too long to be sent again. It is in the chat's history above.",
    ));

  test("rejects questions above the limit, shown or buffered", () => {
    const many = Array.from({ length: MAX_QUESTIONS }, (_, i) => `tool t${i}`),
      refusal = `t = At most ${MAX_QUESTIONS} tools can run at a time.`;
    equal(
      story("ask 1", ...many, "tool t")
        .split(", ")
        .at(-2),
      refusal,
    );
    equal(
      story("ask 1", ...many.slice(0, 5), "quiet", ...many.slice(5), "tool t")
        .split(", ")
        .at(-2),
      refusal,
    );
  });

  test("pauses reading an agent that floods output between requests", () => {
    const flood = Array.from({ length: HELD_EVENTS + 1 }, (_, i) => (i % 2 === 0 ? "say b" : "think c"));
    equal(
      story("ask 1", "tool t1", "quiet", ...flood).replaceAll("pause", "PAUSE"),
      "prompt 1, 1? t1, finish 1…, watch results, PAUSE, (blocked)",
    );
    equal(
      story("ask 1", "tool t1", "quiet", ...flood, "back 2 t1")
        .split(", ")
        .filter(word => !/^2: [bc]$/.test(word))
        .join(", "),
      "prompt 1, 1? t1, finish 1…, watch results, pause, t1 = result, release, (streaming)",
    );
    equal(
      story("ask 1", "tool t1", "quiet", `say ${"b".repeat(4 * 1024 * 1024)}`),
      "prompt 1, 1? t1, finish 1…, watch results, pause, (blocked)",
    );
  });

  test("discards output above the limit outside a turn and keeps reading", () => {
    const flood = Array.from({ length: HELD_EVENTS + 2 }, (_, i) => (i % 2 === 0 ? "say b" : "think c"));
    equal(story(...flood), "discard b, discard c, (idle)");
  });

  test("settles everything when it closes, in each phase", () => {
    equal(
      story("close", "ask 1", "tool t1", "say a"),
      "leave, finish 1 (This chat's session was closed. Send the message again.), t1 = No turn is open., discard a, (closed)",
    );
    equal(
      story("ask 1", "tool t1", "say b", "close"),
      "prompt 1, 1? t1, finish 1 (The window is closed.), t1 = The user stopped the turn., discard b, cut, cancelAgent, leave, (closed)",
    );
    equal(
      story("ask 1", "tool t1", "quiet", "tool t2", "close"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The user stopped the turn., t2 = The user stopped the turn., cut, cancelAgent, leave, (closed)",
    );
    equal(
      story("ask 1", "cancel 1", "ask 2", "close", "again 3"),
      "prompt 1, finish 1, cut, cancelAgent, watch the stop, finish 2 (The window is closed.), leave, finish 3 (This chat's session was closed. Send the message again.), (closed)",
    );
    const [state, effects] = play("ask 1", "close", "close");
    equal([...effects.map(show), state.phase.kind].join(", "), "open, finish 1 (The window is closed.), leave, closed");
  });

  test("logs unexpected events", () => {
    equal(
      story("ask 1", "tool t1", "quiet", "end", "end", "back 2 t1"),
      "prompt 1, 1? t1, finish 1…, watch results, t1 = The turn is over., UNEXPECTED turnEnded while blocked, 2: Ada ended its turn without an answer., answered, finish 2, (idle)",
    );
    equal(
      story("end", "ask 1", "opened", "end", "openFailed"),
      "UNEXPECTED turnEnded while idle, prompt 1, UNEXPECTED opened while streaming, 1: Ada ended its turn without an answer., answered, finish 1, UNEXPECTED openFailed while idle, (idle)",
    );
  });
});
