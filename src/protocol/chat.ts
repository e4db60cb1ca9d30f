/**
 * The chat model: what a conversation is for a person, whatever protocol version the agent speaks. Shaped like ACP v2:
 * entries keyed by id that are created and replaced whole (upsert), text that grows by `append`, and a turn whose state
 * is apart from the request that began it.
 *
 * The sidecar produces events, numbers them per session, and keeps `Conversation`; the page keeps a copy. Both apply
 * events with `applyEvent`, so what is shown is what is kept. Pure; imports only its neighbours.
 *
 * Invariants: entries keep the order in which they first appeared; a repeated event changes nothing; when a turn ends
 * every tool call is terminal and every question is answered.
 */
import type { AgentChoice } from "./agents";
import type { Attachment } from "./attachments";
import type { Control } from "./controls";
import { append } from "./delivery";
import type { Elicitation } from "./elicitation";
import type { SessionDetails } from "./session-details";
import type { SubagentName, SubagentStatus } from "./subagents";

export type { SubagentName, SubagentStatus } from "./subagents";

export type SessionId = string;

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed" | "cancelled";
export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/** What an agent shows, in a tool call or between its words. `text` is Markdown of the agent; `data` is base64. */
export type ToolContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "diff"; readonly path: string; readonly oldText?: string; readonly newText: string }
  | { readonly kind: "terminal"; readonly terminalId: string; readonly output?: string }
  | { readonly kind: "image"; readonly mimeType: string; readonly data: string }
  /** A page of ours plays nothing: it is named, with its size. */
  | { readonly kind: "audio"; readonly mimeType: string; readonly bytes: number }
  | Resource
  /** Of a kind that we do not know yet. */
  | { readonly kind: "other"; readonly what: string; readonly json: string };

/** A link to something, or the thing itself: then `text`, or for what is no text its size. */
export interface Resource {
  readonly kind: "resource";
  readonly uri: string;
  readonly name?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly bytes?: number;
}

export interface ToolLocation {
  readonly path: string;
  readonly line?: number;
}

export interface ToolCall {
  readonly kind: "tool";
  readonly id: string;
  /** The agent's id; agents have been seen to use one again in a later turn, so it does not name the entry. */
  readonly toolCallId: string;
  readonly title: string;
  /** ACP tool kind: `read`, `edit`, `execute`… An agent's own kinds pass. */
  readonly toolKind: string;
  readonly status: ToolStatus;
  readonly content: readonly ToolContent[];
  readonly locations: readonly ToolLocation[];
  /** Pretty-printed JSON (or the text itself when it is a string), cut to `TOOL_JSON_LIMIT` characters. */
  readonly input?: string;
  readonly output?: string;
}
export const TOOL_JSON_LIMIT = 64 * 1024;

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionOptionKind;
}

/**
 * Who answered a permission request, and what. `by: "bypass"`: the setting `bypassPermissions`, or the bypass of the
 * session.
 */
export type PermissionAnswered =
  | {
      readonly kind: "selected";
      readonly optionId: string;
      readonly name: string;
      readonly optionKind: PermissionOptionKind;
      readonly by: "user" | "bypass";
    }
  /** Nobody chose: the turn was stopped, the tab closed, the agent withdrew or died. `why` is a sentence. */
  | { readonly kind: "cancelled"; readonly why: string };

export interface Permission {
  readonly kind: "permission";
  readonly id: string;
  /** The agent's name as the user knows it. */
  readonly agent: string;
  /** The entry of the tool call that is asked about. */
  readonly toolEntryId: string;
  readonly title: string;
  readonly toolKind: string;
  /** The parameters, as in `ToolCall.input`, and content (a diff, say) that belongs to the question. */
  readonly input?: string;
  readonly content: readonly ToolContent[];
  readonly options: readonly PermissionOption[];
  /** We ask, about what the agent wants of us: no setting for the agent answers that. */
  readonly isOurs?: true;
  /** The subagent that asks; absent: the agent itself. */
  readonly subagent?: SubagentName;
  readonly answered?: PermissionAnswered;
}

