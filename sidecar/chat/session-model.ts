/** States, events and effects of a session, and basic steps of its state machine (`session-state.ts`). Pure. */
import type { TurnOutcome } from "../agent-session/agent-message";
import { chain, type Step, type Unexpected } from "../agent-session/state-machine";
import type { Installable, InstallProgress } from "../../src/protocol/agents/agent-service";
import type { AgentStart } from "../../src/protocol/chat/agent-start";
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
import type { Diff } from "../../src/protocol/chat/diff-places";
import type { FormAsk, UrlAsk } from "../../src/protocol/chat/elicitation";
import type { SessionDetails } from "../../src/protocol/chat/session-details";
import type { SessionAction } from "../../src/protocol/chat/session-actions";
import type { ReviewSummary } from "../../src/protocol/review/review";
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
  /** `sentAt`: clock time. A prompt that the agent did not read is sent again once. */
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
  | { readonly kind: "readOnly"; readonly why: ReadOnly }
  | { readonly kind: "closed" };

/**
 * elsewhere: another process writes the conversation. untrusted: the workspace is not trusted. newer: a later version
 * of Symposium wrote the journal.
 */
export type ReadOnly = "elsewhere" | "untrusted" | "newer";

export interface State {
  readonly phase: Phase;
  readonly conversation: Conversation;
  /** Unique among all sessions of all boots. Entry ids are `${prefix}${n}`. */
  readonly prefix: string;
  readonly made: number;
  /** Notices about waiting that has not ended. */
  readonly waits: readonly Notice[];
  /** Ids of recently withdrawn prompts. A late repetition must not queue them again. */
  readonly withdrawn: readonly string[];
  /** Usage of this turn's limits; see `turn-limits.ts`. */
  readonly spent: Spent;
  /** Number of consecutive automatic restarts of the agent. */
  readonly restarts: number;
  /** The subagents that the agent has announced, by session id. */
  readonly subagents: ReadonlyMap<string, KnownSubagent>;
  /** Number of the newest turn. */
  readonly turn: number;
  /** Present until the agent's session is open again. */
  readonly interruption?: Interruption;
  /** The first prompt has the transcript attached, until the agent's session is open. */
  readonly bringsTranscript?: true;
  /** The current thought and its start, in milliseconds of the clock. */
  readonly thinking?: { readonly id: string; readonly since: number };
  /** Starts of the running tool calls by entry id, in milliseconds of the clock. */
  readonly toolStarts?: ReadonlyMap<string, number>;
}

/** The beginning of the notice about the agent's memory. `kind`: an earlier session ended, or this is a branch. */
export interface Interruption {
  readonly kind: "ended" | "branched";
  readonly sentence: string;
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
export interface PermissionAsk {
  readonly permissionId: string;
  readonly toolCall: unknown;
  /** Text of the question, if the agent sent one. */
  readonly title?: string;
  readonly description?: string;
  readonly options: readonly PermissionOption[];
  /** Current result of the permission policy. `ours`: a question of Symposium, to which the policy does not apply. */
  readonly policy: "ask" | "allow" | "ours";
  /** Session id of the asking subagent. */
  readonly subagent?: string;
}

/** A question of the agent other than a permission request. `id` is assigned by Symposium. */
export interface ElicitationAsk {
  readonly id: string;
  readonly message: string;
  readonly ask: FormAsk | UrlAsk;
  readonly subagent?: string;
}

/**
 * `text`: a sentence for the user. `detail`: the agent's last output. `needsUser`: the failure would repeat until the
 * user acts.
 */
export interface AgentFailure {
  readonly text: string;
  readonly actions: readonly ActionId[];
  readonly detail?: string;
  readonly needsUser?: true;
  /** The agent restarts with the next prompt at the latest. */
  readonly restarts?: true;
  /** The user cancelled the start, so that it is no error. */
  readonly isCancelled?: true;
  /** See `AgentError.readUntil`. */
  readonly readUntil?: number;
}

/** Diffs of a tool call. `within`: ids of the entries of subagents around the call, outermost first. */
export interface PlaceSearch {
  readonly within: readonly string[];
  readonly entryId: string;
  readonly diffs: readonly Diff[];
}

type Installing = Omit<Extract<AgentStart, { readonly kind: "installing" }>, "kind" | "progress">;

export type SessionEvent =
  | SessionAction
  /** `isContinued`: the agent's session contains the earlier conversation. */
  | { readonly kind: "opened"; readonly accepts: Accepts; readonly isContinued: boolean }
  /** The conversation that `session/load` replayed. `version`: protocol version of the updates. */
  | { readonly kind: "replayed"; readonly updates: readonly unknown[]; readonly version: AcpVersion }
  | ({ readonly kind: "openFailed" } & AgentFailure)
  /** Progress of the installation of the agent or an extension. Without `progress`: the installation has ended. */
  | ({ readonly kind: "installing"; readonly progress?: InstallProgress } & Installing)
  /** An agent extension is missing. `sentence`: its name and the reason. */
  | { readonly kind: "extensionMissing"; readonly sentence: string }
  /** The session's current extensions, missing tools and agent program. */
  | { readonly kind: "detailed"; readonly details: SessionDetails }
  /** The unreviewed changes of files; absent if there are none. */
  | { readonly kind: "reviewed"; readonly review?: ReviewSummary }
  /** The session has not opened within this many seconds. */
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "prompted"; readonly prompt: Prompt }
  /** Names of the attachments that the agent did not accept. */
  | { readonly kind: "leftOut"; readonly names: readonly string[] }
  /** The agent sent nothing for this many minutes of its turn. */
  | { readonly kind: "silent"; readonly minutes: number }
  /**
   * The unchanged `update` of a `session/update`. `version`: its protocol version. `subagent`: session id of the
   * sending subagent.
   */
  | { readonly kind: "updated"; readonly update: unknown; readonly version: AcpVersion; readonly subagent?: string }
  /** Places of diffs in their files. */
  | ({ readonly kind: "placesFound" } & PlaceSearch)
  | { readonly kind: "asked"; readonly permission: PermissionAsk }
  | { readonly kind: "elicited"; readonly elicited: ElicitationAsk }
  /** The agent withdrew a permission request or an elicitation. `id` is assigned by Symposium. */
  | { readonly kind: "withdrawn"; readonly id: string }
  | { readonly kind: "bypassed"; readonly until: BypassUntil }
  /** `elicitation/complete`, with the agent's id. */
  | { readonly kind: "elicitationCompleted"; readonly elicitationId: string }
  | { readonly kind: "terminalStarted"; readonly terminal: Pick<TerminalView, "terminalId" | "command" | "cwd"> }
  | { readonly kind: "terminalPrinted"; readonly terminalId: string; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "terminalEnded"; readonly terminalId: string; readonly exit: NonNullable<TerminalView["exit"]> }
  /** All current controls of the agent, or `undefined` if its response lists none. */
  | { readonly kind: "controlSet"; readonly controls: readonly Control[] | undefined }
  | { readonly kind: "controlRefused"; readonly controlId: string; readonly before: ControlValue; readonly why: string }
  | { readonly kind: "cancelOverdue" }
  /** The time limit for a cancellation has passed. */
  | { readonly kind: "cancelGivenUp" }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome<AgentFailure> }
  | ({ readonly kind: "agentDown" } & AgentFailure)
  | { readonly kind: "restarted" }
  /** The automatic restart is due. */
  | { readonly kind: "reopened" }
  /** Another process has taken over the conversation. */
  | { readonly kind: "takenOver" }
  | { readonly kind: "closed" };

