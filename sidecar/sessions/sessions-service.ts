/**
 * Handles the `sessions/*` requests of the host: the list of all sessions, the search in them, and changes of sessions
 * that need not be open (issue 17 item 1).
 *
 * Invariants:
 * - A session is listed once: one that has a journal is not listed again as a session of its agent.
 * - A session that is open in any window is not deleted.
 * - In an untrusted workspace, sessions are only read.
 */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { chatTitle } from "../../src/protocol/chat/chat-title";
import type { HostToSidecar } from "../../src/protocol/sidecar";
import type {
  ForkedSession,
  OpenableSession,
  SessionActivity,
  SessionRef,
  SessionSummary,
} from "../../src/protocol/sessions/sessions";
import { emptyConversation, lastIndexOf, remainingTerminals, type Conversation } from "../../src/protocol/chat/chat";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import { chatTranscript } from "../../src/protocol/chat/chat-transcript";
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Handlers, ParamsOf, Part } from "../../src/protocol/wire/wire";
import { endsWithError } from "../chat/attention";
import type { OpenConversation } from "../chat/session";
import type { Journal } from "../journal/journal";
import type { Clock } from "../rpc/clock";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { AgentRef, AgentSessions } from "./agent-sessions";
import { isListed, type IndexedSession, type SessionCatalog } from "./session-catalog";
import { cwdIn, exportedConversation } from "./session-export";
import { importInto, refused, type SessionFiles } from "./session-files";

export interface SessionsDeps {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly catalog: SessionCatalog;
  /** Sessions that only their agents store. */
  readonly agents: AgentSessions;
  /** Exports and imports. */
  readonly files: SessionFiles;
  /** The sessions that are open in this process. */
  readonly chat: { readonly open: readonly OpenConversation[]; rename(conversation: string, title: string): boolean };
  /** Extensions of new sessions. */
  readonly extensions: () => readonly ExtensionConfig[];
  /** The workspace is not trusted. */
  readonly isRestricted: boolean;
  readonly notifyChanged: () => void;
}

type ForkRequest = ParamsOf<HostToSidecar, "sessions/fork">;

/** Milliseconds between two notifications. */
const CHANGED_MS = 500;
const TITLE_LIMIT = 1_000;

export class SessionsService {
  #notification: "none" | "scheduled" = "none";

  constructor(private readonly deps: SessionsDeps) {}