/**
 * Buttons that a notice can carry. The host knows what each does, but for `sendAgain`: the page submits the last prompt
 * once more.
 */
export type ActionId =
  | "sendAgain"
  | "showLogs"
  | "restartAgent"
  | "restartSidecar"
  | "selectAgent"
  | "manageTrust"
  | "openSettings"
  | "addToConfiguration";

/** A sentence of ours: an error, a restart, a note. Or of the agent, which then is named. */
export interface Notice {
  readonly kind: "notice";
  readonly id: string;
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
  /** The agent's name, when these are its words. */
  readonly from?: string;
  readonly detail?: string;
  readonly actions: readonly ActionId[];
}

export interface PlanStep {
  readonly content: string;
  readonly priority: string;
  readonly status: string;
}

/** The agent makes its memory of the conversation shorter; `text` is what it keeps of it, in Markdown. */
export interface Compaction {
  readonly kind: "compaction";
  readonly id: string;
  readonly compactionId: string;
  /** `in_progress`, `completed`, `failed`, `cancelled`, or one that comes later. */
  readonly status: string;
  readonly text: string;
  readonly error?: string;
}

/**
 * The work of a subagent in one turn of its parent. `entries` is its own transcript, with its own subagents; its
 * questions are entries of the conversation, because a person answers them there.
 */
export interface Subagent extends SubagentName {
  readonly kind: "subagent";
  readonly id: string;
  readonly description?: string;
  readonly status: SubagentStatus;
  readonly error?: string;
  readonly entries: readonly Entry[];
}

/** A message between two sessions of the agent. Both names are empty when the agent does not send them. */
export interface SessionMessage {
  readonly kind: "message";
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Markdown. */
  readonly text: string;
}

export type Entry =
  | { readonly kind: "user"; readonly id: string; readonly text: string; readonly attachments?: readonly Attachment[] }
  | { readonly kind: "agent"; readonly id: string; readonly text: string; readonly interrupted?: true }
  /** `ms`: how long it took; absent as long as it goes on. */
  | { readonly kind: "thought"; readonly id: string; readonly text: string; readonly ms?: number }
  /** What is no text, in the agent's message. */
  | { readonly kind: "media"; readonly id: string; readonly content: ToolContent }
  /** `text`: a plan in Markdown. One without steps and text is not shown. */
  | { readonly kind: "plan"; readonly id: string; readonly steps: readonly PlanStep[]; readonly text?: string }
  | ToolCall
  | Permission
  | Elicitation
  | Notice
  | Compaction
  | Subagent
  | SessionMessage
  /** Updates of an unknown kind: one placeholder per kind and turn. `json` is the first of them; `count` absent: 1. */
  | {
      readonly kind: "unknown";
      readonly id: string;
      readonly what: string;
      readonly json: string;
      readonly count?: number;
    };

/**
 * `starting`: the agent is being started, the prompt waits. `cancelling`: asked to stop, the agent has yet to end the
 * turn.
 */
export type Turn =
  | { readonly state: "idle" }
  | { readonly state: "starting" | "running" | "cancelling"; readonly messageId: string };

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/**
 * Tokens in the agent's context, of how many; what the session has cost so far. `currency` is ISO 4217, or a unit such
 * as "credits".
 */
export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** A command that the agent runs through us. */
export interface TerminalView {
  readonly terminalId: string;
  /** As a person would type it. */
  readonly command: string;
  readonly cwd: string;
  /** The end of what it printed, with its escape sequences: at most `TERMINAL_LIMIT` characters. */
  readonly output: string;
  /** Some of the beginning is left out. */
  readonly isCut: boolean;
  readonly exit?: { readonly code?: number; readonly signal?: string };
}
export const TERMINAL_LIMIT = 64 * 1024;

