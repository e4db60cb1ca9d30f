/**
 * The agent's questions in the session state machine: permissions and elicitations. Each is answered once, by the user,
 * the policy, or the end of its turn or session.
 */
import { chain } from "../agent-session/state-machine";
import {
  isTerminal,
  type ChatEvent,
  type Entry,
  type Permission,
  type PermissionAnswered,
  type PermissionOption,
  type SubagentName,
  type ToolContent,
} from "../../src/protocol/chat/chat";
import {
  wrongValue,
  type Elicitation,
  type ElicitationAnswered,
  type ElicitationChoice,
  type Field,
  type FieldValue,
} from "../../src/protocol/chat/elicitation";
import type { BypassUntil, PermissionChoice } from "../../src/protocol/sidecar";
import { assertNever } from "../../src/protocol/wire/wire";
import { lastTurn, toolFrom } from "../acp/adapt/tools";
import {
  emitEvent,
  addNotice,
  type PermissionAsk,
  type Effect,
  type ElicitationAsk,
  type State,
  type SessionStep,
} from "./session-model";
import { inTranscript, isAtWork, nameOf, placed, settleIdleSubagents, viewOf } from "./session-subagents";
import { isTurn, withTerminalStatus } from "./session-updates";
import { stopTime } from "./tool-times";

type Question = Permission | Elicitation;

/**
 * Without a turn, the question is answered `cancelled`, because no tool call waits for the answer. Its card shows the
 * reason.
 */
export function ask(before: State, permission: PermissionAsk): SessionStep {
  const isPlaced = permission.subagent !== undefined && before.phase.kind !== "down" && before.phase.kind !== "closed";
  return isPlaced
    ? chain(placed(before, permission.subagent ?? ""), state => askPlaced(state, permission))
    : askPlaced(before, permission);
}

function askPlaced(
  state: State,
  { permissionId, toolCall, title, description, options, policy, subagent }: PermissionAsk,
): SessionStep {
  const view = viewOf(state, subagent) ?? state.conversation;
  // Search in the current turn only. An id from an earlier turn names another call, and the card must not show that
  // call's parameters.
  const { entry: tool } = toolFrom(view, toolCall, `${permissionId}-tool`, lastTurn(view));
  const question: Permission = {
    kind: "permission",
    id: permissionId,
    agent: state.conversation.agent.name,
    toolEntryId: tool.id,
    title: title ?? tool.title,
    toolKind: tool.toolKind,
    content: [
      ...(description === undefined ? [] : [{ kind: "text", text: description } as const]),
      ...tool.content.filter(isPartOfQuestion),
    ],
    options,
    ...(tool.input === undefined ? {} : { input: tool.input }),
    ...(policy === "ours" ? { isOurs: true } : {}),
    ...by(state, subagent),
  };
  const once = options.find(option => option.kind === "allow_once");
  const refused = (s: State, why: string): SessionStep =>
    chain(emitEvent(s, { type: "upsert", entry: { ...question, answered: { kind: "cancelled", why } } }), t => [
      t,
      [{ kind: "answerAgent", permissionId, optionId: undefined }],
    ]);
  const announced: ChatEvent = { type: "upsert", entry: tool },
    isOver = !isTurn(state) && !isAtWork(state, subagent);
  const shown = emitEvent(
    state,
    inTranscript(state, subagent, isOver ? withTerminalStatus(view, announced) : announced),
  );
  // A background subagent can also ask between turns.
  const phase = state.phase.kind === "idle" && isAtWork(state, subagent) ? "prompting" : state.phase.kind;
  switch (phase) {
    case "prompting":
      return once && (policy === "allow" || (policy === "ask" && state.conversation.bypassed))
        ? chain(
            shown,
            s => emitEvent(s, { type: "upsert", entry: { ...question, answered: selected(once, "bypass") } }),
            s => [s, [{ kind: "answerAgent", permissionId, optionId: once.optionId }]],
          )
        : chain(shown, s => emitEvent(stopTime(s, tool.id), { type: "upsert", entry: question }));
    case "cancelling":
      return chain(shown, s => refused(s, "the turn was stopped"));
    case "idle":
    case "opening":
      return chain(shown, s => refused(s, "no turn was running"));
    case "down":
    case "readOnly":
    case "closed":
      return [state, [{ kind: "answerAgent", permissionId, optionId: undefined }]];
    default:
      return assertNever(phase, "session phase");
  }
}

/** The asking subagent, if any. */
function by(state: State, subagent: string | undefined): { readonly subagent?: SubagentName } {
  const name = nameOf(state, subagent);
  return name === undefined ? {} : { subagent: name };
}

function isPartOfQuestion(content: ToolContent): boolean {
  return content.kind === "diff" || content.kind === "text";
}

export function answerPermission(state: State, permissionId: string, { optionId }: PermissionChoice): SessionStep {
  const question = openQuestions(state.conversation.entries).find(({ id }) => id === permissionId);
  // answered, withdrawn or settled in the meantime: the card already shows it
  if (question?.kind !== "permission") return [state, []];
  const option = question.options.find(each => each.optionId === optionId);
  return option ? choose(state, question, option, "user") : [state, []];
}

/** Enables the bypass, even if the question was settled in the meantime. Has no effect on a closed session. */
export function bypass(state: State, until: BypassUntil): SessionStep {
  if (state.phase.kind === "closed") return [state, []];
  const granted: SessionStep =
    until === "revoked"
      ? [state, [{ kind: "setBypass" }]]
      : state.conversation.bypassed
        ? [state, []]
        : emitEvent(state, { type: "bypassed", isOn: true });
  return openQuestions(state.conversation.entries).reduce<SessionStep>(
    (before, question) => chain(before, s => allow(s, question)),
    granted,
  );
}