export type Effect =
  | { readonly kind: "emit"; readonly event: ChatEvent }
  | { readonly kind: "showEarlier" }
  | { readonly kind: "showEntry"; readonly entryId: string }
  | { readonly kind: "find"; readonly requestNumber: number; readonly query: string }
  /** Find the places of the diffs in their files, and post `placesFound`. */
  | { readonly kind: "findPlaces"; readonly search: PlaceSearch }
  /** Start the agent, or join its process, and open a session. */
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
  | { readonly kind: "cancelInstall"; readonly of: Installable; readonly id: string }
  | { readonly kind: "restartAgent" }
  /** Posts `reopened`, unless the session is opened or left before. */
  | { readonly kind: "reopenLater"; readonly ms: number }
  /** Close the agent's session (`session/close`), and end the process after its last session. */
  | { readonly kind: "leave" }
  | Unexpected;

export type SessionStep = Step<State, Effect>;

// --- basic steps

export function idle(state: State): SessionStep {
  return state.conversation.turn.state === "idle"
    ? [state, []]
    : emitEvent(state, { type: "turn", turn: { state: "idle" } });
}

/** `detail`: may be absent. */
export const withDetail = (detail: string | undefined): Pick<Notice, "detail"> =>
  detail === undefined ? {} : { detail };

/** Ends the notices about waiting for one of these. */
export function endWaits(state: State, ...ended: readonly NonNullable<Notice["until"]>[]): SessionStep {
  const over = state.waits.filter(({ until }) => until !== undefined && ended.includes(until));
  return over.length === 0
    ? [state, []]
    : chain(
        [{ ...state, waits: state.waits.filter(wait => !over.includes(wait)) }, []],
        ...over.map(entry => (s: State) => emitEvent(s, { type: "upsert", entry: { ...entry, isOver: true } })),
      );
}

export function addNotice(
  state: State,
  severity: Notice["severity"],
  text: string,
  actions: readonly ActionId[],
  { until, ...more }: Pick<Notice, "detail" | "until"> = {},
): SessionStep {
  const id = `${state.prefix}${state.made}`,
    entry: Notice = { kind: "notice", id, severity, text, ...more, actions, ...(until && { until }) };
  return emitEvent(
    { ...state, made: state.made + 1, waits: entry.until === undefined ? state.waits : [...state.waits, entry] },
    { type: "upsert", entry },
  );
}

export function emitEvent(state: State, event: ChatEvent): SessionStep {
  return [{ ...state, conversation: applyEvent(state.conversation, event) }, [{ kind: "emit", event }]];
}

/** Omitted updates of a turn: the id of their notice, their number, and the end of the answer in them. */
export interface OmittedUpdates {
  readonly noticeId: string;
  readonly updates: number;
  readonly tail: string;
}

/** Usage of one turn's limits. `omitted` is absent until an update is omitted. */
export interface Spent {
  readonly entries: number;
  readonly words: number;
  readonly content: number;
  readonly questions: number;
  readonly omitted?: OmittedUpdates;
}
