/**
 * The chat model: a conversation as shown to the user, independent of the agent's protocol version. It follows ACP v2.
 * Entries with ids are created and replaced as a whole (upsert), and text grows by `append`. The state of a turn is
 * separate from the request that started it.
 *
 * The sidecar produces events, numbers them per session, and stores the `Conversation`; the page keeps a copy. Both
 * apply events with `applyEvent`, so that their copies are equal. Pure; imports only from this folder.
 *
 * Invariants:
 * - Entries keep the order of their first appearance.
 * - A repeated event changes nothing.
 * - When a turn ends, every tool call is terminal and every question is answered.
 */
import type { AgentChoice } from "../agents/agents";
import type { AgentStart } from "./agent-start";
import type { Attachment } from "./attachments";
import type { Control } from "./controls";
import { append } from "./delivery";
import type { SessionDetails } from "./session-details";
import type { ReviewSummary } from "../review/review";
import type { Entry, SubagentStatus, ToolStatus } from "./entry-schema";

export type {
  ActionId,
  Addition,
  Compaction,
  Entry,
  Notice,
  Permission,
  PermissionAnswered,
  PermissionOption,
  PermissionOptionKind,
  PlanStep,
  Resource,
  SessionMessage,
  Subagent,
  SubagentStatus,
  ToolCall,
  ToolContent,
  ToolLocation,
  ToolStatus,
} from "./entry-schema";
export { QUEUE_LIMIT } from "./limits";
export type { SubagentName } from "./question-schema";

export type SessionId = string;

export const TOOL_JSON_LIMIT = 64 * 1024;

/**
 * `starting`: the agent is starting and the prompt waits. `cancelling`: cancellation was requested, but the agent has
 * not ended the turn yet.
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
 * Used and available tokens of the agent's context, and the cost of the session. `currency` is ISO 4217, or a unit such
 * as "credits".
 */
export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** A command that the agent runs through Symposium. */
export interface TerminalView {
  readonly terminalId: string;
  /** As typed in a shell. */
  readonly command: string;
  readonly cwd: string;
  /** The end of the output with its escape sequences: at most `TERMINAL_LIMIT` characters. */
  readonly output: string;
  /** Whether the start of the output is omitted. */
  readonly isCut: boolean;
  readonly exit?: { readonly code?: number; readonly signal?: string };
}
export const TERMINAL_LIMIT = 64 * 1024;