export function endBypass(state: State): SessionStep {
  return state.conversation.bypassed ? emitEvent(state, { type: "bypassed", isOn: false }) : [state, []];
}

/** Allows once, never permanently. Questions without such an option and questions of Symposium stay open. */
function allow(state: State, question: Question): SessionStep {
  if (question.kind !== "permission" || question.isOurs) return [state, []];
  const option = question.options.find(({ kind }) => kind === "allow_once");
  return option ? choose(state, question, option, "bypass") : [state, []];
}

function choose(state: State, question: Permission, option: PermissionOption, by: "user" | "bypass"): SessionStep {
  return chain(emitEvent(state, { type: "upsert", entry: { ...question, answered: selected(option, by) } }), s => [
    s,
    [{ kind: "answerAgent", permissionId: question.id, optionId: option.optionId }],
  ]);
}

function selected({ optionId, name, kind }: PermissionOption, by: "user" | "bypass"): PermissionAnswered {
  return { kind: "selected", optionId, name, optionKind: kind, by };
}

// --- elicitations

/** Elicitations are also allowed between turns and while the session opens, for example to sign in. */
export function elicit(state: State, { id, message, ask: request, subagent }: ElicitationAsk): SessionStep {
  const question: Elicitation = {
    kind: "elicitation",
    id,
    agent: state.conversation.agent.name,
    message,
    ask: request,
    ...by(state, subagent),
  };
  switch (state.phase.kind) {
    case "opening":
    case "idle":
    case "prompting":
      return emitEvent(state, { type: "upsert", entry: question });
    case "cancelling":
      return settle(emitEvent(state, { type: "upsert", entry: question }), question, "the turn was stopped");
    case "down":
    case "readOnly":
    case "closed":
      return [state, [refusal(question)]];
    default:
      return assertNever(state.phase, "session phase");
  }
}

export function answerElicitation(state: State, id: string, choice: ElicitationChoice): SessionStep {
  const question = openQuestions(state.conversation.entries).find(open => open.id === id);
  if (question?.kind !== "elicitation") return [state, []];
  const { ask: request } = question;
  if (choice.kind === "decline")
    return answered(state, question, { kind: "declined" }, [
      { kind: "answerElicitation", id, response: { action: "decline" } },
    ]);
  if (request.mode === "url")
    return answered(state, question, { kind: "accepted" }, [
      { kind: "answerElicitation", id, response: { action: "accept" } },
      { kind: "openPage", url: request.url },
    ]);
  const wrong = request.fields
    .map(field => wrongValue(field, own(choice.values, field)))
    .find(sentence => sentence !== undefined);
  if (wrong !== undefined) return addNotice(state, "warning", wrong, []);
  const content = Object.fromEntries(
    request.fields.flatMap(field => {
      const value = own(choice.values, field);
      return value === undefined || value === "" ? [] : [[field.name, value]];
    }),
  );
  return answered(state, question, { kind: "accepted" }, [
    { kind: "answerElicitation", id, response: { action: "accept", content } },
  ]);
}

/** Handles `elicitation/complete`: the user has visited the page, possibly without answering the question. */
export function completeElicitation(state: State, elicitationId: string): SessionStep {
  const question = state.conversation.entries.findLast(
    (entry): entry is Elicitation =>
      entry.kind === "elicitation" && entry.ask.mode === "url" && entry.ask.elicitationId === elicitationId,
  );
  if (!question || (question.answered && question.answered.kind !== "accepted")) return [state, []];
  return answered(
    state,
    question,
    { kind: "completed" },
    question.answered ? [] : [{ kind: "answerElicitation", id: question.id, response: { action: "accept" } }],
  );
}

function answered(
  state: State,
  question: Elicitation,
  outcome: ElicitationAnswered,
  effects: readonly Effect[],
): SessionStep {
  return chain(emitEvent(state, { type: "upsert", entry: { ...question, answered: outcome } }), s => [s, effects]);
}

function own(values: Readonly<Record<string, FieldValue>>, { name }: Field): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

// --- settling

function openQuestions(entries: readonly Entry[]): readonly Question[] {
  return entries
    .filter(entry => entry.kind === "permission" || entry.kind === "elicitation")
    .filter(entry => !entry.answered);
}

export function settleQuestions(
  state: State,
  why: string,
  which: (question: Question) => boolean = () => true,
): SessionStep {
  return openQuestions(state.conversation.entries)
    .filter(which)
    .reduce<SessionStep>((before, question) => settle(before, question, why), [state, []]);
}

function settle(before: SessionStep, question: Question, why: string): SessionStep {
  return chain(
    before,
    s => emitEvent(s, { type: "upsert", entry: { ...question, answered: { kind: "cancelled", why } } }),
    s => [s, [refusal(question)]],
  );
}

function refusal({ kind, id }: Question): Effect {
  return kind === "permission"
    ? { kind: "answerAgent", permissionId: id, optionId: undefined }
    : { kind: "answerElicitation", id, response: { action: "cancel" } };
}

/** Settles a turn at its end. The questions of background subagents stay open. */
export function settleTurn(state: State): SessionStep {
  return chain(
    settleQuestions(state, "the turn ended", ({ subagent }) => !isAtWork(state, subagent?.sessionId)),
    settleTools,
    s => settleIdleSubagents(s, "the turn ended"),
  );
}

export function settleTools(state: State): SessionStep {
  return chain(
    [state, []],
    ...state.conversation.entries
      .filter(entry => entry.kind === "tool")
      .filter(tool => !isTerminal(tool.status))
      .map(tool => (s: State) => emitEvent(s, { type: "upsert", entry: { ...tool, status: "cancelled" } })),
  );
}