/** A prompt that waits for the turn before it to end. */
export interface QueuedPrompt {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/**
 * `held`: none goes out by itself, because the turn before was stopped or failed; the user sends them, or takes them
 * back.
 */
export interface Queue {
  readonly prompts: readonly QueuedPrompt[];
  readonly held: boolean;
}
/** Prompts that may wait. */
export const QUEUE_LIMIT = 20;

/** What the agent takes besides text and links. */
export interface Accepts {
  readonly images: boolean;
}

export interface Conversation {
  readonly agent: AgentChoice;
  /** The session's working folder, an absolute path. */
  readonly cwd: string;
  readonly title?: string;
  readonly entries: readonly Entry[];
  readonly turn: Turn;
  readonly commands: readonly Command[];
  readonly controls: readonly Control[];
  readonly usage?: Usage;
  /** Those that the agent made, in that order; absent: none. They stay when the agent has let go of them. */
  readonly terminals?: readonly TerminalView[];
  /** Absent: nothing waits. */
  readonly queue?: Queue;
  /** Absent as long as the agent has not said so. */
  readonly accepts?: Accepts;
  /** Of the agent's session of now; absent as long as there is nothing to tell. */
  readonly details?: SessionDetails;
  /** The user allowed everything in this session. Never restored: a new session asks again. */
  readonly bypassed?: true;
}

/** A change of a list of entries. */
export type EntryEvent =
  /** Put this entry in place of the one with its id, or after all others. */
  | { readonly type: "upsert"; readonly entry: Entry }
  /** Text of a `user`, `agent`, `thought`, `compaction` or `message` entry from `offset` (UTF-16 units) on. */
  | { readonly type: "append"; readonly id: string; readonly offset: number; readonly text: string }
  /** A change of the entries of the subagent entry with this id. */
  | { readonly type: "nested"; readonly id: string; readonly event: EntryEvent };

export type ChatEvent =
  | EntryEvent
  | { readonly type: "turn"; readonly turn: Turn }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "commands"; readonly commands: readonly Command[] }
  | { readonly type: "controls"; readonly controls: readonly Control[] }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "queue"; readonly queue: Queue }
  | { readonly type: "accepts"; readonly accepts: Accepts }
  | { readonly type: "details"; readonly details: SessionDetails }
  | { readonly type: "bypassed"; readonly isOn: boolean }
  /** Put this terminal in place of the one with its id, or after all others. */
  | { readonly type: "terminal"; readonly terminal: TerminalView }
  /** Output of a terminal from `offset` on, as in `append`. */
  | { readonly type: "terminalOutput"; readonly terminalId: string; readonly offset: number; readonly text: string };

export function emptyConversation(agent: AgentChoice, cwd: string): Conversation {
  return { agent, cwd, entries: [], turn: { state: "idle" }, commands: [], controls: [] };
}

/** The conversation after an event. An `append` to an entry that is not there, or with a gap, changes nothing. */
export function applyEvent(conversation: Conversation, event: ChatEvent): Conversation {
  switch (event.type) {
    case "upsert":
    case "append":
    case "nested":
      return { ...conversation, entries: withChange(conversation.entries, event) };
    case "turn":
      return { ...conversation, turn: event.turn };
    case "title":
      return { ...conversation, title: event.title };
    case "commands":
      return { ...conversation, commands: event.commands };
    case "controls":
      return { ...conversation, controls: event.controls };
    case "usage":
      return { ...conversation, usage: event.usage };
    case "queue":
      return { ...conversation, queue: event.queue };
    case "accepts":
      return { ...conversation, accepts: event.accepts };
    case "details":
      return { ...conversation, details: event.details };
    case "bypassed":
      return withBypass(conversation, event.isOn);
    case "terminal":
      return { ...conversation, terminals: withTerminal(conversation.terminals ?? [], event.terminal) };
    case "terminalOutput":
      return {
        ...conversation,
        terminals: (conversation.terminals ?? []).map(terminal =>
          terminal.terminalId === event.terminalId ? printed(terminal, event) : terminal,
        ),
      };
  }
}

