/**
 * A chat session's client of its agent (`agent-session.ts`): the agent's open requests, and the user's choices for it.
 *
 * Invariants:
 * - Every request of the agent is answered once.
 * - The user's choices are set before the first prompt of every session of the agent.
 */
import type { Control, ControlValue } from "../../../src/protocol/chat/controls";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { AgentConnection } from "../../acp/connection";
import { selected } from "../../agent-session/agent-answers";
import { requiresSignIn } from "../../agent-session/agent-failure";
import { AgentSession, type PromptContent } from "../../agent-session/agent-session";
import type { SessionBegin } from "../../agent-session/open-agent-session";
import { UnsentPrompt } from "../../agent-session/prompt-preparation";
import { AgentError, restartedElsewhere, type AgentErrorCode } from "../../errors";
import { stringOr, type JsonObject } from "../../rpc/json";
import { methodNotFound } from "../../rpc/peer";
import { AgentControls } from "./agent-controls";
import { ChatOpening, type ChatOpeningDeps } from "./chat-opening";
import { AgentFiles, type Ask } from "./agent-files";
import { AgentTerminals } from "./agent-terminals";
import { SessionTimeouts } from "./session-timeouts";
import { AgentQuestions } from "./agent-questions";
import { clientMethod } from "./client-methods";
import { promptContent, type PromptBlocks } from "./prompt-content";
import type { Attempt } from "./sign-in";
import type { Prompt, SessionEvent, AgentFailure } from "../session-model";
import type { SessionStart, SessionDeps } from "../session-deps";
import { failureNotice } from "./failure-notice";
import type { ChatAgentMessage } from "./chat-agent-message";
import { CLIENT_METHODS } from "../../acp/methods";

/** Errors of a continuation that do not invalidate the session. The next opening continues it. */
const TEMPORARY: ReadonlySet<AgentErrorCode> = new Set(["authRequired", "closed", "signedOut", "restarted"]);

export class AgentClient implements Disposable {
  readonly #session: AgentSession<AgentFailure, SessionEvent>;
  readonly #questions: AgentQuestions;
  readonly #files: AgentFiles;
  #terminals: AgentTerminals;
  readonly #controls: AgentControls;
  readonly #timeouts: SessionTimeouts;
  readonly #openings: ChatOpeningDeps;
  #pause: Disposable | undefined;
  /** Sign-in attempt with which the next opening begins. */
  #next: Attempt = "first";
  /** The agent's id of the newest session that contains a prompt, which the next opening continues. */
  #agentSession: string | undefined;
  /** The agent session that this process has stored in the journal. */
  #storedSession: string | undefined;
  /** Running installations, which suspend the timeouts. */
  readonly #installing = new Set<string>();

