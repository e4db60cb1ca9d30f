/**
 * The client of an agent behind VS Code's chat: its session, the tools offered to it, and its open requests. Events of
 * the agent are posted to the owner's queue and take effect only when the owner handles them.
 *
 * Invariants:
 * - Events of an agent session that was left are ignored, and its requests are answered.
 * - A session is opened with the tools of the newest request.
 */
import { randomBytes } from "node:crypto";
import type { ChatTool } from "../../../src/protocol/lm";
import { assertNever } from "../../../src/protocol/wire";
import type { AgentCapabilities, AgentConnection, SessionListener } from "../../acp/connection";
import { V2Updates } from "../../acp/adapt/v2-as-v1";
import { answerLate, answerRequest, PERMISSION_CANCELLED } from "../../agent-session/agent-answers";
import { failureOf } from "../../agent-session/agent-failure";
import { AgentSessionHandle, closeSession, type OpenAgentSession } from "../../agent-session/agent-session-handle";
import type { AgentKey } from "../../agents/pool";
import { questionedCall } from "../../permissions/announced-calls";
import { SIDE_SESSION } from "../../proxies/side-session";
import { objectOr, type JsonObject } from "../../rpc/json";
import { methodNotFound } from "../../rpc/peer";
import type { AgentSessionStart, AgentSessionDeps, AgentEvent, AgentQuestion, Permission } from "./agent-session-model";
import { ModelPrompts } from "./agent-prompts";
import { AnnouncedTools, type CallOrigin, type HeardUpdate } from "../tools/announced-calls";
import { parametersOf, questionOf } from "./permission";
import { refusal, toMcp } from "../tools/tool-results";
import { fenced } from "../response/safe-text";
import type { ModeReturn } from "./session-mode";
import type { Answer, ModelPrompt, ModelTurnOutcome } from "./session-state-model";
import type { OfferedCall, ToolOffer } from "../tools/tool-offer";
import { offering } from "../tools/tools-proxy";
import { CLIENT_METHODS } from "../../acp/methods";

/**
 * `_meta` of one-shot sessions and of sessions for other extensions of VS Code. Agent extensions do not change them and
 * send them no information about the user.
 */
const ASIDE = { [SIDE_SESSION]: "symposium" };
const NONE: ReadonlyMap<string, string> = new Map();

export class AgentSession {
  readonly #handle = new AgentSessionHandle();
  #offer: ToolOffer | undefined;
  /** MCP server name of a session that is renewed: the agent's model knows the tools by it. */
  #renewedServer: string | undefined;
  #tools: { readonly tools: readonly ChatTool[]; readonly duplicates: boolean };
  /** Start options of the next opening. */
  #begin: AgentSessionStart["begin"];
  #remembers = false;
  #prompts: ModelPrompts;
  readonly #announced = new AnnouncedTools();
  #toolWatch: Disposable | undefined;
  /** The sentence that was shown last. */
  #missingTools: string | undefined;
  /** While set, the agent's updates are not read. */
  #deferred: { readonly promise: Promise<void>; readonly open: () => void } | undefined;

  constructor(
    private readonly start: AgentSessionStart,
    private readonly deps: AgentSessionDeps,
    private readonly report: (event: AgentEvent) => void,
  ) {
    this.#begin = start.begin;
    this.#tools = start;
    this.#prompts = this.#promptsOf(0);
  }

  isCurrent({ of }: AgentEvent): boolean {
    return this.#handle.isCurrent(of);
  }

