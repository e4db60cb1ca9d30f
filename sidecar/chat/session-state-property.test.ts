import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, isTerminal } from "../../src/protocol/chat/chat";
import type { Effect, SessionEvent } from "./session-model";
import { startSession, stepSession } from "./session-state";
import {
  EMPTY,
  textChunk,
  tool,
  installs,
  prompt,
  asked,
  stopped,
  FORM,
  PAGE,
  elicited,
  filled,
  WITH_MODEL,
  choose,
  DOWN,
  UNREAD,
  withdraw,
  REOPENED,
  SEND,
} from "../testing/sessions/session-events";

suite("session state machine: any order of events", () => {
  const move = fc.constantFrom(
    "open",
    "fail",
    "prompt",
    "repeat",
    "say",
    "tool",
    "ask",
    "bypassed",
    "answer",
    "bypass",
    "end bypass",
    "withdraw",
    "cancel",
    "end",
    "refuse",
    "die",
    "die unread",
    "restart",
    "overdue",
    "elicit",
    "fill",
    "choose",
    "reopen",
    "take back",
    "send",
    "give up",
    "silent",
    "slow",
    "install",
  );

  test("runs one turn at a time, settles all at its end, and sends each prompt once, in any event order", () =>
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), moves => {
        let [state, effects] = startSession(EMPTY, "s-", undefined);
        let page = EMPTY;
        let made = 0;
        const sent: string[] = [],
          accepted: string[] = [],
          refused: string[] = [],
          withdrawn: string[] = [],
          questions: string[] = [],
          answers: string[] = [];
        // Simulates the agent: its possible events follow from the effects so far.
        const now: { agent: "none" | "opening" | "open" | "turn" } = { agent: "none" };
        const take = (list: readonly Effect[]) =>
          list.forEach(effect => {
            switch (effect.kind) {
              case "emit":
                page = applyEvent(page, effect.event);
                ok(
                  accepted.every(
                    id =>
                      withdrawn.includes(id) ||
                      page.entries.some(entry => entry.id === id) ||
                      page.queue?.prompts.some(({ messageId }) => messageId === id),
                  ),
                  "a prompt was nowhere for a moment",
                );
                break;
              case "open":
                now.agent = "opening";
                break;
              case "leave":
              case "restartAgent":
                now.agent = "none";
                break;
              case "reopenLater":
                ok(effect.ms > 0);
                break;
              case "sendPrompt":
                equal(now.agent, "open", "a prompt to an agent that is not there");
                now.agent = "turn";
                sent.push(effect.prompt.messageId);
                break;
              case "acceptPrompt":
                accepted.push(effect.messageId);
                break;
              case "refusePrompt":
                refused.push(effect.messageId);
                break;
              case "answerAgent":
                answers.push(effect.permissionId);
                break;
              case "answerElicitation":
                answers.push(effect.id);
                break;
              case "unexpected":
                throw new Error(effect.what);
              default:
                break;
            }
          });
        const post = (event: SessionEvent) => {
          [state, effects] = stepSession(state, event, 0);
          take(effects);
        };
        take(effects);
        for (const m of moves) {
          const n = String(++made);
          switch (m) {
            case "open":
              if (now.agent === "opening") {
                now.agent = "open";
                WITH_MODEL.forEach(post);
              }
              break;
            case "fail":
              if (now.agent === "opening") {
                now.agent = "none";
                post({ kind: "openFailed", text: "no", actions: [] });
              }
              break;
            case "prompt":
              post(prompt(n));
              break;
            case "repeat":
              if (accepted.length > 0) post(prompt(accepted.at(-1)!));
              break;
            case "say":
              post(textChunk(n));
              break;
            case "tool":
              post(tool(made % 3 === 0 ? "again" : n, "in_progress"));
              break;
            case "ask":
            case "bypassed":
              questions.push(`p${n}`);
              post(asked(`p${n}`, m === "ask" ? "ask" : "allow"));
              break;
            case "answer":
              if (questions.length > 0)
                post({
                  kind: "answerPermission",
                  permissionId: questions.at(-1)!,
                  choice: { kind: "option", optionId: "yes" },
                });
              break;
            case "bypass":
              post({ kind: "bypassed", until: made % 3 === 0 ? "revoked" : "sessionEnds" });
              break;
            case "end bypass":
              post({ kind: "endBypass" });
              break;
            case "withdraw":
              if (questions.length > 0) post({ kind: "withdrawn", id: questions.at(-1)! });
              break;
            case "elicit":
              questions.push(`e${n}`);
              post(elicited(`e${n}`, made % 2 === 0 ? FORM : PAGE));
              break;
            case "fill":
              if (questions.length > 0) post(filled(questions.at(-1)!, { age: 3 }));
              break;
            case "choose":
              post(choose(made % 2 === 0 ? "s" : "l"));
              break;
            case "cancel":
              post({ kind: "cancel" });
              break;
            case "end":
            case "refuse":
              if (now.agent === "turn") {
                now.agent = "open";
                post(stopped(m === "end" ? "end_turn" : "refusal"));
              }
              break;
            case "die":
              if (now.agent === "open" || now.agent === "turn") {
                now.agent = "none";
                post(DOWN);
              }
              break;
            case "die unread":
              if (now.agent === "open" || now.agent === "turn") {
                now.agent = "none";
                post(UNREAD);
              }
              break;
            case "restart":
              post({ kind: "restarted" });
              break;
            case "reopen":
              post(REOPENED);
              break;
            case "overdue":
              post({ kind: "cancelOverdue" });
              break;
            case "give up":
              if (state.phase.kind === "cancelling") post({ kind: "cancelGivenUp" });
              break;
            case "silent":
              post({ kind: "silent", minutes: 3 });
              break;
            case "slow":
              post({ kind: "slow", seconds: 30 });
              break;
            case "install":
              post(installs({ phase: "installing" }));
              break;
            case "send":
              post(SEND);
              break;
            case "take back": {
              const last = page.queue?.prompts.at(-1)?.messageId;
              if (last !== undefined) withdrawn.push(last);
              post(withdraw(last ?? accepted[0] ?? "none"));
            }
          }
          const texts = page.entries.flatMap(entry => (entry.kind === "user" ? [entry.id] : [])),
            waits = (page.queue?.prompts ?? []).map(({ messageId }) => messageId);
          deepEqual(
            [...texts, ...waits, ...withdrawn].sort(),
            [...new Set(accepted)].sort(),
            "a prompt that was accepted is neither said nor waits, or both",
          );
          deepEqual(
            waits.map(Number),
            waits.map(Number).sort((a, b) => a - b),
            "prompts changed places",
          );
          ok(refused.every(id => !accepted.includes(id)));
          deepEqual(page, state.conversation, "the page would show something else");
          equal(
            page.turn.state === "idle",
            !(
              state.phase.kind === "prompting" ||
              state.phase.kind === "cancelling" ||
              ((state.phase.kind === "opening" || state.phase.kind === "down") && state.phase.waiting)
            ),
          );
          const waiting = page.entries.filter(
              entry => (entry.kind === "permission" || entry.kind === "elicitation") && !entry.answered,
            ),
            open = waiting.map(({ id }) => id);
          deepEqual([...answers, ...open].sort(), [...questions].sort(), "a question was answered twice, or forgotten");
          if (state.phase.kind !== "prompting")
            ok(
              waiting.every(({ kind }) => kind === "elicitation"),
              "a permission is open without a turn",
            );
          if (state.phase.kind === "down" || state.phase.kind === "cancelling")
            equal(open.length, 0, "a question without a waiting agent is open");
          if (state.phase.kind !== "prompting" && state.phase.kind !== "cancelling")
            ok(
              page.entries.every(entry => entry.kind !== "tool" || isTerminal(entry.status)),
              "a tool call runs without a turn",
            );
          ok(page.start === undefined || state.phase.kind === "opening", "a start is shown after its end");
          equal(new Set(page.entries.map(({ id }) => id)).size, page.entries.length, "an id was used twice");
          const unread = moves.includes("die unread");
          ok(
            sent.every(id => sent.filter(each => each === id).length <= (unread ? 2 : 1)),
            "a prompt was sent again",
          );
        }
        post({ kind: "closed" });
        deepEqual([...answers].sort(), [...questions].sort());
        ok(
          page.entries.every(entry => entry.kind !== "tool" || isTerminal(entry.status)),
          "a tool call runs for ever",
        );
      }),
      { numRuns: 2000 },
    ));
});