/** A prompt that waits for the end of the previous turn. */
export interface QueuedPrompt {
  readonly messageId: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/**
 * `held`: prompts are not sent automatically, because the previous turn was cancelled or failed. The user sends or
 * withdraws them.
 */
export interface Queue {
  readonly prompts: readonly QueuedPrompt[];
  readonly held: boolean;
}

/** Prompt content that the agent accepts in addition to text and links. */
export interface Accepts {
  readonly images: boolean;
}

/** The entries before a page's window (`conversation-window.ts`). */
export interface Omitted {
  readonly count: number;
  /** Ids of the newest prompts among them. */
  readonly promptIds: readonly string[];
  /** Start of the first prompt among them, for the title of the tab. */
  readonly firstPrompt?: string;
  /** The newest prompt, if it is among them: the user can send it again. */
  readonly newestPrompt?: Extract<Entry, { readonly kind: "user" }>;
}

/** `conversation`: id of the other session. `title`: its title when this one was created. */
export interface Origin {
  readonly conversation: string;
  readonly title: string;
}

export interface Conversation {
  readonly agent: AgentChoice;
  /** Working directory of the session, an absolute path. */
  readonly cwd: string;
  /** The agent's title. */
  readonly title?: string;
  /** The user's title, which precedes that of the agent. */
  readonly chosenTitle?: string;
  /** The session from which this one was created; absent for a new one. */
  readonly origin?: Origin;
  /** Absent if `entries` starts with the first entry, as in the sidecar. */
  readonly omitted?: Omitted;
  readonly entries: readonly Entry[];
  readonly turn: Turn;
  readonly commands: readonly Command[];
  readonly controls: readonly Control[];
  readonly usage?: Usage;
  /**
   * The agent's terminals in order of creation; absent if there are none. They remain after the agent has released
   * them.
   */
  readonly terminals?: readonly TerminalView[];
  /** Absent if nothing is queued. */
  readonly queue?: Queue;
  /** Absent until the agent has reported it. */
  readonly accepts?: Accepts;
  /** Details of the agent's current session; absent if there are none. */
  readonly details?: SessionDetails;
  /** All permission requests of this session are allowed. Never restored for a new session. */
  readonly bypassed?: true;
  /** Present only while the agent starts. */
  readonly start?: AgentStart;
  /** Unreviewed changes of files; absent if there are none. */
  readonly review?: ReviewSummary;
}

/** A change of a list of entries. */
export type EntryEvent =
  /** Replaces the entry with this id, or appends the entry. */
  | { readonly type: "upsert"; readonly entry: Entry }
  /** Appends text from `offset` (UTF-16 units) to a `user`, `agent`, `thought`, `compaction` or `message` entry. */
  | { readonly type: "append"; readonly id: string; readonly offset: number; readonly text: string }
  /** A change within the subagent entry with this id. */
  | { readonly type: "nested"; readonly id: string; readonly event: EntryEvent };

export type ChatEvent =
  | EntryEvent
  | { readonly type: "turn"; readonly turn: Turn }
  | { readonly type: "title"; readonly title: string }
  /** Sets the user's title; an empty one removes it. */
  | { readonly type: "renamed"; readonly title: string }
  | { readonly type: "commands"; readonly commands: readonly Command[] }
  | { readonly type: "controls"; readonly controls: readonly Control[] }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "queue"; readonly queue: Queue }
  | { readonly type: "accepts"; readonly accepts: Accepts }
  | { readonly type: "details"; readonly details: SessionDetails }
  | { readonly type: "bypassed"; readonly isOn: boolean }
  /** Without `start`: the start has ended. */
  | { readonly type: "start"; readonly start?: AgentStart }
  /** Without `review`: nothing is unreviewed. */
  | { readonly type: "review"; readonly review?: ReviewSummary }
  /** Replaces the terminal with this id, or appends the terminal. */
  | { readonly type: "terminal"; readonly terminal: TerminalView }
  /** Appends terminal output from `offset`, as in `append`. */
  | { readonly type: "terminalOutput"; readonly terminalId: string; readonly offset: number; readonly text: string }
  | WindowEvent
  | FoundEvent;

/**
 * Answers `find` and changes nothing: the ids of the newest entries that contain the query, in order. `isCut`: others
 * contain it, too.
 */
export interface FoundEvent {
  readonly type: "found";
  readonly requestNumber: number;
  readonly entryIds: readonly string[];
  readonly isCut: boolean;
}

/** A change of a page's window, which leaves the conversation unchanged. `omitted`: what precedes the new window. */
export type WindowEvent =
  /** Extends the window by these entries and their terminals. */
  | {
      readonly type: "earlier";
      readonly entries: readonly Entry[];
      readonly terminals: readonly TerminalView[];
      readonly omitted?: Omitted;
    }
  /** Removes entries from the start of the window, with the terminals that no other entry names. */
  | { readonly type: "trimmed"; readonly omitted: Omitted };

export function emptyConversation(agent: AgentChoice, cwd: string): Conversation {
  return { agent, cwd, entries: [], turn: { state: "idle" }, commands: [], controls: [] };
}