  open(): void {
    const { opening: of, left } = this.#handle.begin(),
      { deps } = this;
    this.#prompts = this.#promptsOf(of);
    const terms = {
      ...this.#tools,
      called: (call: OfferedCall) => this.#called(of, call),
      refused: (given: string, args: JsonObject) => this.#announced.arrived(given, args),
    };
    const offer = deps.offers.open(terms, this.#renewedServer);
    this.#renewedServer = undefined;
    this.#offer = offer;
    deps.pool
      .acquire(this.#key, left)
      .then(async lease => {
        if (!this.#handle.isCurrent(of)) return lease.release(); // left in the meantime
        this.report({ kind: "opened", lease, of, ...(await this.#opened(lease.connection, of, offer)) });
      })
      .catch((error: unknown) => this.report({ kind: "openFailed", message: this.#trouble(error), of }));
  }

  /** Handles `opened`: stores the session. */
  opened({ lease, agentSession, remembers }: Extract<AgentEvent, { readonly kind: "opened" }>): AgentCapabilities {
    this.#handle.opened({ lease, id: agentSession });
    this.#remembers = remembers;
    this.#begin = {
      kind: "again",
      agentSession,
      ...(this.#begin.kind === "new" ? {} : { modeReturn: this.#begin.modeReturn }),
    };
    this.deps.log("info", "Session created", { agentSessionId: agentSession, agent: this.start.agent.id, remembers });
    this.#watchTools(lease.connection, agentSession);
    return lease.connection.capabilities;
  }

  /**
   * Reports missing tools once, as a sentence in the answer and in the log (issue 14 item 1). A program reads one-shot
   * sessions: they use the log alone.
   */
  #watchTools({ extensions }: AgentConnection, agentSession: string): void {
    const of = this.#handle.opening;
    this.#toolWatch?.[Symbol.dispose]();
    this.#toolWatch = extensions?.listen(agentSession, () => {
      const sentence = extensions.missingTools(agentSession);
      if (sentence === undefined || sentence === this.#missingTools) return;
      this.#missingTools = sentence;
      this.deps.log("warn", sentence, { agent: this.start.agent.id });
      if (this.start.isAside !== true) this.report({ kind: "notice", sentence, of });
    });
  }

  /** A later opening of the session returns to this mode. */
  returnTo(modeReturn: ModeReturn | undefined): void {
    if (this.#begin.kind === "again") this.#begin = { ...this.#begin, modeReturn };
  }

  /** Updates the tools to those of the newest request. */
  offer(tools: readonly ChatTool[], duplicates: boolean): void {
    this.#tools = { tools, duplicates };
    this.#offer?.update(tools, duplicates);
  }

  prompt(prompt: ModelPrompt): void {
    const { opening: of, session } = this.#handle,
      ended = (outcome: ModelTurnOutcome, usage?: JsonObject): void =>
        this.report({ kind: "turnEnded", outcome, ...(usage ? { usage } : {}), of });
    if (!session) return ended({ kind: "failed", message: `${this.start.agent.name} is not there.` });
    const {
        lease: { connection },
        id,
      } = session,
      remembers = this.#remembers;
    this.#remembers = true;
    try {
      this.#prompts.send(connection, id, prompt, remembers, outcome => {
        if (outcome.kind === "failed") ended({ kind: "failed", message: this.#trouble(outcome.error) });
        else ended({ kind: "stopped", reason: outcome.reason }, outcome.usage);
      });
      this.deps.log("info", "Sending prompt", { agentSessionId: id });
    } catch (error) {
      this.deps.log("error", "A prompt could not be made", { error: String(error) });
      ended({ kind: "failed", message: "Symposium could not make a prompt of this message. See the log." });
    }
  }

  cancel(): void {
    this.#announced.stopped();
    const { session } = this.#handle;
    if (session && !this.#prompts.cancel()) session.lease.connection.cancel(session.id);
  }

  /** The question for a tool call. */
  tool({ call }: Extract<AgentEvent, { readonly kind: "call" }>): AgentQuestion {
    this.#announced.arrived(call.given, call.args);
    return {
      kind: "tool",
      toolName: call.toolName,
      parameters: call.args,
      answer: answer => call.answer(resultOf(answer)),
    };
  }

  /** `isTurn`: a turn is running, so the user can be asked. */
  permission(
    { request, isUncovered, of }: Extract<AgentEvent, { readonly kind: "permission" }>,
    isTurn: boolean,
  ): Permission {
    const { agent, isForeign } = this.start,
      { log } = this.deps,
      respond = (answer: JsonObject): void => answerRequest(request, answer);
    if (!isTurn || !this.#offer) return void respond(PERMISSION_CANCELLED);
    const call = questionedCall(request.params),
      claim = this.#announced.claim(call, this.#offer.qualified),
      { permission: offered, grouped } = this.#offer;
    const verdict = questionOf(request.params, {
      agent: agent.name,
      group: this.start.permissionGroup,
      offered,
      grouped: isUncovered === true ? NONE : grouped,
      claim,
      announced: this.#announced.of(request.params),
      policy: this.deps.policy(),
      isForeign,
    });
    switch (verdict.kind) {
      case "allow":
        if (verdict.why === "bypass") log("info", "Permission answered", { agent: agent.id, why: verdict.why });
        else this.#announced.allowed(call, claim);
        return void respond(verdict.answer);
      case "reject":
        log("info", "Permission refused", { agent: agent.id });
        respond(verdict.answer);
        return this.start.isAside === true ? undefined : { sentence: verdict.sentence };
      // Whatever that tool returns, the permission request is evaluated again as if it had just arrived.
      case "uncover":
        return {
          asked: {
            kind: "tool",
            toolName: verdict.toolName,
            parameters: {},
            answer: answer =>
              answer.kind === "result"
                ? this.report({ kind: "permission", request, isUncovered: true, of })
                : respond(verdict.reject),
          },
        };
      case "ask": {
        const questionId = randomBytes(16).toString("hex"),
          { toolName, question, about } = verdict;
        return {
          asked: {
            kind: "permission",
            questionId,
            toolName,
            question,
            parameters: parametersOf(questionId, about),
            answer: answer => respond(answer.kind === "allowed" ? verdict.allow : verdict.reject),
          },
        };
      }
      default:
        return assertNever(verdict, "verdict on a permission");
    }
  }

  /** Handles an update. */
  announced(update: unknown): HeardUpdate {
    const heard = this.#announced.onEvent(update, this.#offer?.qualified),
      { broken } = heard;
    if (broken !== undefined)
      this.deps.log("warn", "An allowed call of a VS Code tool did not arrive", {
        agent: this.start.agent.id,
        tool: broken,
      });
    return heard;
  }

  /** `call`: of an update that was passed to `announced`. */
  originOf(call: JsonObject): CallOrigin {
    return this.#announced.originOf(call);
  }

  pause(): void {
    let open = (): void => undefined;
    const promise = new Promise<void>(resolve => {
      open = resolve;
    });
    this.#deferred = { promise, open };
  }

  release(): void {
    this.#deferred?.open();
    this.#deferred = undefined;
  }

  /**
   * The agent died or could not be opened. The end of the opening releases the lease of a failed one. If possible, the next
   * opening continues the session.
   */
  lost(): void {
    this.#end(({ lease }) => lease.release());
  }

  /**
   * Closes the agent's session, to be resumed with the current tools, if the agent did not request a list that changed
   * (issue 14 item 2). Returns whether it did. Call it after a turn: agents that handle the notification request the
   * list during the turn.
   */
  renew(): boolean {
    const { resume, load } = this.#handle.session?.lease.connection.capabilities ?? {};
    if (this.#offer?.isOutdated !== true || !(resume || load)) return false;
    this.deps.log("info", "The agent ignored a changed list of tools. Its session is resumed with the next prompt", {
      agent: this.start.agent.id,
    });
    this.#renewedServer = this.#offer.server;
    this.#end(closeSession);
    return true;
  }

  /** Leaves the session. The next opening starts a new one. */
  leave(): void {
    this.#begin = { kind: "new" };
    this.#end(closeSession);
  }

  /** Answers an event that arrives too late. */
  refuse(event: AgentEvent): void {
    switch (event.kind) {
      case "opened":
        return closeSession({ lease: event.lease, id: event.agentSession });
      case "call":
        return event.call.answer(refusal("This chat has ended: VS Code's tools cannot be used any more."));
      case "permission":
        return answerLate(event.request);
      case "openFailed":
      case "agentDown":
      case "turnEnded":
      case "update":
      case "withdrew":
      case "notice":
      case "modeReturn":
        return;
      default:
        return assertNever(event, "word of an agent");
    }
  }

  get #key(): AgentKey {
    const { agent, cwd, protocol = 1, extensions = [] } = this.start;
    return { agent, cwd, protocol, role: "lm", extensions };
  }

  #end(close: (session: OpenAgentSession) => void): void {
    this.#toolWatch?.[Symbol.dispose]();
    this.#prompts.leave();
    this.#handle.end(close);
    this.#offer?.close();
    this.#offer = undefined;
  }

  async #opened(
    connection: AgentConnection,
    of: number,
    offer: ToolOffer,
  ): Promise<{ readonly agentSession: string; readonly remembers: boolean }> {
    const { cwd } = this.start,
      setup = { meta: { ...offering(offer), ...(this.start.isAside === true || this.start.isForeign ? ASIDE : {}) } },
      begin = this.#begin,
      { load, resume, fork } = connection.capabilities;
    const how =
      begin.kind === "fork"
        ? fork && "fork"
        : begin.kind === "again"
          ? (resume && "resume") || (load && "load")
          : false;
    if (begin.kind !== "new" && how) {
      try {
        const { agentSession } = begin,
          listener = this.#listener(connection, of, false);
        const { sessionId } =
          how === "fork"
            ? await connection.fork(agentSession, cwd, listener, setup)
            : await connection.reopen(how, agentSession, cwd, listener, setup);
        return { agentSession: sessionId, remembers: true };
      } catch (error) {
        this.deps.log("info", "A session could not be gone on with", { how, error: String(error) });
      }
    }
    const { sessionId } = await connection.newSession(cwd, this.#listener(connection, of, true), setup);
    return { agentSession: sessionId, remembers: false };
  }

  #promptsOf(of: number): ModelPrompts {
    const { agent } = this.start,
      begin = this.#begin;
    return new ModelPrompts(agent.name, begin.kind === "new" ? undefined : begin.modeReturn, {
      log: this.deps.log,
      clock: this.deps.clock,
      listing: () => this.#offer?.listing,
      onNotice: sentence => this.report({ kind: "notice", sentence, of }),
      onModeReturn: modeReturn => this.report({ kind: "modeReturn", modeReturn, of }),
    });
  }

  #listener({ version }: AgentConnection, of: number, isNew: boolean): SessionListener {
    const prompts = this.#prompts,
      v2 = version === 2 ? new V2Updates() : undefined;
    return {
      opened: result => prompts.opened(result, isNew),
      isAsking: () => false,
      update: update => {
        prompts.updated(update);
        for (const each of v2?.inV1(update) ?? [update])
          if (this.start.isAside !== true || objectOr(each).sessionUpdate === "agent_message_chunk")
            this.report({ kind: "update", update: each, of });
        return this.#deferred?.promise;
      },
      request: request => {
        if (request.method !== CLIENT_METHODS.session_request_permission)
          return request.fail(methodNotFound(request.method));
        this.#watch(request.signal, { kind: "withdrew", what: request, of });
        this.report({ kind: "permission", request, of });
      },
      elicitationCompleted: () => undefined,
      closed: reason => this.report({ kind: "agentDown", message: this.#trouble(reason), of }),
    };
  }

  /** A call and the text before it use different connections. The text is already in the pipe and is handled first. */
  #called(of: number, call: OfferedCall): void {
    setImmediate(() => {
      this.#watch(call.signal, { kind: "withdrew", what: call, of });
      this.report({ kind: "call", call, of });
    });
  }

  #watch(signal: AbortSignal, event: AgentEvent): void {
    signal.addEventListener("abort", () => this.report(event), { once: true });
  }

  /** The message for the user, with the last lines of the program's output (issue 13 item 20). The cause is logged. */
  #trouble(error: unknown): string {
    const { message, output = "", cause } = failureOf(error);
    this.deps.log("error", "Agent failed", {
      agent: this.start.agent.id,
      message,
      ...(cause === undefined ? {} : { cause }),
    });
    return output.trim() === "" ? message : `${message} Its last output:\n\n${fenced(output.trim())}`;
  }
}

function resultOf(answer: Answer) {
  switch (answer.kind) {
    case "result":
      return toMcp(answer.result, answer.isError);
    case "refused":
      return refusal(answer.reason);
    case "allowed":
      return refusal("A tool's call cannot be allowed."); // the state machine allows permissions only
    default:
      return assertNever(answer, "answer");
  }
}
