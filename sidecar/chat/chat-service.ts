/**
 * Handles the `chat/*` requests of the host: forwards each to its session. Owns the sessions, but does not inspect
 * their content.
 */
import * as l10n from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import type { Installable, InstallProgress } from "../../src/protocol/agents/agent-service";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { SessionId } from "../../src/protocol/chat/chat";
import { ErrorCode } from "../../src/protocol/wire/errors";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { ActionMethods, ActionName, SessionAction } from "../../src/protocol/chat/session-actions";
import type { HostToSidecar, PromptBlock, SidecarToHost } from "../../src/protocol/sidecar";
import type { Handlers, Notes, ParamsOf, Part } from "../../src/protocol/wire/wire";
import type { AgentCommand } from "../agents/distributions/agent-command";
import type { AgentPool } from "../agents/pool";
import type { Journal, StoredSession, WriteLease } from "../journal/journal";
import { FORMAT } from "../journal/stored-conversation";
import type { BypassPolicy } from "../permissions/bypass-policy";
import type { ReviewService } from "../review/review-service";
import type { Clock } from "../rpc/clock";
import { RpcError } from "../rpc/message";
import type { StartCommand } from "./agent/agent-terminals";
import { editorFiles, type AskHost } from "./agent/editor-files";
import { Session, type OpenConversation } from "./session";
import { recordOf, startOf } from "./start-options";
import type { SessionDeps, SessionStart } from "./session-deps";
import type { Prompt } from "./session-model";
import { actionNames } from "./session-state";

/** The connection to the host. */
export interface Host {
  request: AskHost;
  notify<M extends keyof Notes<SidecarToHost>>(method: M, params: ParamsOf<SidecarToHost, M>): void;
  isCongested(): boolean;
}

export interface ChatDeps {
  readonly bootId: string;
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly policy: BypassPolicy;
  readonly host: Host;
  readonly startCommand: StartCommand;
  readonly cancelInstall?: SessionDeps["cancelInstall"];
  /** Resolves an agent's start command; see `LaunchDeps.command`. */
  readonly command: (agent: AgentConfig, signal: AbortSignal) => Promise<AgentCommand>;
  /** Extensions of new sessions. Default: none. */
  readonly extensions?: () => readonly ExtensionConfig[];
  /** Persists conversations and the agents' sessions for later processes. */
  readonly journal: Pick<Journal, "lease" | "read" | "keep" | "writer">;
  /** The workspace is not trusted; see `HelloFromHost.restricted`. */
  readonly isRestricted?: boolean;
  /** Reports a change that the list of sessions shows. */
  readonly listChanged?: () => void;
  /** Records what turns change. Default: nothing is recorded. */
  readonly record?: ReviewService["record"];
  readonly filesIn?: SessionDeps["filesIn"];
  readonly log: SessionDeps["log"];
}

/** Never aborts. */
const NEVER = new AbortController().signal;