  readonly handlers: Handlers<Part<HostToSidecar, "sessions">> = {
    "sessions/list": async () => ({ sessions: await this.#list() }),
    "sessions/refresh": async ({ agents, cwd }) => {
      if (!this.deps.isRestricted && (await this.deps.agents.refresh(agents, cwd))) this.changed();
      return {};
    },
    "sessions/open": async ({ ref }) => (ref.kind === "agent" ? this.#adopted(ref) : this.#stored(ref)),
    "sessions/fork": async request => this.#fork(request),
    "sessions/search": ({ query, limit }, signal) => this.deps.catalog.search(query, limit, signal),
    "sessions/rename": async ({ ref, title }) => {
      this.#requireTrust();
      const line = title.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_LIMIT);
      if (ref.kind === "agent") await this.deps.agents.rename(ref, line);
      else if (!this.deps.chat.rename(ref.conversation, line))
        this.#storeListed(ref.conversation, { chosenTitle: line });
      this.changed();
      return {};
    },
    "sessions/archive": async ({ ref, isArchived }) => {
      this.#requireTrust();
      if (ref.kind === "agent") await this.deps.agents.archive(ref, isArchived);
      else this.#storeListed(ref.conversation, { isArchived });
      this.changed();
      return {};
    },
    "sessions/delete": async ({ ref }) => {
      this.#requireTrust();
      if (ref.kind === "agent") await this.deps.agents.delete(ref);
      else await this.#deleteStored(ref);
      this.changed();
      return {};
    },
    "sessions/export": async request => {
      await this.deps.files.export(request);
      return {};
    },
    "sessions/import": async ({ path }) => {
      this.#requireTrust();
      const conversation = randomUUID(),
        imported = await this.deps.files.import({ conversation, path });
      this.changed();
      return { conversation, ...imported };
    },
  };

  /** Call it when the list may have changed. */
  changed(): void {
    if (this.#notification === "scheduled") return;
    this.#notification = "scheduled";
    this.deps.clock.after(CHANGED_MS, () => {
      this.#notification = "none";
      this.deps.notifyChanged();
    });
  }

  async #list(): Promise<readonly SessionSummary[]> {
    const open = new Map(this.deps.chat.open.map(each => [each.conversation, each])),
      stored = await this.deps.catalog.all(conversation => open.has(conversation)),
      storedIds = new Set(stored.map(({ conversation }) => conversation));
    // An empty tab is not listed. Neither is its session by the agent.
    const own = new Set(
      stored
        .filter(each => open.has(each.conversation) || isListed(each))
        .flatMap(({ agentSessions }) => agentSessions.map(({ agentId, id }) => keyOf(agentId, id))),
    );
    return [
      ...stored.flatMap(each => {
        const session = open.get(each.conversation);
        return session === undefined ? summaryOf(each) : openSummary(session, each);
      }),
      // The storage is not writable, or the first change is not stored yet.
      ...[...open.values()].flatMap(each => (storedIds.has(each.conversation) ? [] : openSummary(each))),
      ...this.deps.agents.list.filter(({ ref: { agentId, sessionId } }) => !own.has(keyOf(agentId, sessionId))),
    ].sort((a, b) => b.changedAt - a.changedAt);
  }

  #fork({ conversation, newId, before, agent }: ForkRequest): ForkedSession {
    this.#requireTrust();
    const { chat, journal, agents } = this.deps,
      { text, record } = journal.read(conversation),
      source =
        chat.open.find(each => each.conversation === conversation)?.state ??
        exportedConversation(text, cwdIn(text.version) ?? record?.cwd ?? "");
    if (source === undefined) throw refused(l10n.t("This session was deleted."));
    const branch = branchOf(source, conversation, before, agent ?? source.agent),
      isWhole = before === undefined && source.turn.state === "idle",
      continues = isWhole && record?.agentId === branch.agent.id && !record.isFork && agents.canFork(record.agentId);
    importInto(journal, newId, branch);
    if (continues) journal.keep(newId, { ...record, isFork: true });
    this.changed();
    const transcript = continues ? "" : chatTranscript(branch);
    return {
      conversation: newId,
      agentId: branch.agent.id,
      agent: branch.agent,
      cwd: branch.cwd,
      ...(transcript === "" ? {} : { transcript }),
    };
  }

  async #stored({ conversation }: Extract<SessionRef, { kind: "stored" }>): Promise<OpenableSession> {
    const session = (await this.deps.catalog.all()).find(each => each.conversation === conversation);
    const agentId = session?.agent?.id ?? session?.agentSessions.at(-1)?.agentId;
    if (session === undefined || agentId === undefined) throw refused(l10n.t("This session was deleted."));
    return { conversation, agentId, cwd: session.cwd };
  }

  /** The stored session that continues the session of an agent. */
  async #adopted(ref: AgentRef): Promise<OpenableSession> {
    this.#requireTrust();
    const { agentId, sessionId } = ref,
      listed = this.deps.agents.list.find(each => each.ref.agentId === agentId && each.ref.sessionId === sessionId);
    const existing = (await this.deps.catalog.all()).find(({ agentSessions }) =>
      agentSessions.some(each => each.agentId === agentId && each.id === sessionId),
    );
    if (existing !== undefined) return { conversation: existing.conversation, agentId, cwd: existing.cwd };
    if (listed === undefined) throw refused(l10n.t("The agent no longer lists this session."));
    const conversation = randomUUID();
    this.deps.journal.keep(
      conversation,
      {
        type: "session",
        format: 1,
        agentId,
        cwd: listed.cwd,
        protocol: 1,
        extensions: this.deps.extensions().map(({ id }) => id),
        agentSession: sessionId,
        ...(listed.title === "" ? {} : { title: listed.title }),
      },
      listed.changedAt === 0 ? undefined : listed.changedAt,
    );
    return { conversation, agentId, cwd: listed.cwd };
  }

  async #deleteStored({ conversation }: Extract<SessionRef, { kind: "stored" }>): Promise<void> {
    const { chat, journal, catalog, agents } = this.deps;
    if (chat.open.some(each => each.conversation === conversation))
      throw refused(l10n.t("This session is open in a tab. Close the tab, then delete the session."));
    const lease = await journal.lease(conversation, false);
    if (lease === undefined)
      throw refused(l10n.t("This session is open in another window. Close its tab there, then delete the session."));
    try {
      const session = (await catalog.all()).find(each => each.conversation === conversation);
      await journal.delete(conversation);
      for (const { agentId, id } of session?.agentSessions ?? []) await agents.deleteStored(agentId, id);
    } finally {
      await lease.release();
    }
  }

  #storeListed(conversation: string, members: Readonly<Record<string, unknown>>): void {
    try {
      this.deps.journal.storeListed(conversation, members);
    } catch {
      throw refused(
        l10n.t(
          "The session could not be changed: its file is missing, not writable, or of a newer version of Symposium.",
        ),
      );
    }
  }

  #requireTrust(): void {
    if (this.deps.isRestricted) throw refused(l10n.t("Trust this workspace to change its sessions."));
  }
}

