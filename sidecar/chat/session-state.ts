/**
 * One conversation with one agent, as a pure machine: `step(state, event)` → the next state and what is to be done.
 *
 *               opened                    prompted
 *   opening ───────────────▶ idle ◀─────────────────▶ prompting
 *      ▲ │                     │       turnEnded          │ cancelled
 *      │ └─ openFailed ─▶ down ◀── agentDown ──┐          ▼
 *      └── prompted, restarted ──┘             └────── cancelling ── turnEnded ─▶ idle
 *
 * Invariants. A prompt is in the conversation before it is accepted, and is sent once. A turn is ended by the agent, or by
 * its death; whatever ends it settles everything that it opened: permissions are answered, tool calls terminal. Nothing is
 * sent to an agent session that is not there. Every pair of state and event has an answer here; one that cannot happen
 * says so with `unexpected`: thrown in tests, logged in the field.
 */
import { applyEvent, interrupted, isTerminal, type ActionId, type ChatEvent, type Conversation, type Entry, type Notice, type Permission, type PermissionAnswered, type PermissionOption, type ToolContent } from "../../src/protocol/chat";
import type { PermissionChoice } from "../../src/protocol/sidecar";
import { assertNever } from "../../src/protocol/wire";
import { adaptUpdate, lastTurn, toolFrom } from "./acp-v1";

export interface Prompt { readonly messageId: string; readonly text: string }

/** Where the session is. `waiting` is a prompt that goes out as soon as the agent's session is open. */
export type Phase =
  | { readonly kind: "opening"; readonly waiting: Prompt | undefined }
  | { readonly kind: "idle" }
  | { readonly kind: "prompting"; readonly messageId: string; readonly entriesBefore: number }
  | { readonly kind: "cancelling"; readonly messageId: string }
  | { readonly kind: "down" }
  | { readonly kind: "closed" };

export interface State {
  readonly phase: Phase;
  readonly conversation: Conversation;
  /** Unique among all sessions of all boots: entry ids are `${prefix}${n}`. */
  readonly prefix: string;
  readonly made: number;
}

/** A request of the agent for permission; `permissionId` is ours. `toolCall` is ACP's `ToolCallUpdate`, unchecked. */
export interface Asked {
  readonly permissionId: string;
  readonly toolCall: unknown;
  readonly options: readonly PermissionOption[];
  /** What the permission policy says now. */
  readonly policy: "ask" | "allow";
}

/** A sentence for the user, and the buttons that help. */
export interface Trouble { readonly text: string; readonly actions: readonly ActionId[] }

export type TurnOutcome = { readonly kind: "stopped"; readonly reason: string } | ({ readonly kind: "failed" } & Trouble);

export type SessionEvent =
  | { readonly kind: "opened" }
  | ({ readonly kind: "openFailed" } & Trouble)
  | { readonly kind: "slow"; readonly text: string }
  | { readonly kind: "prompted"; readonly prompt: Prompt }
  /** The `update` of a `session/update`, as it came. */
  | { readonly kind: "updated"; readonly update: unknown }
  | { readonly kind: "asked"; readonly asked: Asked }
  | { readonly kind: "withdrawn"; readonly permissionId: string }
  | { readonly kind: "answered"; readonly permissionId: string; readonly choice: PermissionChoice }
  | { readonly kind: "cancelled" }
  | { readonly kind: "cancelOverdue" }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome }
  | ({ readonly kind: "agentDown" } & Trouble)
  | { readonly kind: "restarted" }
  | { readonly kind: "closed" };

