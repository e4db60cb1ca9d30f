/** States, events and effects of a session, and basic steps of its state machine (`session-state.ts`). Pure. */
import type { TurnOutcome } from "../agent-session/agent-message";
import type { Step, Unexpected } from "../agent-session/state-machine";
import type { Attachment } from "../../src/protocol/chat/attachments";
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
} from "../../src/protocol/chat/chat";
import type { Control, ControlValue } from "../../src/protocol/chat/controls";
import type { FormAsk, UrlAsk } from "../../src/protocol/chat/elicitation";
import type { SessionDetails } from "../../src/protocol/chat/session-details";
import type { SessionAction } from "../../src/protocol/chat/session-actions";
import type { BypassUntil } from "../../src/protocol/sidecar";
import type { AcpVersion } from "../acp/connection";
import type { JsonObject } from "../rpc/json";

export interface Prompt {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/** The session's phase. `waiting`: a prompt that is sent as soon as the agent's session is open. */
export type Phase =
  | { readonly kind: "opening"; readonly waiting: Prompt | undefined; readonly attempt?: 2 }
  | { readonly kind: "idle" }
  /** `sentAt`: clock time. A prompt that the agent did not read is sent a second time, never a third. */
  | {
      readonly kind: "prompting";
      readonly prompt: Prompt;
      readonly entriesBefore: number;
      readonly sentAt: number;
      readonly attempt: 1 | 2;
    }
  | { readonly kind: "cancelling"; readonly messageId: string }
  /** `waiting`: a prompt that is sent again with the next start. */
  | { readonly kind: "down"; readonly waiting: Prompt | undefined }
  | { readonly kind: "closed" };

export interface State {
  readonly phase: Phase;
  readonly conversation: Conversation;
  /** Unique among all sessions of all boots. Entry ids are `${prefix}${n}`. */
  readonly prefix: string;
  readonly made: number;
  /** Ids of the most recently withdrawn prompts: a late repeat of one must not be queued again. */
  readonly withdrawn: readonly string[];
  /** Amount that this turn has used of its limits; see `session-bounds.ts`. */
  readonly spent: Spent;
  /** Number of consecutive automatic restarts of the agent. */
  readonly restarts: number;
  /** The subagents that the agent has announced, by session id. */
  readonly subagents: ReadonlyMap<string, KnownSubagent>;
  /** Number of the newest turn. */
  readonly turn: number;
  /** The reason why the conversation was interrupted, until the agent's session is open again. */
  readonly interruption?: string;
  /** The current thought and its start, in milliseconds of the clock. */
  readonly thinking?: { readonly id: string; readonly since: number };
}

/** `path`: ids of the subagent's entry and of the entries around it in turn `turn`, outermost first. */
export interface KnownSubagent {
  readonly path: readonly string[];
  readonly turn: number;
  readonly parent: string | undefined;
  readonly name: string;
  readonly description?: string;
  readonly status: SubagentStatus;
  readonly error?: string;
}

/**
 * A permission request of the agent. `permissionId` is assigned by Symposium. `toolCall` is ACP's `ToolCallUpdate`, not
 * validated.
 */
export interface Asked {
  readonly permissionId: string;
  readonly toolCall: unknown;
  /** The question in the agent's own words, if it has any. */
  readonly title?: string;
  readonly description?: string;
  readonly options: readonly PermissionOption[];
  /** Result of the permission policy now. `ours`: a question of Symposium, to which the policy does not apply. */
  readonly policy: "ask" | "allow" | "ours";
  /** Session id of the asking subagent. */
  readonly subagent?: string;
}

/** A question of the agent other than a permission request. `id` is assigned by Symposium. */
export interface Elicited {
  readonly id: string;
  readonly message: string;
  readonly ask: FormAsk | UrlAsk;
  readonly subagent?: string;
}

/**
 * A sentence for the user, helpful actions, and the agent's last output. `needsUser`: the failure would repeat until
 * the user has acted.
 */
export interface AgentFailure {
  readonly text: string;
  readonly actions: readonly ActionId[];
  readonly detail?: string;
  readonly needsUser?: true;
  /** The next prompt restarts the agent, unless it restarts before. */
  readonly restarts?: true;
  /** See `AgentError.readUntil`. */
  readonly readUntil?: number;
}

export type SessionEvent =
  | SessionAction
  /** `isContinued`: the agent's session contains the earlier conversation. */
  | { readonly kind: "opened"; readonly accepts: Accepts; readonly isContinued: boolean }
  /** The conversation that the agent replayed while its session was loaded, in that version of the protocol. */
  | { readonly kind: "replayed"; readonly updates: readonly unknown[]; readonly version: AcpVersion }
  | ({ readonly kind: "openFailed" } & AgentFailure)
  /** The agent, or an extension, is being downloaded and installed, which takes time. */
  | { readonly kind: "installing"; readonly name: string }
  /** An agent extension is missing. `sentence`: which one, and why. */
  | { readonly kind: "extensionMissing"; readonly sentence: string }
  /** The extensions between the user and the agent, with their current status. */
  | { readonly kind: "detailed"; readonly details: SessionDetails }
  /** The session has not opened within this many seconds. */
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "prompted"; readonly prompt: Prompt }
  /** Names of the attachments that the agent did not accept. */
  | { readonly kind: "leftOut"; readonly names: readonly string[] }
  /** The agent sent nothing for this many minutes of its turn. */
  | { readonly kind: "silent"; readonly minutes: number }
  /**
   * The `update` of a `session/update`, unchanged, in that version of the protocol. `subagent`: session id of the
   * subagent that sent it.
   */
  | { readonly kind: "updated"; readonly update: unknown; readonly version: AcpVersion; readonly subagent?: string }
  | { readonly kind: "asked"; readonly permission: Asked }
  | { readonly kind: "elicited"; readonly elicited: Elicited }
  /** The agent withdrew a permission request or an elicitation. `id` is assigned by Symposium. */
  | { readonly kind: "withdrawn"; readonly id: string }
  | { readonly kind: "bypassed"; readonly until: BypassUntil }
  /** `elicitation/complete`, with the agent's id. */
  | { readonly kind: "elicitationCompleted"; readonly elicitationId: string }
  | { readonly kind: "terminalStarted"; readonly terminal: Pick<TerminalView, "terminalId" | "command" | "cwd"> }
  | { readonly kind: "terminalPrinted"; readonly terminalId: string; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "terminalEnded"; readonly terminalId: string; readonly exit: NonNullable<TerminalView["exit"]> }
  /** The agent's response: all of its current controls, or `undefined` if it lists none. */
  | { readonly kind: "controlSet"; readonly controls: readonly Control[] | undefined }
  | { readonly kind: "controlRefused"; readonly controlId: string; readonly before: ControlValue; readonly why: string }
  | { readonly kind: "cancelOverdue" }
  /** The time limit for a cancellation has passed. */
  | { readonly kind: "cancelGivenUp" }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome<AgentFailure> }
  | ({ readonly kind: "agentDown" } & AgentFailure)
  | { readonly kind: "restarted" }
  /** The time of the next automatic restart has come. */
  | { readonly kind: "reopened" }
  | { readonly kind: "closed" };

