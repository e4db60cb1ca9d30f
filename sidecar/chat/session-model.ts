/**
 * What a session knows, what can happen to it and what follows, and the small steps of its machine
 * (`session-state.ts`). Pure.
 */
import type { Attachment } from "../../src/protocol/attachments";
import {
  applyEvent,
  type Accepts,
  type ActionId,
  type ChatEvent,
  type Conversation,
  type Notice,
  type PermissionOption,
  type SubagentStatus,
  type TerminalView,
} from "../../src/protocol/chat";
import type { Control, ControlValue } from "../../src/protocol/controls";
import type { ElicitationChoice, FormAsk, UrlAsk } from "../../src/protocol/elicitation";
import type { SessionDetails } from "../../src/protocol/session-details";
import type { BypassUntil, PermissionChoice } from "../../src/protocol/sidecar";
import type { AcpVersion } from "../acp/connection";
import type { JsonObject } from "../rpc/json";

export interface Prompt {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/** Where the session is. `waiting` is a prompt that goes out as soon as the agent's session is open. */
export type Phase =
  | { readonly kind: "opening"; readonly waiting: Prompt | undefined; readonly attempt?: 2 }
  | { readonly kind: "idle" }
  /** `sentAt`: time of the clock. A prompt that the agent did not read is sent a second time, never a third. */
  | {
      readonly kind: "prompting";
      readonly prompt: Prompt;
      readonly entriesBefore: number;
      readonly sentAt: number;
      readonly attempt: 1 | 2;
    }
  | { readonly kind: "cancelling"; readonly messageId: string }
  /** `waiting` is a prompt that goes out again with the next start. */
  | { readonly kind: "down"; readonly waiting: Prompt | undefined }
  | { readonly kind: "closed" };

export interface State {
  readonly phase: Phase;
  readonly conversation: Conversation;
  /** Unique among all sessions of all boots: entry ids are `${prefix}${n}`. */
  readonly prefix: string;
  readonly made: number;
  /**
   * Prompts that were taken out of the queue: a repeat of one that was late must not put it there again. The newest
   * few.
   */
  readonly withdrawn: readonly string[];
  /** What this turn has taken of the room for one; see `session-bounds.ts`. */
  readonly spent: Spent;
  /** How often in a row the agent was started again by itself. */
  readonly restarts: number;
  /** The subagents that the agent has announced, by the id of their session. */
  readonly subagents: ReadonlyMap<string, KnownSubagent>;
  /** Number of the newest turn. */
  readonly turn: number;
  /** The thought that goes on, and when it began; times are the clock's milliseconds. */
  readonly thinking?: { readonly id: string; readonly since: number };
}

/** `path`: ids of its entry and of those around it, from the conversation on, in the turn `turn`. */
export interface KnownSubagent {
  readonly path: readonly string[];
  readonly turn: number;
  readonly parent: string | undefined;
  readonly name: string;
  readonly description?: string;
  readonly status: SubagentStatus;
  readonly error?: string;
}

/** A request of the agent for permission; `permissionId` is ours. `toolCall` is ACP's `ToolCallUpdate`, unchecked. */
export interface Asked {
  readonly permissionId: string;
  readonly toolCall: unknown;
  /** The question itself, where the agent puts it into words of its own. */
  readonly title?: string;
  readonly description?: string;
  readonly options: readonly PermissionOption[];
  /** What the permission policy says now; of a question of ours it says nothing. */
  readonly policy: "ask" | "allow" | "ours";
  /** The session of the subagent that asks. */
  readonly subagent?: string;
}

/** A question of the agent that is no permission; `id` is ours. */
export interface Elicited {
  readonly id: string;
  readonly message: string;
  readonly ask: FormAsk | UrlAsk;
  readonly subagent?: string;
}

/**
 * A sentence for the user, the buttons that help, and what the agent itself said last. `needsUser`: it would be the
 * same again until a person has done something.
 */
export interface Trouble {
  readonly text: string;
  readonly actions: readonly ActionId[];
  readonly detail?: string;
  readonly needsUser?: true;
  /** The next prompt restarts the agent, unless it restarts before. */
  readonly restarts?: true;
  /** See `AgentError.readUntil`. */
  readonly readUntil?: number;
}

export type TurnOutcome =
  | { readonly kind: "stopped"; readonly reason: string }
  | ({ readonly kind: "failed" } & Trouble);

export type SessionEvent =
  | { readonly kind: "opened"; readonly accepts: Accepts }
  | ({ readonly kind: "openFailed" } & Trouble)
  /** What the agent needs, itself or another, is fetched and installed, which takes its time. */
  | { readonly kind: "installing"; readonly name: string }
  /** An agent extension that is not there; `sentence` says which, and why. */
  | { readonly kind: "extensionMissing"; readonly sentence: string }
  /** What stands between the user and the agent, and what it does, as far as it is known now. */
  | { readonly kind: "detailed"; readonly details: SessionDetails }
  /** It has not opened for so many seconds. */
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "prompted"; readonly prompt: Prompt }
  | { readonly kind: "promptWithdrawn"; readonly messageId: string }
  | { readonly kind: "queueSent" }
  /** Names of what the agent did not take of the prompt. */
  | { readonly kind: "leftOut"; readonly names: readonly string[] }
  /** Nothing was heard of the agent for so many minutes of its turn. */
  | { readonly kind: "silent"; readonly minutes: number }
  /**
   * The `update` of a `session/update`, as it came, in that version of the protocol; `subagent`: of which one's
   * session.
   */
  | { readonly kind: "updated"; readonly update: unknown; readonly version: AcpVersion; readonly subagent?: string }
  | { readonly kind: "asked"; readonly asked: Asked }
  | { readonly kind: "elicited"; readonly elicited: Elicited }
  /** Of a permission or an elicitation, by our id. */
  | { readonly kind: "withdrawn"; readonly id: string }
  | { readonly kind: "answered"; readonly permissionId: string; readonly choice: PermissionChoice }
  | { readonly kind: "bypassed"; readonly until: BypassUntil }
  | { readonly kind: "bypassEnded" }
  | { readonly kind: "elicitationAnswered"; readonly id: string; readonly choice: ElicitationChoice }
  /** `elicitation/complete`, by the agent's id. */
  | { readonly kind: "elicitationCompleted"; readonly elicitationId: string }
  | { readonly kind: "terminalStarted"; readonly terminal: Pick<TerminalView, "terminalId" | "command" | "cwd"> }
  | { readonly kind: "terminalPrinted"; readonly terminalId: string; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "terminalEnded"; readonly terminalId: string; readonly exit: NonNullable<TerminalView["exit"]> }
  | { readonly kind: "controlChosen"; readonly controlId: string; readonly value: ControlValue }
  /** What the agent answered: all its controls as they are now, or nothing that we do not know. */
  | { readonly kind: "controlSet"; readonly controls: readonly Control[] | undefined }
  | { readonly kind: "controlRefused"; readonly controlId: string; readonly before: ControlValue; readonly why: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "cancelOverdue" }
  /** It was waited for long enough. */
  | { readonly kind: "cancelGivenUp" }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome }
  | ({ readonly kind: "agentDown" } & Trouble)
  | { readonly kind: "restarted" }
  /** The time for another try has come. */
  | { readonly kind: "reopened" }
  | { readonly kind: "closed" };