export type Effect =
  | { readonly kind: "emit"; readonly event: ChatEvent }
  /** Start (or join) the agent and open a session of it. */
  | { readonly kind: "open" }
  | { readonly kind: "sendPrompt"; readonly prompt: Prompt }
  | { readonly kind: "acceptPrompt"; readonly messageId: string }
  | { readonly kind: "refusePrompt"; readonly messageId: string; readonly why: string }
  /** `session/cancel`, and a watch that posts `cancelOverdue`. */
  | { readonly kind: "sendCancel" }
  | { readonly kind: "answerAgent"; readonly permissionId: string; readonly optionId: string | undefined }
  | { readonly kind: "setBypass" }
  | { readonly kind: "restartAgent" }
  /** Let go of the agent's session: `session/close`, and the process when this was its last. */
  | { readonly kind: "leave" }
  | { readonly kind: "unexpected"; readonly what: string };

type Step = readonly [State, readonly Effect[]];

export function start(conversation: Conversation, prefix: string, why: string | undefined): Step {
  const state: State = { phase: { kind: "opening", waiting: undefined }, conversation, prefix, made: 0 };
  return chain([state, []], s => why === undefined ? [s, []] : say(s, "warning", `${why} ${s.conversation.agent.name} does not remember what was said above.`, []), s => [s, [{ kind: "open" }]]);
}

