/** Events of a session, and the effects of a sequence of events as a line, for tests of its state machine. */
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { emptyConversation, type Conversation } from "../../../src/protocol/chat/chat";
import type { Control } from "../../../src/protocol/chat/controls";
import type { FieldValue } from "../../../src/protocol/chat/elicitation";
import type { Effect, ElicitationAsk, SessionEvent, State } from "../../chat/session-model";
import { startSession, stepSession } from "../../chat/session-state";

export const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");
export const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;
export const textChunk = (text: string): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});
export const tool = (id: string, status: string): SessionEvent => ({
  kind: "updated",
  version: 1,
  update: { sessionUpdate: "tool_call", toolCallId: id, title: id, kind: "execute", status },
});
export const installs = (progress: InstallProgress): SessionEvent => ({
  kind: "installing",
  of: "agent",
  id: "a",
  name: "Ada",
  progress,
});
export const prompt = (messageId: string): SessionEvent => ({
  kind: "prompted",
  prompt: { messageId, text: `text of ${messageId}` },
});
export const asked = (permissionId: string, policy: "ask" | "allow" = "ask"): SessionEvent => ({
  kind: "asked",
  permission: {
    permissionId,
    toolCall: { toolCallId: `t-${permissionId}`, title: "rm -rf", kind: "execute" },
    options: OPTIONS,
    policy,
  },
});
export const stopped = (reason = "end_turn"): SessionEvent => ({
  kind: "turnEnded",
  outcome: { kind: "stopped", reason },
});
export const FORM = {
  mode: "form",
  fields: [
    { name: "age", title: "Age", required: true, type: "integer" },
    { name: "nick", title: "Nick", required: false, type: "text" },
  ],
} as const;
export const PAGE = { mode: "url", url: "https://example.org/x", elicitationId: "theirs" } as const;
export const elicited = (id: string, ask: ElicitationAsk["ask"] = FORM): SessionEvent => ({
  kind: "elicited",
  elicited: { id, message: "How old are you?", ask },
});
export const filled = (elicitationId: string, values: Readonly<Record<string, FieldValue>>): SessionEvent => ({
  kind: "answerElicitation",
  elicitationId,
  choice: { kind: "accept", values },
});
export const MODEL = {
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
} satisfies Control;
export const WITH_MODEL: readonly SessionEvent[] = [
  { kind: "opened", accepts: { images: true }, isContinued: false },
  { kind: "controlSet", controls: [MODEL] },
];
export const choose = (value: string): SessionEvent => ({ kind: "setControl", controlId: "m", value });
export const DOWN: SessionEvent = { kind: "agentDown", text: "Ada stopped.", actions: ["restartAgent"] };
/** The agent exited before the prompt was sent, and the exit was detected afterwards. */
export const UNREAD = {
  kind: "agentDown",
  text: "Ada stopped.",
  actions: ["restartAgent"],
  restarts: true,
  readUntil: -1,
} satisfies SessionEvent;
export const CANCEL: SessionEvent = { kind: "cancel" },
  SEND: SessionEvent = { kind: "sendQueued" };
export const CLEAR = (...messageIds: readonly string[]): SessionEvent => ({ kind: "clearQueue", messageIds });
export const withdraw = (messageId: string): SessionEvent => ({ kind: "withdraw", messageId });
export const REOPENED: SessionEvent = { kind: "reopened" };
export const OPENED: SessionEvent = { kind: "opened", accepts: { images: true }, isContinued: false };

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

export function applyEvents(...events: readonly SessionEvent[]): {
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

export const notices = ({ entries }: Conversation) =>
  entries.flatMap(entry => (entry.kind === "notice" ? [entry.text] : []));