export type Effect =
  | { readonly kind: "emit"; readonly event: ChatEvent }
  /** Start (or join) the agent and open a session of it. */
  | { readonly kind: "open" }
  | { readonly kind: "sendPrompt"; readonly prompt: Prompt }
  | { readonly kind: "acceptPrompt"; readonly messageId: string }
  | { readonly kind: "refusePrompt"; readonly messageId: string; readonly why: string }
  /** `session/cancel`, with timers that post `cancelOverdue` and `cancelGivenUp`. */
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
  /** Leave the agent's session: `session/close`, and end the process if this was its last session. */
  | { readonly kind: "leave" }
  | Unexpected;

export type SessionStep = Step<State, Effect>;

// --- basic steps

export function idle(state: State): SessionStep {
  return state.conversation.turn.state === "idle"
    ? [state, []]
    : emitEvent(state, { type: "turn", turn: { state: "idle" } });
}

export function addNotice(
  state: State,
  severity: Notice["severity"],
  text: string,
  actions: readonly ActionId[],
  detail?: string,
): SessionStep {
  return emitEvent(
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

export function emitEvent(state: State, event: ChatEvent): SessionStep {
  return [{ ...state, conversation: applyEvent(state.conversation, event) }, [{ kind: "emit", event }]];
}

/** The id of the notice about updates left out, their number, and the newest characters of the answer in them. */
export interface LeftOut {
  readonly noticeId: string;
  readonly updates: number;
  readonly tail: string;
}
/** Amounts used by one turn. `left` is absent as long as nothing is left out. */

export interface Spent {
  readonly entries: number;
  readonly words: number;
  readonly content: number;
  readonly questions: number;
  readonly omitted?: LeftOut;
}