/** The beginning of a conversation as a new one, without notices, which are about the other session of the agent. */
function branchOf(
  source: Conversation,
  conversation: string,
  before: string | undefined,
  agent: AgentChoice,
): Conversation {
  const end = before === undefined ? source.entries.length : lastIndexOf(source.entries, before);
  if (end === -1) throw refused(l10n.t("This message is no longer in the session."));
  const isWhole = end === source.entries.length,
    beginning = source.entries.slice(0, end).filter(({ kind }) => kind !== "notice"),
    entries = interrupted({ entries: beginning, turn: isWhole ? source.turn : IDLE }, FORKED),
    { terminals = [] } = remainingTerminals(source, entries);
  return {
    ...emptyConversation(agent, source.cwd),
    origin: { conversation, title: chatTitle(source) ?? source.agent.name },
    entries,
    ...(terminals.length === 0 ? {} : { terminals }),
  };
}
const IDLE = { state: "idle" } as const;
const FORKED = l10n.t("The session was forked.");

/** Empty if the session has no content. */
function summaryOf(stored: IndexedSession): readonly SessionSummary[] {
  if (!isListed(stored)) return [];
  const { conversation, agent, title, cwd, changedAt, cost, hasFailed } = stored;
  return [
    {
      ref: { kind: "stored", conversation },
      agent,
      title,
      cwd,
      changedAt,
      ...(hasFailed ? { activity: "failed" } : {}),
      ...(cost === undefined ? {} : { cost }),
      ...listedMembers(stored),
    },
  ];
}

/** Empty if the conversation has no content. `stored`: undefined if it has no journal. */
function openSummary(open: OpenConversation, stored?: IndexedSession): readonly SessionSummary[] {
  if (isEmpty(open)) return [];
  const { conversation, state } = open,
    activity = activityOf(open);
  return [
    {
      ref: { kind: "stored", conversation },
      agent: state.agent,
      title: chatTitle(state) ?? "",
      cwd: state.cwd,
      changedAt: stored?.changedAt ?? Date.now(),
      ...(activity === undefined ? {} : { activity }),
      ...(state.usage?.cost === undefined ? {} : { cost: state.usage.cost }),
      ...(stored === undefined ? {} : listedMembers(stored)),
    },
  ];
}

function listedMembers({ isArchived, origin }: IndexedSession): Pick<SessionSummary, "isArchived" | "origin"> {
  return { ...(isArchived ? { isArchived } : {}), ...(origin === undefined ? {} : { origin }) };
}

function activityOf({ state, attention }: OpenConversation): SessionActivity | undefined {
  if (attention === "answer") return "needsAnswer";
  if (state.turn.state !== "idle") return "running";
  if (attention === "failed" || endsWithError(state)) return "failed";
  return attention === "reading" ? "unread" : undefined;
}

function isEmpty({ state: { entries } }: OpenConversation): boolean {
  return entries.every(({ kind }) => kind === "notice");
}

const keyOf = (agentId: string, sessionId: string): string => `${agentId}\n${sessionId}`;
