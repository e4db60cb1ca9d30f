/**
 * A session's client of its agent: the agent's session, its open requests, and the user's choices for it. Messages of
 * the agent are posted to the session's queue and take effect only when the session handles them.
 *
 * Invariants:
 * - Messages of an agent that was left are ignored.
 * - Every request of the agent is answered once.
 * - The user's choices are set before the first prompt of every session of the agent.
 */
import type { Control, ControlValue } from "../../src/protocol/controls";
import { assertNever } from "../../src/protocol/wire";
import type { AgentConnection } from "../acp/connection";
import { answerLate, selected } from "../agent-session/agent-answers";
import { AgentSessionHandle, closeSession } from "../agent-session/agent-session-handle";
import { restartedElsewhere } from "../errors";
import { stringOr, type JsonObject } from "../rpc/json";
import { methodNotFound } from "../rpc/peer";
import { AgentControls } from "./agent-controls";
import { SessionOpening, type OpeningDeps } from "./session-opening";
import { AgentFiles, type Ask } from "./agent-files";
import { AgentTerminals } from "./agent-terminals";
import { SessionTimeouts } from "./session-timeouts";
import { AgentPrompts } from "./agent-prompts";
import { AgentQuestions } from "./agent-questions";
import { clientMethod } from "./client-methods";
import { wantsSignIn, type Attempt } from "./sign-in";
import type { Prompt, SessionEvent, Trouble } from "./session-model";
import type { SessionStart, SessionDeps } from "./session-deps";
import { troubleOf } from "./agent-failure";
import type { AgentMessage } from "./agent-message";
import { CLIENT_METHODS } from "../acp/methods";

export class AgentClient implements Disposable {
  readonly #handle = new AgentSessionHandle();
  readonly #questions: AgentQuestions;
  readonly #files: AgentFiles;
  #terminals: AgentTerminals;
  readonly #controls: AgentControls;
  readonly #patience: SessionTimeouts;
  readonly #prompts: AgentPrompts;
  readonly #openings: OpeningDeps;
  #pause: Disposable | undefined;
  /** Sign-in attempt with which the next opening begins. */
  #next: Attempt = "first";
  /** Installations for which the agent waits. During these it is not considered late. */
  readonly #installing = new Set<string>();
  /** Listener of the session's details while the agent's session is open. */
  #details: Disposable | undefined;

