import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { InstallProgress } from "../../src/protocol/agents/agent-service";
import { applyEvent, emptyConversation, isTerminal, type Conversation } from "../../src/protocol/chat/chat";
import type { Control } from "../../src/protocol/chat/controls";
import type { FieldValue } from "../../src/protocol/chat/elicitation";
import type { Effect, ElicitationAsk, SessionEvent, State } from "./session-model";
import { startSession, stepSession } from "./session-state";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");
const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;
const textChunk = (text: string): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
const tool = (id: string, status: string): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "tool_call", toolCallId: id, title: id, kind: "execute", status },
});
const installs = (progress: InstallProgress): SessionEvent => ({
  kind: "installing",
  of: "agent",
  id: "a",
  name: "Ada",
  progress,
});
const prompt = (messageId: string): SessionEvent => ({
  kind: "prompted",
  prompt: { messageId, text: `text of ${messageId}` },
});
const asked = (permissionId: string, policy: "ask" | "allow" = "ask"): SessionEvent => ({
  kind: "asked",
  permission: {
    permissionId,
    toolCall: { toolCallId: `t-${permissionId}`, title: "rm -rf", kind: "execute" },
    options: OPTIONS,
    policy,
  },
});
const stopped = (reason = "end_turn"): SessionEvent => ({ kind: "turnEnded", outcome: { kind: "stopped", reason } });
const FORM = {
  mode: "form",
  fields: [
    { name: "age", title: "Age", required: true, type: "integer" },
    { name: "nick", title: "Nick", required: false, type: "text" },
  ],
} as const;
const PAGE = { mode: "url", url: "https://example.org/x", elicitationId: "theirs" } as const;
const elicited = (id: string, ask: ElicitationAsk["ask"] = FORM): SessionEvent => ({
  kind: "elicited",
  elicited: { id, message: "How old are you?", ask },
});
const filled = (elicitationId: string, values: Readonly<Record<string, FieldValue>>): SessionEvent => ({
  kind: "answerElicitation",
  elicitationId,
  choice: { kind: "accept", values },
});
const MODEL: Control = {
  kind: "select",
  id: "m",
  name: "Model",
  category: "model",
  value: "s",
  groups: [
    {
      choices: [
        { value: "s", name: "Small" },
        { value: "l", name: "Large" },
      ],
    },
  ],
};
const WITH_MODEL: readonly SessionEvent[] = [
  { kind: "opened", accepts: { images: true }, isContinued: false },
  { kind: "controlSet", controls: [MODEL] },
];
const choose = (value: string): SessionEvent => ({ kind: "setControl", controlId: "m", value });
const DOWN: SessionEvent = { kind: "agentDown", text: "Ada stopped.", actions: ["restartAgent"] };
/** The agent exited before the prompt was sent, and the exit was detected afterwards. */
const UNREAD: SessionEvent = {
  kind: "agentDown",
  text: "Ada stopped.",
  actions: ["restartAgent"],
  restarts: true,
  readUntil: -1,
};
const CANCEL: SessionEvent = { kind: "cancel" },
  SEND: SessionEvent = { kind: "sendQueued" };
const CLEAR = (...messageIds: readonly string[]): SessionEvent => ({ kind: "clearQueue", messageIds });
const withdraw = (messageId: string): SessionEvent => ({ kind: "withdraw", messageId });
const REOPENED: SessionEvent = { kind: "reopened" };
const OPENED: SessionEvent = { kind: "opened", accepts: { images: true }, isContinued: false };

/** Formats a transition as a line: effects except events, then the phase. */
function lineOf(effects: readonly Effect[], state: State): string {
  const lines = effects.flatMap(effect => {
    switch (effect.kind) {
      case "emit":
        return effect.event.type === "turn" ? [effect.event.turn.state] : [];
      case "sendPrompt":
        return [`send ${effect.prompt.messageId}`];
      case "acceptPrompt":
        return [`accept ${effect.messageId}`];
      case "refusePrompt":
        return [`refuse ${effect.messageId}`];
      case "answerAgent":
        return [`${effect.permissionId}=${effect.optionId ?? "cancelled"}`];
      case "answerElicitation":
        return [`${effect.id}=${JSON.stringify(effect.response)}`];
      case "openPage":
        return [`page ${effect.url}`];
      case "setControl":
        return [`${effect.control.id}:=${String(effect.value)}`];
      case "unexpected":
        return [`UNEXPECTED ${effect.what}`];
      default:
        return [effect.kind];
    }
  });
  return [...lines, `(${state.phase.kind})`].join(" ");
}

function applyEvents(...events: readonly SessionEvent[]): {
  readonly state: State;
  readonly line: string;
  readonly effects: readonly Effect[];
} {
  let [state, effects] = startSession(EMPTY, "s-", undefined);
  const all = [...effects];
  for (const event of events) {
    [state, effects] = stepSession(state, event, 0);
    all.push(...effects);
  }
  return { state, line: lineOf(all, state), effects: all };
}

