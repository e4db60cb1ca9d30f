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
    private readonly say: (word: AgentMessage) => void,
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
      say,
      trouble: error => this.#trouble(error),
    };
  }

  /** Converts a message to an event when the session handles it. */
  heard(word: AgentMessage): SessionEvent | undefined {
    // late, or withdrawn in the meantime
    if (!this.#handle.isCurrent(word.of) || ("request" in word && word.request.signal.aborted))
      return this.refuse(word);
    switch (word.kind) {
      case "event":
        return word.event;
      case "request":
        return this.#request(word);
      case "consent":
        return this.#questions.consent(word.consent, word.request, word.settle);
      case "opened":
        this.#handle.opened({ lease: word.lease, id: word.agentSession });
        this.#detail(word.lease.connection, word.agentSession);
        this.#patience[Symbol.dispose]();
        this.deps.log("info", "agent", "Session created", {
          sessionId: this.start.sessionId,
          agentSessionId: word.agentSession,
          agent: this.start.agent.id,
        });
        return { kind: "opened", accepts: { images: word.lease.connection.accepts.images } };
      default:
        return assertNever(word, "word of an agent");
    }
  }

  /** Answers a message that arrives too late. */
  refuse(word: AgentMessage): undefined {
    switch (word.kind) {
      case "event":
        return;
      case "request":
        return void answerLate(word.request);
      case "consent":
        return void word.settle(undefined);
      case "opened":
        return void closeSession({ lease: word.lease, id: word.agentSession });
      default:
        return assertNever(word, "word of an agent");
    }
  }

  open(): void {
    const { opening, left } = this.#handle.begin();
    this.#pause?.[Symbol.dispose]();
    const tell = this.#teller();
    this.#patience.toOpen(tell);
    const attempt = this.#next;
    this.#next = "first";
    new SessionOpening(this.#openings, opening, left)
      .enter(attempt)
      .catch((error: unknown) => tell({ kind: "openFailed", ...this.#trouble(error) }));
  }

  /** Reports the details now, and whenever an extension's status changes. */
  #detail({ agentName: name, agentVersion: version, extensions }: AgentConnection, sessionId: string): void {
    const tell = this.#teller();
    const program =
      name === "" && version === ""
        ? {}
        : { program: { ...(name === "" ? {} : { name }), ...(version === "" ? {} : { version }) } };
    const told = (): void => {
      const missingTools = extensions?.missingTools(sessionId);
      tell({
        kind: "detailed",
        details: {
          ...program,
          extensions: extensions?.of(sessionId) ?? [],
          ...(missingTools === undefined ? {} : { missingTools }),
          ...(extensions?.canConfigure(sessionId) === true ? { canConfigure: true } : {}),
        },
      });
    };
    this.#details = extensions?.hear(sessionId, told);
    told();
  }

  /** Posts `reopened` after a pause, unless the session is opened or left before. */
  reopenLater(ms: number): void {
    const tell = this.#teller();
    this.#pause = this.deps.clock.after(ms, () => tell({ kind: "reopened" }));
  }

  /** Returns whether the installation was not known yet. */
  installing(what: string, isInstalling: boolean): boolean {
    const isNew = isInstalling && !this.#installing.has(what);
    if (isInstalling) this.#installing.add(what);
    else this.#installing.delete(what);
    return isNew;
  }

  send(prompt: Prompt): void {
    const tell = this.#teller(),
      { opening, session } = this.#handle;
    if (!session)
      return tell({ kind: "agentDown", text: `${this.start.agent.name} is not there.`, actions: ["restartAgent"] });
    this.#prompts.send(session.lease.connection, session.id, prompt, tell, () => this.#handle.isCurrent(opening));
  }

  cancel(): void {
    const tell = this.#teller();
    if (this.#prompts.stop()) return tell({ kind: "turnEnded", outcome: { kind: "stopped", reason: "cancelled" } });
    const { session } = this.#handle;
    session?.lease.connection.cancel(session.id);
    this.#patience.toStop(tell);
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
      say = (event: SessionEvent): void => this.say({ kind: "event", event, of: this.#handle.opening });
    return new AgentTerminals(
      `${start.sessionId.slice(0, 8)}-${this.#handle.opening}`,
      start.cwd,
      deps.startCommand,
      deps.clock,
      {
        started: terminal => say({ kind: "terminalStarted", terminal }),
        printed: (terminalId, text, isCut) => say({ kind: "terminalPrinted", terminalId, text, isCut }),
        ended: (terminalId, exit) => say({ kind: "terminalEnded", terminalId, exit }),
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
    const ask: Ask = consent => new Promise(settle => this.say({ kind: "consent", consent, request, settle, of }));
    return void answer(ask).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  }

  /** Returns a function that posts events of the current opening. They are ignored after a later opening has begun. */
  #teller(): (event: SessionEvent) => void {
    const of = this.#handle.opening;
    return event => this.say({ kind: "event", event, of });
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