export class ChatService implements AsyncDisposable {
  readonly #sessions = new Map<SessionId, Session>();
  /** Sessions that are being closed, by conversation. Their last changes precede the next session. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(private readonly deps: ChatDeps) {}

  readonly handlers: Handlers<Part<HostToSidecar, "chat">> = {
    ...actionHandlers((sessionId, action) => this.#session(sessionId).perform(action)),
    "chat/new": async chat => {
      await this.#closing.get(chat.conversation);
      const sessionId = randomUUID(),
        isRestricted = this.deps.isRestricted === true,
        lease = isRestricted ? undefined : await this.deps.journal.lease(chat.conversation, chat.start === "takeOver"),
        stored = this.deps.journal.read(chat.conversation),
        start = startOf(sessionId, chat, stored, this.deps.extensions?.() ?? []);
      this.#sessions.set(sessionId, new Session(start, this.#depsOf(start, stored, lease)));
      this.deps.listChanged?.();
      return { sessionId };
    },
    "chat/prompt": ({ sessionId, messageId, blocks }) =>
      new Promise((resolve, reject) => {
        this.deps.log("info", "agent", "Received prompt", { sessionId, messageId });
        this.#session(sessionId).prompt(promptOf(messageId, blocks), {
          accept: () => resolve({}),
          refuse: why => reject(new RpcError(ErrorCode.refused, why)),
        });
      }),
    "chat/close": async ({ sessionId }) => {
      const session = this.#session(sessionId),
        { conversation } = session,
        closing = session[Symbol.asyncDispose]();
      this.#sessions.delete(sessionId);
      this.#closing.set(conversation, closing);
      try {
        await closing;
      } finally {
        if (this.#closing.get(conversation) === closing) this.#closing.delete(conversation);
        this.deps.listChanged?.();
      }
      return {};
    },
    "chat/bypass": async ({ sessionId, until }) => {
      this.deps.log("info", "approval", "Permissions bypassed", { sessionId, until });
      this.#session(sessionId).bypass(until);
      return {};
    },
    "chat/restartAgent": async ({ sessionId }) => {
      this.#session(sessionId).restartAgent();
      return {};
    },
    "chat/replay": ({ sessionId, at, requestNumber }) => this.#sessions.get(sessionId)?.replay(at, requestNumber),
  };

  /** The open conversations. */
  get open(): readonly OpenConversation[] {
    return [...this.#sessions.values()].map(({ current }) => current);
  }

  /** Sets the user's title of an open conversation. `false`: it is not open. */
  rename(conversation: string, title: string): boolean {
    const session = [...this.#sessions.values()].find(each => each.conversation === conversation);
    session?.perform({ kind: "rename", title });
    return session !== undefined;
  }

  /** Reports the progress of an installation to all sessions. Without `progress`: the installation has ended. */
  installing(kind: Installable, id: string, progress: InstallProgress | undefined): void {
    for (const session of this.#sessions.values()) session.installing(kind, id, progress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(session => session[Symbol.asyncDispose]()));
  }

  #session(sessionId: SessionId): Session {
    const session = this.#sessions.get(sessionId);
    if (!session)
      throw new RpcError(
        ErrorCode.unknownSession,
        "This conversation is no longer open. Close the tab and open a new one.",
      );
    return session;
  }

  #recordingOf(
    { sessionId, conversation, agent, cwd, folders }: SessionStart,
    lease: WriteLease | undefined,
  ): SessionDeps["recording"] {
    return lease === undefined
      ? undefined
      : this.deps.record?.({
          id: conversation,
          kind: "chat",
          agentName: agent.name,
          folders: folders ?? [cwd],
          changed: summary => this.#sessions.get(sessionId)?.reviewed(summary),
        });
  }

  #depsOf(start: SessionStart, { text }: StoredSession, lease: WriteLease | undefined): SessionDeps {
    const { host, journal, ...deps } = this.deps,
      { sessionId } = start;
    return {
      ...deps,
      sink: {
        event: ({ seq, event }) => host.notify("chat/event", { sessionId, bootId: deps.bootId, seq, event }),
        snapshot: (seq, conversation, requestNumber) =>
          host.notify("chat/snapshot", {
            sessionId,
            bootId: deps.bootId,
            seq,
            conversation,
            ...(requestNumber === undefined ? {} : { requestNumber }),
          }),
        isCongested: () => host.isCongested(),
      },
      lease,
      readOnly: this.deps.isRestricted
        ? "untrusted"
        : text.format > FORMAT
          ? "newer"
          : lease === undefined
            ? "elsewhere"
            : undefined,
      store: lease === undefined ? () => undefined : journal.writer(start.conversation, text, lease),
      keepSession: agentSession => {
        if (lease?.isHeld() && text.format <= FORMAT) journal.keep(start.conversation, recordOf(start, agentSession));
      },
      recording: this.#recordingOf(start, lease),
      setBypass: agentId => host.notify("settings/setBypass", { agentId }),
      keepControl: (agentId, controlId, value) => host.notify("settings/setControl", { agentId, controlId, value }),
      attention: (attention, { agent, title }) =>
        host.notify("chat/attention", {
          sessionId,
          attention,
          name: agent.name,
          ...(title === undefined ? {} : { title }),
        }),
      listChanged: () => deps.listChanged?.(),
      editor: editorFiles((method, params) => host.request(method, params)),
      signIn: {
        runInTerminal: async (agent, cwd, { args, env }) => {
          const command = await this.deps.command(agent, NEVER);
          if (command.kind !== "process")
            throw new Error(l10n.t`${agent.name} runs inside Symposium and has no program to sign in with.`);
          return (
            await host.request("editor/runInTerminal", {
              title: l10n.t`${agent.name}: Sign In`,
              command: command.command,
              args: [...command.args, ...args],
              env: { ...command.env, ...env },
              cwd,
            })
          ).exitCode;
        },
        keepEnvironment: async (agentId, env) => {
          await host.request("secrets/keepEnvironment", { agentId, env });
        },
      },
      openPage: url => host.notify("editor/openPage", { url }),
    };
  }
}

/** One handler per user action. */
function actionHandlers(perform: (sessionId: SessionId, action: SessionAction) => void): Handlers<ActionMethods> {
  const handler =
    (kind: ActionName) =>
    async ({ sessionId, ...params }: { readonly sessionId: SessionId }) => {
      perform(sessionId, { kind, ...params } as SessionAction);
      return {};
    };
  return Object.fromEntries(
    actionNames.map(name => [`chat/${name}`, handler(name)]),
  ) as unknown as Handlers<ActionMethods>;
}

function promptOf(messageId: string, blocks: readonly PromptBlock[]): Prompt {
  const attachments = blocks.flatMap(block => (block.type === "attachment" ? [block.attachment] : []));
  return {
    messageId,
    text: blocks.flatMap(block => (block.type === "text" ? [block.text] : [])).join("\n"),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}