export type Effect =
  | { readonly kind: "emit"; readonly event: ChatEvent }
  /** Start (or join) the agent and open a session of it. */
  | { readonly kind: "open" }
  | { readonly kind: "sendPrompt"; readonly prompt: Prompt }
  | { readonly kind: "acceptPrompt"; readonly messageId: string }
  | { readonly kind: "refusePrompt"; readonly messageId: string; readonly why: string }
  /** `session/cancel`, and a watch that posts `cancelOverdue` and `cancelGivenUp`. */
  | { readonly kind: "sendCancel" }
  | { readonly kind: "answerAgent"; readonly permissionId: string; readonly optionId: string | undefined }
  /** The response to `elicitation/create`. */
  | { readonly kind: "answerElicitation"; readonly id: string; readonly response: JsonObject }
  | { readonly kind: "openPage"; readonly url: string }
  | { readonly kind: "setControl"; readonly control: Control; readonly value: ControlValue }
  | { readonly kind: "setBypass" }
  | { readonly kind: "restartAgent" }
  /** Posts `reopened`, unless the session is opened or left before. */
  | { readonly kind: "reopenLater"; readonly ms: number }
  /** Let go of the agent's session: `session/close`, and the process when this was its last. */
  | { readonly kind: "leave" }
  | { readonly kind: "unexpected"; readonly what: string };

export type Step = readonly [State, readonly Effect[]];

// --- small steps

export function idle(state: State): Step {
  return state.conversation.turn.state === "idle"
    ? [state, []]
    : emit(state, { type: "turn", turn: { state: "idle" } });
}

export function say(
  state: State,
  severity: Notice["severity"],
  text: string,
  actions: readonly ActionId[],
  detail?: string,
): Step {
  return emit(
    { ...state, made: state.made + 1 },
    {
      type: "upsert",
      entry: {
        kind: "notice",
        id: `${state.prefix}${state.made}`,
        severity,
        text,
        ...(detail === undefined ? {} : { detail }),
        actions,
      },
    },
  );
}

export function emit(state: State, event: ChatEvent): Step {
  return [{ ...state, conversation: applyEvent(state.conversation, event) }, [{ kind: "emit", event }]];
}

export function enter(state: State, phase: Phase): Step {
  return [{ ...state, phase }, []];
}

export function unexpected(state: State, event: SessionEvent): Step {
  return [state, [{ kind: "unexpected", what: `${event.kind} while ${state.phase.kind}` }]];
}

export function chain([first, effects]: Step, ...steps: readonly ((state: State) => Step)[]): Step {
  let state = first;
  const all = [...effects];
  for (const next of steps) {
    const [after, more] = next(state);
    state = after;
    all.push(...more);
  }
  return [state, all];
}
/** The notice that says so, the number of updates, and the newest characters of the answer among them. */
export interface LeftOut {
  readonly noticeId: string;
  readonly updates: number;
  readonly tail: string;
}
/** Of one turn; `left` is absent as long as nothing is left out. */

export interface Spent {
  readonly entries: number;
  readonly words: number;
  readonly content: number;
  readonly questions: number;
  readonly left?: LeftOut;
}
