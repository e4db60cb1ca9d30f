import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  MAX_TEXT,
  QUEUED,
  step,
  type Ended,
  type ResearchEffect,
  type ResearchEvent,
  type ResearchState,
} from "./research-state";

function run(events: readonly ResearchEvent[]): {
  readonly state: ResearchState;
  readonly effects: readonly ResearchEffect[];
} {
  let state = QUEUED;
  const all: ResearchEffect[] = [];
  for (const event of events) {
    const [next, effects] = step(state, event);
    state = next;
    all.push(...effects);
  }
  return { state, effects: all };
}
const ADMITTED: ResearchEvent = { kind: "admitted" },
  OPENED: ResearchEvent = { kind: "opened" },
  BEGUN = [ADMITTED, OPENED];
const messageEvent = (text: string): ResearchEvent => ({ kind: "said", text }),
  responded = (text: string): ResearchEvent => ({ kind: "responded", text }),
  turnEnded = (reason = "end_turn"): ResearchEvent => ({ kind: "turnEnded", reason });
function outcome(...events: readonly ResearchEvent[]): string {
  const { state } = run(events);
  return state.kind === "answered"
    ? `${state.by}: ${state.text}`
    : state.kind === "failed"
      ? `failed: ${state.why}`
      : state.kind;
}

suite("research state", () => {
  test("is admitted, opened, prompted and answered by the tool", () =>
    deepEqual(run([...BEGUN, responded("seven"), turnEnded()]).effects, [
      { kind: "limit" },
      { kind: "open" },
      { kind: "prompt" },
      { kind: "rest" },
      { kind: "finish", end: { kind: "answered", text: "seven", by: "response" } },
    ]));

  const table: readonly [what: string, events: readonly ResearchEvent[], outcome: string][] = [
    [
      "joins several responses into one answer",
      [...BEGUN, responded("one"), messageEvent("more"), responded("two"), turnEnded()],
      "response: one\n\ntwo",
    ],
    ["needs no further output after a response", [...BEGUN, responded("one"), { kind: "rested" }], "response: one"],
    ["does not end on idle without a response", [...BEGUN, { kind: "rested" }], "working"],
    [
      "returns the last message without a response tool call",
      [
        ...BEGUN,
        messageEvent("I look."),
        { kind: "called" },
        messageEvent("It is "),
        messageEvent("seven. "),
        turnEnded(),
      ],
      "words: It is seven.",
    ],
    [
      "ignores messages before the last call",
      [...BEGUN, messageEvent("I look."), { kind: "called" }, turnEnded()],
      "failed: the agent ended without an answer",
    ],
    [
      "reports a refusal",
      [...BEGUN, messageEvent("I would rather not."), turnEnded("refusal")],
      "failed: the agent refused to answer",
    ],
    [
      "reports a token limit",
      [...BEGUN, messageEvent("It is"), turnEnded("max_tokens")],
      "failed: the agent ran out of tokens",
    ],
    [
      "reports an unknown stop reason",
      [...BEGUN, turnEnded("bored")],
      "failed: the agent ended without an answer (bored)",
    ],
    [
      "reports a failed turn",
      [...BEGUN, { kind: "turnFailed", why: "no model" }],
      "failed: the agent failed: no model",
    ],
    [
      "returns the response of a turn that fails later",
      [...BEGUN, responded("one"), { kind: "turnFailed", why: "no model" }],
      "response: one",
    ],
    [
      "reports the time limit",
      [...BEGUN, messageEvent("It is"), { kind: "expired" }],
      "failed: it did not finish within 5 minutes",
    ],
    ["returns a response at the time limit", [...BEGUN, responded("one"), { kind: "expired" }], "response: one"],
    [
      "reports an agent without a second session",
      [ADMITTED, { kind: "refused", why: "only one" }],
      "failed: the agent could not open a session for it: only one",
    ],
    [
      "reports a session that does not open",
      [ADMITTED, { kind: "expired" }],
      "failed: the agent did not open a session for it within 5 minutes: perhaps it can have only one at a time",
    ],
    ["is cancelled while it waits", [{ kind: "withdrawn" }], "failed: it was withdrawn"],
    [
      "is cancelled despite a response",
      [...BEGUN, responded("one"), { kind: "withdrawn" }],
      "failed: it was withdrawn",
    ],
    ["ends with the chain", [ADMITTED, { kind: "chainEnded" }], "failed: the agent has ended"],
    ["returns a response when the chain ends", [...BEGUN, responded("one"), { kind: "chainEnded" }], "response: one"],
    [
      "opens nothing when admitted after its cancellation",
      [{ kind: "withdrawn" }, ADMITTED],
      "failed: it was withdrawn",
    ],
  ];
  for (const [what, events, expected] of table) test(what, () => equal(outcome(...events), expected));

  test("limits the length of an answer with a note", () => {
    const text = outcome(...BEGUN, responded("a".repeat(MAX_TEXT - 1)), responded("bc"), responded("d"), turnEnded());
    equal(text.slice(-20).replaceAll("\n", "|"), "aaaaaaaaa||b|… (cut)");
    equal(outcome(...BEGUN, messageEvent("x".repeat(2 * MAX_TEXT)), turnEnded()).length, "words: ".length + MAX_TEXT);
  });

  const event: fc.Arbitrary<ResearchEvent> = fc.oneof(
    fc.constantFrom<ResearchEvent>(
      ADMITTED,
      OPENED,
      { kind: "called" },
      { kind: "rested" },
      { kind: "expired" },
      { kind: "withdrawn" },
      { kind: "chainEnded" },
      { kind: "refused", why: "r" },
      { kind: "turnFailed", why: "t" },
    ),
    fc.constantFrom("end_turn", "refusal", "?").map(turnEnded),
    fc.string().map(messageEvent),
    fc.string({ minLength: 1 }).map(responded),
  );

  test("ends once for any events and keeps a response unless cancelled", () =>
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), events => {
        const { state, effects } = run(events),
          ends = effects.filter(({ kind }) => kind === "finish");
        const isOver = state.kind === "answered" || state.kind === "failed";
        equal(ends.length, isOver ? 1 : 0);
        equal(
          effects.findIndex(({ kind }) => kind === "finish"),
          isOver ? effects.length - 1 : -1,
        );
        for (const kind of ["open", "prompt", "limit"])
          equal(effects.filter(effect => effect.kind === kind).length <= 1, true);
        if (!effects.some(({ kind }) => kind === "rest") || !isOver) return;
        const end: Ended = state;
        equal(end.kind === "answered" ? end.by : end.why, end.kind === "answered" ? "response" : "it was withdrawn");
      }),
    ));
});
