import { equal } from "node:assert/strict";
import type { SessionEvent } from "./session-model";
import {
  textChunk,
  prompt,
  asked,
  stopped,
  PAGE,
  elicited,
  filled,
  WITH_MODEL,
  choose,
  DOWN,
  UNREAD,
  CANCEL,
  CLEAR,
  withdraw,
  REOPENED,
  OPENED,
  applyEvents,
  SEND,
} from "../testing/sessions/session-events";

suite("session state machine", () => {
  const TABLE: readonly [name: string, events: readonly SessionEvent[], line: string][] = [
    [
      "accepts, sends and ends a prompt",
      [OPENED, prompt("1"), textChunk("hi"), stopped()],
      "open running accept 1 send 1 idle (idle)",
    ],
    [
      "sends a prompt typed during the start when the agent is ready",
      [prompt("1"), OPENED],
      "open starting accept 1 running send 1 (prompting)",
    ],
    [
      "sends prompts typed during a turn in order after its end",
      [OPENED, prompt("1"), prompt("2"), prompt("3"), prompt("2"), stopped(), stopped()],
      "open running accept 1 send 1 accept 2 accept 3 accept 2 running send 2 running send 3 (prompting)",
    ],
    [
      "does not send a withdrawn prompt",
      [OPENED, prompt("1"), prompt("2"), prompt("3"), withdraw("2"), withdraw("1"), stopped()],
      "open running accept 1 send 1 accept 2 accept 3 running send 3 (prompting)",
    ],
    [
      "sends no prompt of a cleared queue, also if it arrives again, and keeps others",
      [
        OPENED,
        prompt("1"),
        prompt("2"),
        prompt("3"),
        prompt("4"),
        CLEAR("2", "3", "1"),
        prompt("2"),
        CLEAR("2", "3"),
        stopped(),
        stopped(),
      ],
      "open running accept 1 send 1 accept 2 accept 3 accept 4 accept 2 running send 4 idle (idle)",
    ],
    [
      "holds queued prompts after a cancellation and sends later ones",
      [OPENED, prompt("1"), prompt("2"), CANCEL, stopped("cancelled"), prompt("3"), stopped(), SEND, stopped()],
      "open running accept 1 send 1 accept 2 cancelling sendCancel idle running accept 3 send 3 idle running send 2 idle (idle)",
    ],
    [
      "sends a prompt typed during a cancellation after its end",
      [OPENED, prompt("1"), CANCEL, prompt("2"), stopped("cancelled")],
      "open running accept 1 send 1 cancelling sendCancel accept 2 running send 2 (prompting)",
    ],
    [
      "sends nothing automatically after a failed or refused turn",
      [
        OPENED,
        prompt("1"),
        prompt("2"),
        stopped("refusal"),
        SEND,
        prompt("3"),
        { kind: "turnEnded", outcome: { kind: "failed", text: "no", actions: [] } },
      ],
      "open running accept 1 send 1 accept 2 idle running send 2 accept 3 idle (idle)",
    ],
    [
      "holds queued prompts after an agent exit until the user sends one",
      [OPENED, prompt("1"), prompt("2"), DOWN, SEND, OPENED],
      "open running accept 1 send 1 accept 2 idle leave reopenLater starting open running send 2 (prompting)",
    ],
    [
      "queues prompts typed during the start behind the first",
      [prompt("1"), prompt("2"), SEND, OPENED, stopped()],
      "open starting accept 1 accept 2 running send 1 running send 2 (prompting)",
    ],
    [
      "holds queued prompts at a restart",
      [OPENED, prompt("1"), prompt("2"), { kind: "restarted" }, OPENED, SEND],
      "open running accept 1 send 1 accept 2 idle restartAgent open running send 2 (prompting)",
    ],
    [
      "restarts an agent that does not cancel within a minute and offers its prompt again",
      [OPENED, prompt("1"), CANCEL, { kind: "cancelOverdue" }, { kind: "cancelGivenUp" }, OPENED],
      "open running accept 1 send 1 cancelling sendCancel idle leave open (idle)",
    ],
    [
      "accepts a repeated prompt without sending it again",
      [OPENED, prompt("1"), prompt("1"), stopped(), prompt("1")],
      "open running accept 1 send 1 accept 1 idle accept 1 (idle)",
    ],
    [
      "cancels the turn and waits for its end",
      [OPENED, prompt("1"), { kind: "cancel" }, textChunk("late"), stopped("cancelled")],
      "open running accept 1 send 1 cancelling sendCancel idle (idle)",
    ],
    [
      "sends one cancellation for two stops",
      [OPENED, prompt("1"), { kind: "cancel" }, { kind: "cancel" }],
      "open running accept 1 send 1 cancelling sendCancel (cancelling)",
    ],
    [
      "withdraws the prompt when stopped before the agent is ready",
      [prompt("1"), { kind: "cancel" }, OPENED],
      "open starting accept 1 idle (idle)",
    ],
    [
      "answers open questions before the cancellation",
      [OPENED, prompt("1"), asked("p"), { kind: "cancel" }],
      "open running accept 1 send 1 cancelling p=cancelled sendCancel (cancelling)",
    ],
    [
      "sends an answer to the agent once",
      [
        OPENED,
        prompt("1"),
        asked("p"),
        { kind: "answerPermission", permissionId: "p", choice: { kind: "option", optionId: "no" } },
        { kind: "answerPermission", permissionId: "p", choice: { kind: "option", optionId: "yes" } },
      ],
      "open running accept 1 send 1 p=no (prompting)",
    ],
    [
      "ignores an option that the agent did not offer",
      [
        OPENED,
        prompt("1"),
        asked("p"),
        { kind: "answerPermission", permissionId: "p", choice: { kind: "option", optionId: "other" } },
      ],
      "open running accept 1 send 1 (prompting)",
    ],
    [
      "persists a permanent bypass and allows open requests once",
      [OPENED, prompt("1"), asked("p"), asked("q"), { kind: "bypassed", until: "revoked" }],
      "open running accept 1 send 1 setBypass p=yes q=yes (prompting)",
    ],
    [
      "keeps a session bypass in memory and allows open and later requests once",
      [
        OPENED,
        prompt("1"),
        asked("p"),
        { kind: "bypassed", until: "sessionEnds" },
        asked("q"),
        stopped(),
        prompt("2"),
        asked("r"),
      ],
      "open running accept 1 send 1 p=yes q=yes idle running accept 2 send 2 r=yes (prompting)",
    ],
    [
      "asks again after the bypass ends",
      [
        OPENED,
        { kind: "bypassed", until: "sessionEnds" },
        { kind: "endBypass" },
        { kind: "endBypass" },
        prompt("1"),
        asked("p"),
      ],
      "open running accept 1 send 1 (prompting)",
    ],
    [
      "allows nothing by bypass if only rejection is offered",
      [
        OPENED,
        prompt("1"),
        {
          kind: "asked",
          permission: {
            permissionId: "p",
            toolCall: {},
            options: [{ optionId: "no", name: "No", kind: "reject_once" }],
            policy: "ask",
          },
        },
        { kind: "bypassed", until: "sessionEnds" },
      ],
      "open running accept 1 send 1 (prompting)",
    ],
    [
      "ignores the bypass of a closed session",
      [OPENED, { kind: "closed" }, { kind: "bypassed", until: "revoked" }, { kind: "bypassed", until: "sessionEnds" }],
      "open leave (closed)",
    ],
    [
      "answers a bypassed agent with allow_once, never allow_always",
      [OPENED, prompt("1"), asked("p", "allow")],
      "open running accept 1 send 1 p=yes (prompting)",
    ],
    [
      "cancels a request after the turn",
      [OPENED, prompt("1"), stopped(), asked("p", "allow")],
      "open running accept 1 send 1 idle p=cancelled (idle)",
    ],
    [
      "cancels a request during a cancellation",
      [OPENED, prompt("1"), { kind: "cancel" }, asked("p", "allow")],
      "open running accept 1 send 1 cancelling sendCancel p=cancelled (cancelling)",
    ],
    [
      "ends the turn when the agent exits and restarts it with the next prompt",
      [OPENED, prompt("1"), asked("p"), DOWN, prompt("2"), OPENED],
      "open running accept 1 send 1 p=cancelled idle leave reopenLater starting accept 2 open running send 2 (prompting)",
    ],
    [
      "keeps the prompt in the conversation if the agent cannot start",
      [prompt("1"), { kind: "openFailed", text: "not found", actions: [] }],
      "open starting accept 1 idle leave (down)",
    ],
    [
      "ends the turn and reopens on a restart",
      [OPENED, prompt("1"), { kind: "restarted" }, OPENED],
      "open running accept 1 send 1 idle restartAgent open (idle)",
    ],
    [
      "treats an error after a cancellation as cancelled",
      [
        OPENED,
        prompt("1"),
        textChunk("x"),
        { kind: "cancel" },
        { kind: "turnEnded", outcome: { kind: "failed", text: "aborted", actions: [] } },
      ],
      "open running accept 1 send 1 cancelling sendCancel idle (idle)",
    ],
    [
      "settles, cancels and leaves when closed during a turn",
      [OPENED, prompt("1"), asked("p"), { kind: "closed" }, prompt("2")],
      "open running accept 1 send 1 p=cancelled sendCancel leave refuse 2 (closed)",
    ],
    [
      "sends a form once without empty values",
      [OPENED, prompt("1"), elicited("e"), filled("e", { age: 7, nick: "", other: 1 }), filled("e", { age: 8 })],
      `open running accept 1 send 1 e={"action":"accept","content":{"age":7}} (prompting)`,
    ],
    [
      "keeps a form with an invalid value open",
      [OPENED, prompt("1"), elicited("e"), filled("e", { age: 1.5 }), filled("e", {}), filled("e", { age: 2 })],
      `open running accept 1 send 1 e={"action":"accept","content":{"age":2}} (prompting)`,
    ],
    [
      "returns a declined form to the agent",
      [
        OPENED,
        prompt("1"),
        elicited("e"),
        { kind: "answerElicitation", elicitationId: "e", choice: { kind: "decline" } },
      ],
      `open running accept 1 send 1 e={"action":"decline"} (prompting)`,
    ],
    [
      "opens a page only after consent",
      [OPENED, prompt("1"), elicited("e", PAGE), filled("e", {})],
      `open running accept 1 send 1 e={"action":"accept"} page https://example.org/x (prompting)`,
    ],
    [
      "closes a page request that the agent completed",
      [
        OPENED,
        prompt("1"),
        elicited("e", PAGE),
        { kind: "elicitationCompleted", elicitationId: "theirs" },
        filled("e", {}),
      ],
      `open running accept 1 send 1 e={"action":"accept"} (prompting)`,
    ],
    [
      "keeps a request outside a turn open",
      [OPENED, elicited("e"), { kind: "closed" }],
      `open e={"action":"cancel"} leave (closed)`,
    ],
    [
      "cancels an elicitation with its withdrawal, its turn or its agent",
      [
        OPENED,
        elicited("a"),
        { kind: "withdrawn", id: "a" },
        prompt("1"),
        elicited("b"),
        { kind: "cancel" },
        elicited("c"),
        stopped(),
        elicited("d"),
        DOWN,
        elicited("x"),
      ],
      `open a={"action":"cancel"} running accept 1 send 1 cancelling b={"action":"cancel"} sendCancel c={"action":"cancel"} idle d={"action":"cancel"} leave reopenLater x={"action":"cancel"} (down)`,
    ],
    [
      "sets an option once for each new offered value",
      [...WITH_MODEL, choose("l"), choose("l"), choose("none"), choose("s")],
      "open m:=l m:=s (idle)",
    ],
    [
      "restarts an exited agent with increasing pauses and then stops",
      [
        OPENED,
        DOWN,
        REOPENED,
        DOWN,
        REOPENED,
        OPENED,
        DOWN,
        REOPENED,
        { kind: "openFailed", text: "no", actions: [] },
        REOPENED,
      ],
      "open leave reopenLater open leave reopenLater open leave reopenLater open leave open (opening)",
    ],
    [
      "resets the restart pause after an answer",
      [OPENED, DOWN, REOPENED, OPENED, prompt("1"), textChunk("x"), stopped(), DOWN],
      "open leave reopenLater open running accept 1 send 1 idle leave reopenLater (down)",
    ],
    [
      "sends a prompt that the agent did not read again after the restart, before queued ones",
      [OPENED, prompt("1"), prompt("2"), UNREAD, prompt("3"), REOPENED, OPENED, stopped(), stopped()],
      "open running accept 1 send 1 accept 2 starting leave reopenLater accept 3 open running send 1 " +
        "running send 2 running send 3 (prompting)",
    ],
    [
      "sends a prompt at most twice",
      [OPENED, prompt("1"), UNREAD, REOPENED, OPENED, UNREAD],
      "open running accept 1 send 1 starting leave reopenLater open running send 1 idle leave reopenLater (down)",
    ],
    [
      "does not resend a prompt that the agent may have read",
      [OPENED, prompt("1"), { ...UNREAD, readUntil: 0 }],
      "open running accept 1 send 1 idle leave reopenLater (down)",
    ],
    [
      "does not resend a prompt with output",
      [OPENED, prompt("1"), textChunk("x"), UNREAD],
      "open running accept 1 send 1 idle leave reopenLater (down)",
    ],
    [
      "stops a prompt that waits for the restart",
      [OPENED, prompt("1"), UNREAD, CANCEL, REOPENED, OPENED],
      "open running accept 1 send 1 starting leave reopenLater idle open (idle)",
    ],
    [
      "sends a prompt that waits for the restart after a manual restart",
      [OPENED, prompt("1"), UNREAD, { kind: "restarted" }, OPENED],
      "open running accept 1 send 1 starting leave reopenLater restartAgent open running send 1 (prompting)",
    ],
    [
      "does not restart an agent that never started",
      [{ kind: "openFailed", text: "no", actions: [] }],
      "open leave (down)",
    ],
    ["reports impossible events", [OPENED, stopped()], "open UNEXPECTED turnEnded while idle (idle)"],
  ];
  for (const [name, events, expected] of TABLE) test(name, () => equal(applyEvents(...events).line, expected));
});