export function step(state: State, event: SessionEvent): Step {
  const { phase } = state;
  switch (event.kind) {
    case "updated": return phase.kind === "closed" ? [state, []] : update(state, event.update);
    case "asked": return ask(state, event.asked);
    case "answered": return answer(state, event.permissionId, event.choice);
    case "withdrawn": return settlePermissions(state, "the agent withdrew the question", entry => entry.id === event.permissionId);
    case "closed": return close(state);
    default: break;
  }
  switch (phase.kind) {
    case "opening": switch (event.kind) {
      case "opened": return opened(state, phase.waiting);
      case "openFailed": return fell(state, event);
      case "agentDown": return fell(state, event);
      case "slow": return say(state, "info", event.text, ["showLogs"]);
      case "prompted": return phase.waiting ? refuse(state, event.prompt) : accept(state, event.prompt, { kind: "opening", waiting: event.prompt }, "starting", []);
      case "cancelled": return phase.waiting ? chain(enter(state, { kind: "opening", waiting: undefined }), idle, s => say(s, "info", "Stopped before the agent had started; the prompt was not sent.", [])) : [state, []];
      case "restarted": return [state, [{ kind: "restartAgent" }, { kind: "open" }]];
      case "cancelOverdue": return [state, []];
      case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "idle": switch (event.kind) {
      case "prompted": return accept(state, event.prompt, { kind: "prompting", messageId: event.prompt.messageId, entriesBefore: state.conversation.entries.length + 1 }, "running", [{ kind: "sendPrompt", prompt: event.prompt }]);
      case "agentDown": return fell(state, event);
      case "restarted": return restart(state);
      case "cancelled": case "cancelOverdue": case "slow": return [state, []];
      case "opened": case "openFailed": case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "prompting": switch (event.kind) {
      case "turnEnded": return end(state, event.outcome, phase.entriesBefore);
      case "cancelled": return chain(enter(state, { kind: "cancelling", messageId: phase.messageId }),
        s => emit(s, { type: "turn", turn: { state: "cancelling", messageId: phase.messageId } }),
        s => settlePermissions(s, "the turn was stopped", () => true), s => [s, [{ kind: "sendCancel" }]]);
      case "prompted": return refuse(state, event.prompt);
      case "agentDown": return fell(state, event);
      case "restarted": return restart(state);
      case "cancelOverdue": case "slow": return [state, []];
      case "opened": case "openFailed": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "cancelling": switch (event.kind) {
      // However the agent answers a prompt that was cancelled: it has stopped, as it was asked to.
      case "turnEnded": return end(state, event.outcome.kind === "failed" ? { kind: "stopped", reason: "cancelled" } : event.outcome, 0);
      case "cancelOverdue": return say(state, "warning", `${state.conversation.agent.name} has not stopped yet. Wait, or restart it.`, ["restartAgent"]);
      case "prompted": return refuse(state, event.prompt);
      case "agentDown": return fell(state, event);
      case "restarted": return restart(state);
      case "cancelled": case "slow": return [state, []];
      case "opened": case "openFailed": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "down": switch (event.kind) {
      case "prompted": return accept(state, event.prompt, { kind: "opening", waiting: event.prompt }, "starting", [{ kind: "open" }]);
      case "restarted": return chain(enter(state, { kind: "opening", waiting: undefined }), s => [s, [{ kind: "restartAgent" }, { kind: "open" }]]);
      case "agentDown": case "cancelled": case "cancelOverdue": case "slow": return [state, []];
      case "opened": case "openFailed": case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "closed": return event.kind === "prompted" ? [state, [{ kind: "refusePrompt", messageId: event.prompt.messageId, why: "This tab is closed." }]] : [state, []];
    default: return assertNever(phase, "session phase");
  }
}

// --- prompts and turns

function accept(state: State, prompt: Prompt, phase: Phase, turn: "starting" | "running", then: readonly Effect[]): Step {
  if (isKnown(state, prompt.messageId)) return [state, [{ kind: "acceptPrompt", messageId: prompt.messageId }]];
  return chain(enter(state, phase),
    s => emit(s, { type: "upsert", entry: { kind: "user", id: prompt.messageId, text: prompt.text } }),
    s => emit(s, { type: "turn", turn: { state: turn, messageId: prompt.messageId } }),
    s => [s, [{ kind: "acceptPrompt", messageId: prompt.messageId }, ...then]]);
}

/** A repeat of what is in the conversation is accepted without a second effect: its first acknowledgement was lost. */
function refuse(state: State, { messageId }: Prompt): Step {
  return isKnown(state, messageId) ? [state, [{ kind: "acceptPrompt", messageId }]]
    : [state, [{ kind: "refusePrompt", messageId, why: "The agent is still answering. Wait for it or stop it, then send again." }]];
}

function isKnown(state: State, messageId: string): boolean {
  return state.conversation.entries.some(entry => entry.id === messageId);
}

/** A session that the agent opened anew has no memory of what it said in the one before (`start` said it of what was restored). */
function opened(state: State, waiting: Prompt | undefined): Step {
  const spoke = state.conversation.entries.some(entry => entry.kind === "agent" && entry.id.startsWith(state.prefix));
  return chain([state, []],
    s => spoke ? say(s, "info", `${s.conversation.agent.name} begins anew and does not remember what was said above.`, []) : [s, []],
    s => waiting === undefined ? enter(s, { kind: "idle" })
      : chain(enter(s, { kind: "prompting", messageId: waiting.messageId, entriesBefore: s.conversation.entries.length }),
        t => emit(t, { type: "turn", turn: { state: "running", messageId: waiting.messageId } }),
        t => [t, [{ kind: "sendPrompt", prompt: waiting }]]));
}

/** ACP's stop reasons (schema v1, `StopReason`), said plainly; `end_turn` needs no words unless it is all there was. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  max_tokens: "The answer ends here because it reached the model's token limit.",
  max_turn_requests: "The agent stopped because it reached its limit of model requests for one turn.",
  refusal: "The agent refused to go on. What was said in this turn is not part of its memory.",
  cancelled: "Stopped.",
};

function end(state: State, outcome: TurnOutcome, entriesBefore: number): Step {
  const { name } = state.conversation.agent;
  const isEmpty = entriesBefore > 0 && state.conversation.entries.length <= entriesBefore;
  return chain(settlePermissions(state, "the turn ended", () => true), settleTools,
    s => outcome.kind === "failed" ? say(s, "error", outcome.text, outcome.actions)
      : outcome.reason !== "end_turn" ? say(s, outcome.reason === "cancelled" ? "info" : "warning", STOP_REASONS[outcome.reason] ?? `The agent stopped for the reason “${outcome.reason}”.`, [])
        : isEmpty ? say(s, "info", `${name} ended its turn without an answer.`, []) : [s, []],
    s => enter(s, { kind: "idle" }), idle);
}

/** The agent is gone: nothing of it goes on, and the next prompt starts it again. */
function fell(state: State, { text, actions }: Trouble): Step {
  return chain(interruptAll(state), s => say(s, "error", text, actions), s => enter(s, { kind: "down" }), idle, s => [s, [{ kind: "leave" }]]);
}

function restart(state: State): Step {
  return chain(interruptAll(state), s => enter(s, { kind: "opening", waiting: undefined }), idle, s => [s, [{ kind: "restartAgent" }, { kind: "open" }]]);
}

function close(state: State): Step {
  if (state.phase.kind === "closed") return [state, []];
  const running = state.phase.kind === "prompting" || state.phase.kind === "cancelling";
  return chain(settlePermissions(state, "the tab was closed", () => true), settleTools,
    s => enter(s, { kind: "closed" }), s => [s, [...(running ? [{ kind: "sendCancel" } as const] : []), { kind: "leave" }]]);
}

// --- what the agent says and asks

function update(state: State, raw: unknown): Step {
  const { events, made } = adaptUpdate(state.conversation, raw, n => `${state.prefix}${state.made + n}`);
  return chain([{ ...state, made: state.made + made }, []], ...events.map(event => (s: State) => emit(s, isTurn(s) ? event : quiet(s, event))));
}

function isTurn({ phase }: State): boolean { return phase.kind === "prompting" || phase.kind === "cancelling"; }

/** Without a turn no tool call runs: one that is announced or changed late is at its end, or it would seem to run for ever. */
function quiet({ conversation }: State, event: ChatEvent): ChatEvent {
  if (event.type !== "upsert" || event.entry.kind !== "tool" || isTerminal(event.entry.status)) return event;
  const { id } = event.entry;
  const known = conversation.entries.find(entry => entry.id === id);
  return { type: "upsert", entry: { ...event.entry, status: known?.kind === "tool" && isTerminal(known.status) ? known.status : "cancelled" } };
}

/** Without a turn there is nobody who waits for the tool: a late question is answered `cancelled`, and said so. */
function ask(state: State, { permissionId, toolCall, options, policy }: Asked): Step {
  // Of this turn: an id that was used before names another call, and a card must not show that one's parameters.
  const { entry: tool } = toolFrom(state.conversation, toolCall, `${permissionId}-tool`, lastTurn(state.conversation));
  const question: Permission = {
    kind: "permission", id: permissionId, agent: state.conversation.agent.name, toolEntryId: tool.id, title: tool.title, toolKind: tool.toolKind,
    content: tool.content.filter(isPartOfQuestion), options, ...(tool.input === undefined ? {} : { input: tool.input }),
  };
  const once = options.find(option => option.kind === "allow_once");
  const refused = (s: State, why: string): Step => chain(emit(s, { type: "upsert", entry: { ...question, answered: { kind: "cancelled", why } } }), t => [t, [{ kind: "answerAgent", permissionId, optionId: undefined }]]);
  const announced: ChatEvent = { type: "upsert", entry: tool };
  const shown = emit(state, isTurn(state) ? announced : quiet(state, announced));
  switch (state.phase.kind) {
    case "prompting": return policy === "allow" && once
      ? chain(shown, s => emit(s, { type: "upsert", entry: { ...question, answered: selected(once, "bypass") } }), s => [s, [{ kind: "answerAgent", permissionId, optionId: once.optionId }]])
      : chain(shown, s => emit(s, { type: "upsert", entry: question }));
    case "cancelling": return chain(shown, s => refused(s, "the turn was stopped"));
    case "idle": case "opening": return chain(shown, s => refused(s, "no turn was running"));
    case "down": case "closed": return [state, [{ kind: "answerAgent", permissionId, optionId: undefined }]];
    default: return assertNever(state.phase, "session phase");
  }
}

function isPartOfQuestion(content: ToolContent): boolean { return content.kind === "diff" || content.kind === "text"; }

/** `bypass` allows this call: once if the agent offers that, else by its first way to allow. */
function answer(state: State, permissionId: string, choice: PermissionChoice): Step {
  const question = openPermissions(state.conversation.entries).find(({ id }) => id === permissionId);
  if (!question) return [state, []]; // answered, withdrawn or settled since: the card says so already
  const option = choice.kind === "option" ? question.options.find(({ optionId }) => optionId === choice.optionId)
    : question.options.find(({ kind }) => kind === "allow_once") ?? question.options.find(({ kind }) => kind === "allow_always");
  if (!option) return [state, []];
  return chain(emit(state, { type: "upsert", entry: { ...question, answered: selected(option, choice.kind === "bypass" ? "bypass" : "user") } }),
    s => [s, [...(choice.kind === "bypass" ? [{ kind: "setBypass" } as const] : []), { kind: "answerAgent", permissionId, optionId: option.optionId }]]);
}

function selected({ optionId, name, kind }: PermissionOption, by: "user" | "bypass"): PermissionAnswered {
  return { kind: "selected", optionId, name, optionKind: kind, by };
}

// --- settling

function openPermissions(entries: readonly Entry[]): readonly Permission[] {
  return entries.filter(entry => entry.kind === "permission").filter(entry => !entry.answered);
}

function settlePermissions(state: State, why: string, which: (permission: Permission) => boolean): Step {
  return chain([state, []], ...openPermissions(state.conversation.entries).filter(which).map(permission => (s: State): Step =>
    chain(emit(s, { type: "upsert", entry: { ...permission, answered: { kind: "cancelled", why } } }), t => [t, [{ kind: "answerAgent", permissionId: permission.id, optionId: undefined }]])));
}

function settleTools(state: State): Step {
  return chain([state, []], ...state.conversation.entries.filter(entry => entry.kind === "tool").filter(tool => !isTerminal(tool.status)).map(tool => (s: State) =>
    emit(s, { type: "upsert", entry: { ...tool, status: "cancelled" } })));
}

/** As at a process's death; the permissions are answered too, because an in-process agent may outlive its session. */
function interruptAll(state: State): Step {
  if (state.phase.kind !== "prompting" && state.phase.kind !== "cancelling") return [state, []];
  const after = interrupted(state.conversation, "the agent stopped");
  return chain(settlePermissions(state, "the agent stopped", () => true), ...after.filter((entry, i) => entry !== state.conversation.entries[i] && entry.kind !== "permission").map(entry => (s: State) => emit(s, { type: "upsert", entry })));
}

// --- small steps

function idle(state: State): Step {
  return state.conversation.turn.state === "idle" ? [state, []] : emit(state, { type: "turn", turn: { state: "idle" } });
}

function say(state: State, severity: Notice["severity"], text: string, actions: readonly ActionId[]): Step {
  return emit({ ...state, made: state.made + 1 }, { type: "upsert", entry: { kind: "notice", id: `${state.prefix}${state.made}`, severity, text, actions } });
}

function emit(state: State, event: ChatEvent): Step {
  return [{ ...state, conversation: applyEvent(state.conversation, event) }, [{ kind: "emit", event }]];
}

function enter(state: State, phase: Phase): Step { return [{ ...state, phase }, []]; }

function unexpected(state: State, event: SessionEvent): Step {
  return [state, [{ kind: "unexpected", what: `${event.kind} while ${state.phase.kind}` }]];
}

function chain([first, effects]: Step, ...steps: readonly ((state: State) => Step)[]): Step {
  let state = first;
  const all = [...effects];
  for (const next of steps) {
    const [after, more] = next(state);
    state = after;
    all.push(...more);
  }
  return [state, all];
}