const notices = ({ entries }: Conversation) => entries.flatMap(entry => (entry.kind === "notice" ? [entry.text] : []));

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

  test("shows after an agent exit when the agent restarts: after a pause, with a waiting prompt or the next", () => {
    const died: SessionEvent = { kind: "agentDown", text: "Ada stopped.", actions: [], restarts: true };
    const last = (...events: readonly SessionEvent[]): string | undefined =>
      notices(applyEvents(...events).state.conversation).at(-1);
    equal(last(OPENED, died), "Ada stopped. Ada restarts in 1 second.");
    equal(last(OPENED, died, REOPENED, died), "Ada stopped. Ada restarts in 5 seconds.");
    const repeatedExits = [OPENED, died, REOPENED, died, REOPENED, died, REOPENED, died];
    equal(last(...repeatedExits), "Ada stopped. Ada restarts with your next prompt.");
    equal(last(OPENED, prompt("1"), UNREAD), "Ada stopped. Ada restarts in 1 second and gets your prompt then.");
    equal(last({ kind: "openFailed", text: "Not found. Check it.", actions: [] }), "Not found. Check it.");
    const failed: SessionEvent = { kind: "openFailed", text: "Ada stopped.", actions: [], restarts: true };
    equal(last(failed), "Ada stopped. Ada restarts with your next prompt.");
  });

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

  test("shows the same text for a cancelled turn however the agent ends it", () =>
    deepEqual(
      notices(
        applyEvents(
          OPENED,
          prompt("1"),
          textChunk("x"),
          { kind: "cancel" },
          { kind: "turnEnded", outcome: { kind: "failed", text: "aborted", actions: [] } },
        ).state.conversation,
      ),
      ["Stopped."],
    ));

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

  test("offers to send the prompt again after the agent exits", () => {
    const actions = (...events: readonly SessionEvent[]) =>
      applyEvents(...events, DOWN).state.conversation.entries.flatMap(entry =>
        entry.kind === "notice" ? entry.actions : [],
      );
    deepEqual(actions(OPENED, prompt("1")), ["sendAgain", "restartAgent"]);
    deepEqual(actions(prompt("1")), ["sendAgain", "restartAgent"]);
    deepEqual(actions(OPENED), ["restartAgent"]);
  });

  test("shows a sentence for each irregular stop reason", () => {
    deepEqual(notices(applyEvents(OPENED, prompt("1"), stopped()).state.conversation), [
      "Ada ended its turn without an answer.",
    ]);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), stopped()).state.conversation), []);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), stopped("_vendor")).state.conversation), [
      "The agent stopped for the reason “_vendor”.",
    ]);
    deepEqual(notices(applyEvents(OPENED, prompt("1"), textChunk("x"), DOWN).state.conversation), [
      "Ada stopped. Ada restarts in 1 second.",
    ]);
    deepEqual(
      notices(
        applyEvents(OPENED, prompt("1"), textChunk("x"), { kind: "cancel" }, { kind: "cancelOverdue" }).state
          .conversation,
      ),
      ["Ada has not stopped yet. Wait, or restart it."],
    );
  });

  test("queues at most 20 prompts and rejects the next with a sentence", () => {
    const many = Array.from({ length: 22 }, (_, n) => prompt(String(n)));
    ok(applyEvents(OPENED, ...many).line.endsWith("accept 20 refuse 21 (prompting)"));
  });

  test("shows notices for a slow start, a silent turn and an unsupported image", () => {
    deepEqual(notices(applyEvents({ kind: "slow", seconds: 10 }, { kind: "slow", seconds: 30 }).state.conversation), [
      "Ada has not started within 30 seconds. The first start can take long. See the log for its progress.",
    ]);
    deepEqual(
      notices(
        applyEvents(OPENED, prompt("1"), { kind: "silent", minutes: 3 }, { kind: "leftOut", names: ["a.png", "b.png"] })
          .state.conversation,
      ),
      [
        "Ada has sent nothing for 3 minutes. It may still be working. If it hangs, stop or restart it.",
        "Ada does not accept images. Not sent: a.png, b.png.",
      ],
    );
    deepEqual(applyEvents(OPENED).state.conversation.accepts, { images: true });
  });

  test("ends the notices about waiting with the start, the next update, the turn or the agent", () => {
    const over = (...events: readonly SessionEvent[]) =>
      applyEvents(...events).state.conversation.entries.flatMap(entry =>
        entry.kind === "notice" && entry.until !== undefined ? [[entry.until, entry.isOver === true]] : [],
      );
    const slow = { kind: "slow", seconds: 30 } as const,
      silent = { kind: "silent", minutes: 3 } as const,
      overdue = { kind: "cancelOverdue" } as const;
    deepEqual(over(slow), [["start", false]]);
    deepEqual(over(prompt("1"), slow, OPENED), [["start", true]]);
    deepEqual(over(OPENED, prompt("1"), silent), [["update", false]]);
    deepEqual(over(OPENED, prompt("1"), silent, textChunk("a"), silent), [
      ["update", true],
      ["update", false],
    ]);
    deepEqual(over(OPENED, prompt("1"), silent, DOWN), [["update", true]]);
    deepEqual(over(OPENED, prompt("1"), { kind: "cancel" }, overdue, textChunk("a")), [["turn", false]]);
    deepEqual(
      over(OPENED, prompt("1"), { kind: "cancel" }, overdue, {
        kind: "turnEnded",
        outcome: { kind: "stopped", reason: "cancelled" },
      }),
      [["turn", true]],
    );
  });

  test("marks the output of an exited process and reports the lost memory", () => {
    const { state } = applyEvents(
      OPENED,
      prompt("1"),
      textChunk("half"),
      tool("t", "in_progress"),
      DOWN,
      prompt("2"),
      OPENED,
    );
    deepEqual(
      state.conversation.entries.map(entry =>
        entry.kind === "agent"
          ? [entry.text, entry.interrupted]
          : entry.kind === "tool"
            ? [entry.status]
            : [entry.kind],
      ),
      [["user"], ["half", true], ["cancelled"], ["notice"], ["user"], ["notice"]],
    );
  });

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
