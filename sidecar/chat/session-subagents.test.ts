/** The session state machine with random subagent updates. */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, isTerminal, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { Effect, SessionEvent } from "./session-model";
import { startSession, stepSession } from "./session-state";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");
const ids = fc.constantFrom("c1", "c2", "c3", "c4");
const optionalId = fc.option(ids, { nil: undefined });
const states = fc.constantFrom("running", "idle", "requires_action", "unknown", "_other", null, undefined);

const updated = (subagent: string | undefined, update: object): SessionEvent => ({
  kind: "updated",
  version: 2,
  update,
  ...(subagent === undefined ? {} : { subagent }),
});

const announced = fc
  .record({ parent: optionalId, sessionId: ids, state: states, title: fc.constantFrom("T", "", null, undefined) })
  .map(({ parent, sessionId, state, title }) =>
    updated(parent, {
      sessionUpdate: "subagent_update",
      sessionId,
      title,
      ...(state === undefined ? {} : { state: { state } }),
    }),
  );
const content = fc
  .record({
    of: optionalId,
    kind: fc.constantFrom("agent_message_chunk", "tool_call_update", "session_message_chunk", "_odd", "state_update"),
    id: fc.nat(3),
  })
  .map(({ of, kind, id }) =>
    updated(of, {
      sessionUpdate: kind,
      toolCallId: `t${id}`,
      messageId: `m${id}`,
      status: "in_progress",
      state: "running",
      content: kind === "tool_call_update" ? [] : { type: "text", text: `${id} ` },
    }),
  );
const OPTIONS = [{ optionId: "y", name: "Yes", kind: "allow_once" }] as const;

function all(entries: readonly Entry[]): readonly Entry[] {
  return entries.flatMap(entry => (entry.kind === "subagent" ? [entry, ...all(entry.entries)] : [entry]));
}

suite("subagents in the session state machine", () => {
  const move = fc.oneof(
    announced,
    content,
    fc.record({ of: ids }).map(({ of }) => ({ ask: of })),
    fc.constantFrom<SessionEvent>(
      { kind: "turnEnded", outcome: { kind: "stopped", reason: "end_turn" } },
      { kind: "turnEnded", outcome: { kind: "stopped", reason: "cancelled" } },
      { kind: "agentDown", text: "gone", actions: [] },
    ),
  );

  test("keeps the page equal, ids unique and questions answered once, in any event order", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 50 }), moves => {
        let [state, effects] = startSession(EMPTY, "s-", undefined),
          page: Conversation = EMPTY,
          made = 0;
        const questions: string[] = [],
          answers: string[] = [];
        const take = (list: readonly Effect[]): void =>
          list.forEach(effect => {
            if (effect.kind === "emit") page = applyEvent(page, effect.event);
            if (effect.kind === "answerAgent") answers.push(effect.permissionId);
            if (effect.kind === "unexpected") throw new Error(effect.what);
          });
        const post = (event: SessionEvent): void => {
          [state, effects] = stepSession(state, event, 0);
          take(effects);
        };
        const begin = (): void => {
          if (state.phase.kind === "down") post({ kind: "reopened" });
          if (state.phase.kind === "opening") post({ kind: "opened", accepts: { images: false }, isContinued: false });
          if (state.phase.kind === "idle") post({ kind: "prompted", prompt: { messageId: `p${++made}`, text: "go" } });
        };
        take(effects);
        for (const next of moves) {
          begin();
          if ("ask" in next) {
            const permissionId = `q${++made}`;
            questions.push(permissionId);
            post({
              kind: "asked",
              permission: {
                permissionId,
                toolCall: { toolCallId: "t" },
                options: OPTIONS,
                policy: "ask",
                subagent: next.ask,
              },
            });
          } else post(next);
          deepEqual(page, state.conversation);
          const entries = all(page.entries),
            open = entries.flatMap(each => (each.kind === "permission" && !each.answered ? [each.id] : []));
          equal(new Set(entries.map(({ id }) => id)).size, entries.length, "an id was used twice");
          deepEqual([...answers, ...open].sort(), [...questions].sort());
          if (state.phase.kind === "down")
            ok(!entries.some(each => each.kind === "tool" && !isTerminal(each.status)), "a call runs without an agent");
          if (state.phase.kind === "down")
            ok(
              !entries.some(
                each => each.kind === "subagent" && (each.status === "running" || each.status === "waiting"),
              ),
            );
        }
        post({ kind: "closed" });
        deepEqual([...answers].sort(), [...questions].sort());
      }),
      { numRuns: 400 },
    ));
});