function withBypass({ bypassed: _, ...conversation }: Conversation, isOn: boolean): Conversation {
  return isOn ? { ...conversation, bypassed: true } : conversation;
}

/** The entries after an event, as `applyEvent`. */
function withChange(entries: readonly Entry[], event: EntryEvent): readonly Entry[] {
  switch (event.type) {
    case "upsert":
      return replaced(entries, event.entry);
    case "append":
      return grown(entries, event);
    case "nested": {
      const at = lastIndexOf(entries, event.id),
        entry = entries[at];
      if (entry?.kind !== "subagent") return entries;
      const inside = withChange(entry.entries, event.event);
      return inside === entry.entries ? entries : entries.with(at, { ...entry, entries: inside });
    }
  }
}

function replaced(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = lastIndexOf(entries, entry.id);
  return at === -1 ? [...entries, entry] : entries.with(at, entry);
}

function grown(
  entries: readonly Entry[],
  { id, offset, text }: { readonly id: string; readonly offset: number; readonly text: string },
): readonly Entry[] {
  const at = lastIndexOf(entries, id);
  const entry = entries[at];
  if (entry === undefined || !("text" in entry) || entry.kind === "notice" || entry.kind === "plan") return entries;
  const whole = append(entry.text, { offset, text });
  return whole === undefined ? entries : entries.with(at, { ...entry, text: whole });
}

function withTerminal(terminals: readonly TerminalView[], terminal: TerminalView): readonly TerminalView[] {
  const at = terminals.findIndex(({ terminalId }) => terminalId === terminal.terminalId);
  return at === -1 ? [...terminals, terminal] : terminals.with(at, terminal);
}

function printed(terminal: TerminalView, piece: { readonly offset: number; readonly text: string }): TerminalView {
  const output = append(terminal.output, piece);
  return output === undefined ? terminal : { ...terminal, output };
}

/** From the end, because what changes is nearly always the newest; -1: it is not there. */
export function lastIndexOf(entries: readonly Entry[], id: string): number {
  for (let i = entries.length - 1; i >= 0; i--) if (entries[i]?.id === id) return i;
  return -1;
}

/**
 * The conversation's entries when the process behind it died: nothing may look as if it still went on. The answer of a
 * turn that was running is marked, and what is open is settled. Entries that need no change are the same objects.
 */
export function interrupted({ entries, turn }: Pick<Conversation, "entries" | "turn">, why: string): readonly Entry[] {
  const lastText = turn.state === "idle" ? -1 : entries.findLastIndex(entry => entry.kind === "agent");
  const lastUser = entries.findLastIndex(entry => entry.kind === "user");
  return settled(entries, why).map((entry, i) =>
    entry.kind === "agent" && i === lastText && i > lastUser ? { ...entry, interrupted: true } : entry,
  );
}

/** Running tool calls and compactions cancelled, open questions answered with `why`. */
export function settled(entries: readonly Entry[], why: string): readonly Entry[] {
  return entries.map((entry): Entry => {
    switch (entry.kind) {
      case "tool":
        return isTerminal(entry.status) ? entry : { ...entry, status: "cancelled" };
      case "permission":
      case "elicitation":
        return entry.answered ? entry : { ...entry, answered: { kind: "cancelled", why } };
      case "compaction":
        return entry.status === "in_progress" ? { ...entry, status: "cancelled" } : entry;
      case "subagent":
        return settledSubagent(entry, why);
      default:
        return entry;
    }
  });
}

/** The same object when nothing of it was open. */
export function settledSubagent(entry: Subagent, why: string): Subagent {
  const inside = settled(entry.entries, why),
    isChanged = inside.some((each, i) => each !== entry.entries[i]);
  const status = entry.status === "running" || entry.status === "waiting" ? "cancelled" : entry.status;
  return isChanged || status !== entry.status
    ? { ...entry, status, entries: isChanged ? inside : entry.entries }
    : entry;
}

export function isTerminal(status: ToolStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