  constructor(
    private readonly start: SessionStart,
    private readonly deps: SessionDeps,
    private readonly report: (message: ChatAgentMessage) => void,
  ) {
    this.#controls = new AgentControls(start.controls ?? {}, {
      keep: (controlId, value) => deps.keepControl(start.agent.id, controlId, value),
      refused: (control, error) =>
        deps.log("warn", "agent", "Earlier options could not be restored", { control, error: String(error) }),
    });
    this.#questions = new AgentQuestions(
      `${start.sessionId.slice(0, 8)}-`,
      () => deps.policy.decide(start.agent.id),
      id => this.#session.notifier()({ kind: "withdrawn", id }),
    );
    this.#timeouts = new SessionTimeouts(deps.clock, () => this.#questions.isAsking || this.#installing.size > 0);
    this.#files = new AgentFiles(start.folders ?? [start.cwd], deps.editor, deps.recording);
    const { agent, cwd, protocol = 1, extensions = [] } = start;
    this.#agentSession = start.agentSession;
    this.#openings = {
      start,
      deps,
      key: { agent, cwd, protocol, extensions },
      controls: this.#controls,
      questions: this.#questions,
      timeouts: this.#timeouts,
      missed: new Set(),
    };
    this.#session = new AgentSession<AgentFailure, SessionEvent>({
      pool: deps.pool,
      key: this.#openings.key,
      post: report,
      failure: error => this.#failure(error),
      onSending: agentSession => this.#sending(agentSession),
      opening: (_, abandoned) => this.#opening(abandoned),
      onRefused: (how, error) => this.#refused(how, error),
      watch: (connection, sessionId) => this.#detail(connection, sessionId),
    });
    this.#terminals = this.#newTerminals();
  }

  /** Converts a message to an event of the session; `undefined` if the message is already answered. */
  onMessage(message: ChatAgentMessage): SessionEvent | undefined {
    switch (message.kind) {
      case "consent":
        return this.#session.isCurrent(message.of) && !message.request.signal.aborted
          ? this.#questions.consent(message.consent, message.request, message.settle)
          : this.refuse(message);
      case "event":
      case "request":
      case "opened":
        return this.#session.isLate(message) ? this.refuse(message) : this.#event(message);
      default:
        return assertNever(message, "message of an agent");
    }
  }

  #event(message: Exclude<ChatAgentMessage, { readonly kind: "consent" }>): SessionEvent | undefined {
    switch (message.kind) {
      case "event":
        return message.event;
      case "request":
        return this.#request(message);
      case "opened": {
        const { lease, id } = message.session;
        this.#session.opened(message);
        this.#timeouts[Symbol.dispose]();
        this.deps.log("info", "agent", "Session created", {
          sessionId: this.start.sessionId,
          agentSessionId: id,
          agent: this.start.agent.id,
        });
        if (!message.isContinued) this.#agentSession = undefined;
        return {
          kind: "opened",
          accepts: { images: lease.connection.accepts.images },
          isContinued: message.isContinued,
        };
      }
      default:
        return assertNever(message, "message of an agent");
    }
  }

  /** Answers a message that arrives too late. */
  refuse(message: ChatAgentMessage): undefined {
    if (message.kind === "consent") message.settle(undefined);
    else this.#session.refuse(message);
  }

  open(): void {
    this.#pause?.[Symbol.dispose]();
    this.#session.open();
  }

  #opening(abandoned: AbortSignal): ChatOpening {
    const notify = this.#session.notifier(),
      attempt = this.#next;
    this.#timeouts.startOpening(notify);
    this.#next = "first";
    const begin: SessionBegin =
      this.#agentSession === undefined
        ? { kind: "new" }
        : this.start.isFork && this.#agentSession === this.start.agentSession
          ? { kind: "fork", agentSession: this.#agentSession }
          : {
              kind: "again",
              agentSession: this.#agentSession,
              // A session of the agent's own list: nothing of it is stored.
              ...(this.start.earlier === undefined && this.#agentSession === this.start.agentSession
                ? { needsReplay: true }
                : {}),
            };
    return new ChatOpening(this.#openings, begin, attempt, abandoned, notify);
  }

  /** Reports the details now, and whenever an extension's status changes. */
  #detail(
    { agentName: name, agentVersion: version, extensions }: AgentConnection,
    sessionId: string,
  ): Disposable | undefined {
    const notify = this.#session.notifier();
    const program =
      name === "" && version === ""
        ? {}
        : { program: { ...(name === "" ? {} : { name }), ...(version === "" ? {} : { version }) } };
    const notifyDetails = (): void => {
      const missingTools = extensions?.missingTools(sessionId);
      notify({
        kind: "detailed",
        details: {
          ...program,
          extensions: extensions?.of(sessionId) ?? [],
          ...(missingTools === undefined ? {} : { missingTools }),
          ...(extensions?.canConfigure(sessionId) === true ? { canConfigure: true } : {}),
        },
      });
    };
    const subscription = extensions?.listen(sessionId, notifyDetails);
    notifyDetails();
    return subscription;
  }

  /** Posts `reopened` after a pause, unless the session is opened or left before. */
  reopenLater(ms: number): void {
    const notify = this.#session.notifier();
    this.#pause = this.deps.clock.after(ms, () => notify({ kind: "reopened" }));
  }

  /** Records that an installation runs or has ended. After the last one, the time of the start begins again. */
  installing(what: string, isInstalling: boolean): void {
    if (isInstalling) this.#installing.add(what);
    else if (this.#installing.delete(what) && this.#installing.size === 0) this.#timeouts.restartOpening();
  }

  /** Reads the attachments, then sends the prompt. `ready`: resolves when the agent may begin. */
  send({ text, attachments }: Prompt, ready?: Promise<void>): void {
    const { editor } = this.deps,
      notify = this.#session.notifier();
    const content = ({ blocks, omitted }: PromptBlocks): PromptContent => ({
      blocks,
      onReady: () => {
        if (omitted.length > 0) notify({ kind: "leftOut", names: omitted });
      },
      onEnded: outcome => {
        this.#timeouts[Symbol.dispose]();
        if (outcome.kind === "failed" && requiresSignIn(outcome.error)) this.#next = "wanted";
      },
    });
    this.#session.prompt(({ lease: { connection } }) => {
      const prepared = attachments
        ? promptContent(text, attachments, connection.accepts, path => editor.readTextFile(path)).then(content)
        : content({ blocks: [{ type: "text", text }], omitted: [] });
      return ready === undefined ? prepared : Promise.all([prepared, ready]).then(([first]) => first);
    });
  }

  cancel(): void {
    if (this.#session.cancel()) this.#timeouts.startCancelling(this.#session.notifier());
  }

  setControl(control: Control, value: ControlValue): void {
    const { opening, current: session } = this.#session;
    this.#controls.choose(control.id, value);
    if (session)
      this.#controls.set(session.lease.connection, session.id, control, value, this.#session.notifier(), () =>
        this.#session.isCurrent(opening),
      );
  }

  answerPermission(permissionId: string, optionId: string | undefined): void {
    this.deps.log("info", "approval", "Permission answered", {
      sessionId: this.start.sessionId,
      permissionId,
      optionId: optionId ?? "cancelled",
    });
    this.#questions.answer(permissionId, optionId === undefined ? undefined : selected(optionId));
  }

  /** The content of the response is passed to the agent only, not to the log. */
  answerElicitation(id: string, response: JsonObject): void {
    this.deps.log("info", "agent", "Question answered", {
      sessionId: this.start.sessionId,
      id,
      action: stringOr(response.action, ""),
    });
    this.#questions.answer(id, response);
  }

  leave(): void {
    this.#timeouts[Symbol.dispose]();
    this.#pause?.[Symbol.dispose]();
    this.#session.leave();
    this.#questions.settle();
    this.#terminals.leave().catch((error: unknown) =>
      this.deps.log("error", "agent", "A terminal command of an agent could not be stopped", {
        error: String(error),
      }),
    );
    this.#terminals = this.#newTerminals();
  }

  restart(): void {
    const connection = this.#session.current?.lease.connection; // its process may be retired
    this.leave();
    this.deps.pool.restart(this.#openings.key, restartedElsewhere(this.start.agent.name), connection);
  }

  [Symbol.dispose](): void {
    this.#timeouts[Symbol.dispose]();
    this.#pause?.[Symbol.dispose]();
  }

  /** Creates the terminals of the next agent session. Late output of an earlier session still updates its cards. */
  #newTerminals(): AgentTerminals {
    const { start, deps } = this,
      emit = (event: SessionEvent): void => this.report({ kind: "event", event, of: this.#session.opening });
    return new AgentTerminals(
      `${start.sessionId.slice(0, 8)}-${this.#session.opening}`,
      start.cwd,
      deps.startCommand,
      deps.clock,
      {
        started: terminal => emit({ kind: "terminalStarted", terminal }),
        printed: (terminalId, text, isCut) => emit({ kind: "terminalPrinted", terminalId, text, isCut }),
        ended: (terminalId, exit) => emit({ kind: "terminalEnded", terminalId, exit }),
      },
    );
  }

  /** Handles a request that is answered at once or by the user. */
  #request(message: Extract<ChatAgentMessage, { readonly kind: "request" }>): SessionEvent | undefined {
    const { request, version, agentName, agentVersion, subagent } = message;
    if (request.method === CLIENT_METHODS.session_request_permission)
      return this.#questions.permission(request, version, subagent);
    if (request.method === CLIENT_METHODS.elicitation_create) return this.#questions.elicitation(request, subagent);
    const answer = clientMethod(request.method, request.params, {
        files: this.#files,
        terminals: this.#terminals,
        agentName,
        agentVersion,
      }),
      opening = this.#session.opening;
    if (!answer) return void request.fail(methodNotFound(request.method));
    const ask: Ask = consent =>
      new Promise(settle => this.report({ kind: "consent", consent, request, settle, of: opening }));
    return void answer(ask).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  }

  #sending(agentSession: string): void {
    // Stored once per process, even if continued, so that the cleanup keeps the journal of a used session.
    if (agentSession !== this.#storedSession) this.deps.keepSession(agentSession);
    this.#storedSession = this.#agentSession = agentSession;
    this.deps.log("info", "agent", "Sending prompt", { sessionId: this.start.sessionId });
    this.#timeouts.startTurn(this.#session.notifier());
  }

  /** A failed continuation is not retried, except after an error in `TEMPORARY`: it would fail again. */
  #refused(how: string, error: unknown): void {
    if (!(error instanceof AgentError && TEMPORARY.has(error.code))) this.#agentSession = undefined;
    this.deps.log("warn", "agent", "The agent could not continue its session", {
      sessionId: this.start.sessionId,
      how,
      error: String(error),
    });
  }

  #failure(error: unknown): AgentFailure {
    if (error instanceof UnsentPrompt) {
      const { message, cause } = error;
      if (cause !== undefined)
        this.deps.log("error", "agent", "A prompt could not be created", { cause: String(cause) });
      return { text: message, actions: cause === undefined ? [] : ["showLogs"] };
    }
    const { failure, cause } = failureNotice(error);
    this.deps.log("error", "agent", "Agent failed", {
      sessionId: this.start.sessionId,
      agent: this.start.agent.id,
      message: failure.text,
      cause,
    });
    return failure;
  }
}