  constructor(
    private readonly start: SessionStart,
    private readonly deps: SessionDeps,
    private readonly report: (message: AgentMessage) => void,
  ) {
    this.#controls = new AgentControls(start.controls ?? {}, {
      keep: (controlId, value) => deps.keepControl(start.agent.id, controlId, value),
      refused: (control, error) =>
        deps.log("warn", "agent", "What was chosen before could not be set", { control, error: String(error) }),
    });
    this.#questions = new AgentQuestions(
      `${start.sessionId.slice(0, 8)}-`,
      () => deps.policy.decide(start.agent.id),
      id => this.#teller()({ kind: "withdrawn", id }),
    );
    this.#patience = new SessionTimeouts(deps.clock, () => this.#questions.isAsking || this.#installing.size > 0);
    this.#prompts = new AgentPrompts(
      path => deps.editor.readTextFile(path),
      this.#patience,
      error => this.#refusal(error),
      () => deps.log("info", "agent", "Sending prompt", { sessionId: start.sessionId }),
    );
    this.#files = new AgentFiles(start.folders ?? [start.cwd], deps.editor);
    this.#terminals = this.#noTerminals();
    const { agent, cwd, protocol = 1, extensions = [] } = start;
    this.#openings = {
      start,
      deps,
      key: { agent, cwd, protocol, extensions },
      controls: this.#controls,
      questions: this.#questions,
      patience: this.#patience,
      missed: new Set(),
      report,
      trouble: error => this.#trouble(error),
    };
  }

  /** Converts a message to an event when the session handles it. */
  onMessage(message: AgentMessage): SessionEvent | undefined {
    // late, or withdrawn in the meantime
    if (!this.#handle.isCurrent(message.of) || ("request" in message && message.request.signal.aborted))
      return this.refuse(message);
    switch (message.kind) {
      case "event":
        return message.event;
      case "request":
        return this.#request(message);
      case "consent":
        return this.#questions.consent(message.consent, message.request, message.settle);
      case "opened":
        this.#handle.opened({ lease: message.lease, id: message.agentSession });
        this.#detail(message.lease.connection, message.agentSession);
        this.#patience[Symbol.dispose]();
        this.deps.log("info", "agent", "Session created", {
          sessionId: this.start.sessionId,
          agentSessionId: message.agentSession,
          agent: this.start.agent.id,
        });
        return { kind: "opened", accepts: { images: message.lease.connection.accepts.images } };
      default:
        return assertNever(message, "word of an agent");
    }
  }

  /** Answers a message that arrives too late. */
  refuse(message: AgentMessage): undefined {
    switch (message.kind) {
      case "event":
        return;
      case "request":
        return void answerLate(message.request);
      case "consent":
        return void message.settle(undefined);
      case "opened":
        return void closeSession({ lease: message.lease, id: message.agentSession });
      default:
        return assertNever(message, "word of an agent");
    }
  }

  open(): void {
    const { opening, left } = this.#handle.begin();
    this.#pause?.[Symbol.dispose]();
    const notify = this.#teller();
    this.#patience.toOpen(notify);
    const attempt = this.#next;
    this.#next = "first";
    new SessionOpening(this.#openings, opening, left)
      .enter(attempt)
      .catch((error: unknown) => notify({ kind: "openFailed", ...this.#trouble(error) }));
  }

  /** Reports the details now, and whenever an extension's status changes. */
  #detail({ agentName: name, agentVersion: version, extensions }: AgentConnection, sessionId: string): void {
    const notify = this.#teller();
    const program =
      name === "" && version === ""
        ? {}
        : { program: { ...(name === "" ? {} : { name }), ...(version === "" ? {} : { version }) } };
    const onNotification = (): void => {
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
    this.#details = extensions?.listen(sessionId, onNotification);
    onNotification();
  }

  /** Posts `reopened` after a pause, unless the session is opened or left before. */
  reopenLater(ms: number): void {
    const notify = this.#teller();
    this.#pause = this.deps.clock.after(ms, () => notify({ kind: "reopened" }));
  }

  /** Returns whether the installation was not known yet. */
  installing(what: string, isInstalling: boolean): boolean {
    const isNew = isInstalling && !this.#installing.has(what);
    if (isInstalling) this.#installing.add(what);
    else this.#installing.delete(what);
    return isNew;
  }

  send(prompt: Prompt): void {
    const notify = this.#teller(),
      { opening, session } = this.#handle;
    if (!session)
      return notify({ kind: "agentDown", text: `${this.start.agent.name} is not there.`, actions: ["restartAgent"] });
    this.#prompts.send(session.lease.connection, session.id, prompt, notify, () => this.#handle.isCurrent(opening));
  }

  cancel(): void {
    const notify = this.#teller();
    if (this.#prompts.stop()) return notify({ kind: "turnEnded", outcome: { kind: "stopped", reason: "cancelled" } });
    const { session } = this.#handle;
    session?.lease.connection.cancel(session.id);
    this.#patience.toStop(notify);
  }

  setControl(control: Control, value: ControlValue): void {
    const { opening, session } = this.#handle;
    this.#controls.choose(control.id, value);
    if (session)
      this.#controls.set(session.lease.connection, session.id, control, value, this.#teller(), () =>
        this.#handle.isCurrent(opening),
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
    this.#patience[Symbol.dispose]();
    this.#pause?.[Symbol.dispose]();
    this.#prompts.stop();
    this.#details?.[Symbol.dispose]();
    this.#handle.end(closeSession);
    this.#questions.settle();
    this.#terminals
      .leave()
      .catch((error: unknown) =>
        this.deps.log("error", "agent", "A command of an agent could not be ended", { error: String(error) }),
      );
    this.#terminals = this.#noTerminals();
  }

  restart(): void {
    const connection = this.#handle.session?.lease.connection; // its process may be retired
    this.leave();
    this.deps.pool.restart(this.#openings.key, restartedElsewhere(this.start.agent.name), connection);
  }

  [Symbol.dispose](): void {
    this.#patience[Symbol.dispose]();
    this.#pause?.[Symbol.dispose]();
  }

  /** Terminals of one agent session. Late output of an earlier session still belongs to its cards. */
  #noTerminals(): AgentTerminals {
    const { start, deps } = this,
      emit = (event: SessionEvent): void => this.report({ kind: "event", event, of: this.#handle.opening });
    return new AgentTerminals(
      `${start.sessionId.slice(0, 8)}-${this.#handle.opening}`,
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
  #request(word: Extract<AgentMessage, { readonly kind: "request" }>): SessionEvent | undefined {
    const { request, version, agentName, subagent } = word;
    if (request.method === CLIENT_METHODS.session_request_permission)
      return this.#questions.permission(request, version, subagent);
    if (request.method === CLIENT_METHODS.elicitation_create) return this.#questions.elicitation(request, subagent);
    const answer = clientMethod(request.method, request.params, {
        files: this.#files,
        terminals: this.#terminals,
        agentName,
      }),
      of = this.#handle.opening;
    if (!answer) return void request.fail(methodNotFound(request.method));
    const ask: Ask = consent => new Promise(settle => this.report({ kind: "consent", consent, request, settle, of }));
    return void answer(ask).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  }

  /** Returns a function that posts events of the current opening. They are ignored after a later opening has begun. */
  #teller(): (event: SessionEvent) => void {
    const of = this.#handle.opening;
    return event => this.report({ kind: "event", event, of });
  }

  /** Converts the failure of a prompt. */
  #refusal(error: unknown): Trouble {
    if (wantsSignIn(error)) this.#next = "wanted";
    return this.#trouble(error);
  }

  #trouble(error: unknown): Trouble {
    const { trouble, cause } = troubleOf(error);
    this.deps.log("error", "agent", "Agent failed", {
      sessionId: this.start.sessionId,
      agent: this.start.agent.id,
      message: trouble.text,
      cause,
    });
    return trouble;
  }
}