/** The conversation after an event. An `append` to a missing entry, or with a gap, changes nothing. */
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
    case "renamed":
      return renamed(conversation, event.title);
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
    case "start":
      return withStart(conversation, event.start);
    case "review":
      return withReview(conversation, event.review);
    case "terminal":
      return { ...conversation, terminals: withTerminal(conversation.terminals ?? [], event.terminal) };
    case "terminalOutput":
      return {
        ...conversation,
        terminals: (conversation.terminals ?? []).map(terminal =>
          terminal.terminalId === event.terminalId ? withOutput(terminal, event) : terminal,
        ),
      };
    case "earlier":
      return withEarlier(conversation, event);
    case "trimmed":
      return trimmed(conversation, event.omitted);
    case "found":
      return conversation;
  }
}

function withStart({ start: _, ...conversation }: Conversation, start: AgentStart | undefined): Conversation {
  return start === undefined ? conversation : { ...conversation, start };
}

function withReview({ review: _, ...conversation }: Conversation, review: ReviewSummary | undefined): Conversation {
  return review === undefined ? conversation : { ...conversation, review };
}

function withEarlier(
  { omitted: before, ...conversation }: Conversation,
  { entries, terminals, omitted }: Extract<WindowEvent, { readonly type: "earlier" }>,
): Conversation {
  if ((omitted?.count ?? 0) + entries.length !== (before?.count ?? 0))
    return before === undefined ? conversation : { ...conversation, omitted: before };
  const known = conversation.terminals ?? [],
    all = [...terminals.filter(({ terminalId }) => !known.some(each => each.terminalId === terminalId)), ...known];
  return {
    ...conversation,
    ...(omitted === undefined ? {} : { omitted }),
    entries: [...entries, ...conversation.entries],
    ...(all.length === 0 ? {} : { terminals: all }),
  };
}

function trimmed(conversation: Conversation, omitted: Omitted): Conversation {
  const count = omitted.count - (conversation.omitted?.count ?? 0);
  if (count <= 0) return conversation;
  const entries = conversation.entries.slice(count);
  return {
    ...conversation,
    omitted,
    entries,
    ...(conversation.terminals === undefined ? {} : remainingTerminals(conversation, entries)),
  };
}

/** Without the terminals that only other entries name. */
export function remainingTerminals(
  { entries, terminals = [] }: Pick<Conversation, "entries" | "terminals">,
  remaining: readonly Entry[],
): Pick<Conversation, "terminals"> {
  const named = terminalIds(remaining),
    others = terminalIds(entries);
  return { terminals: terminals.filter(({ terminalId: id }) => named.has(id) || !others.has(id)) };
}

/** Ids of the terminals that these entries name. */
export function terminalIds(entries: readonly Entry[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const entry of entries)
    if (entry.kind === "tool") {
      for (const content of entry.content) if (content.kind === "terminal") ids.add(content.terminalId);
    } else if (entry.kind === "subagent") for (const id of terminalIds(entry.entries)) ids.add(id);
  return ids;
}

function renamed({ chosenTitle: _, ...conversation }: Conversation, title: string): Conversation {
  return title === "" ? conversation : { ...conversation, chosenTitle: title };
}

function withBypass({ bypassed: _, ...conversation }: Conversation, isOn: boolean): Conversation {
  return isOn ? { ...conversation, bypassed: true } : conversation;
}

/** The entries after an event; see `applyEvent`. */
function withChange(entries: readonly Entry[], event: EntryEvent): readonly Entry[] {
  switch (event.type) {
    case "upsert":
      return replaced(entries, event.entry);
    case "append":
      return withAppended(entries, event);
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

function withAppended(
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

function withOutput(terminal: TerminalView, piece: { readonly offset: number; readonly text: string }): TerminalView {
  const output = append(terminal.output, piece);
  return output === undefined ? terminal : { ...terminal, output };
}

/**
 * Index of the last entry with this id, or -1. Searches from the end, because changes nearly always concern the newest
 * entries.
 */
export function lastIndexOf(entries: readonly Entry[], id: string): number {
  for (let i = entries.length - 1; i >= 0; i--) if (entries[i]?.id === id) return i;
  return -1;
}

export function isTerminal(status: ToolStatus | SubagentStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
