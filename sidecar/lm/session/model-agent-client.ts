/**
 * The client of an agent behind VS Code's chat (`agent-session.ts`): the tools offered to the agent, and the answers to
 * its requests.
 *
 * Invariant: a session is opened with the tools of the newest request.
 */
import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { AgentCapabilities, AgentConnection } from "../../acp/connection";
import { SubagentCalls, V2Updates } from "../../acp/adapt/v2-as-v1";
import { answerLate, answerRequest, PERMISSION_CANCELLED } from "../../agent-session/agent-answers";
import { failureOf } from "../../agent-session/agent-failure";
import { UnsentPrompt } from "../../agent-session/prompt-preparation";
import { AgentSession, type SessionOpening, type SessionUpdates } from "../../agent-session/agent-session";
import { closeSession, type OpenAgentSession } from "../../agent-session/agent-session-handle";
import { questionedCall } from "../../permissions/announced-calls";
import { SIDE_SESSION } from "../../proxies/side-session";
import { objectOr, type JsonObject } from "../../rpc/json";
import type {
  AgentQuestion,
  ModelAgentDeps,
  ModelAgentEvent,
  ModelAgentMessage,
  ModelAgentStart,
  Permission,
} from "./model-agent-message";
import { ModelPrompts } from "./model-prompts";
import { AnnouncedTools, type CallOrigin, type AnnouncedUpdate } from "../tools/call-allowances";
import { parametersOf, questionOf } from "./permission";
import { refusal } from "../tools/tool-results";
import { fenced } from "../../../src/protocol/text/safe-text";
import type { ModeReturn } from "./session-mode";
import type { ModelFailure, ModelPrompt } from "./session-state-model";
import { resultOf } from "./session-effects";
import type { OfferedCall, ToolOffer } from "../tools/tool-offer";
import { offering } from "../tools/tools-proxy";
import { UPDATE_KINDS } from "../../acp/methods";

/**
 * `_meta` of one-shot sessions and of sessions for other extensions of VS Code. Agent extensions leave these sessions
 * unchanged and add no information about the user.
 */
const SIDE_SESSION_META = { [SIDE_SESSION]: "symposium" };
const NONE: ReadonlyMap<string, string> = new Map();

export class ModelAgentClient {
  readonly #session: AgentSession<ModelFailure, ModelAgentEvent>;
  #offer: ToolOffer | undefined;
  /** MCP server name of a renewed session. The session's history contains the tools under this name. */
  #renewedServer: string | undefined;
  #tools: { readonly tools: readonly ChatTool[]; readonly duplicates: boolean };
  /** Start options of the next opening. */
  #begin: ModelAgentStart["begin"];
  #remembers = false;
  #prompts: ModelPrompts;
  readonly #announced = new AnnouncedTools();
  /** The last shown sentence about missing tools. */
  #missingTools: string | undefined;
  /** The last logged tool counts. */
  #toolLines: readonly string[] = [];
  /** While set, the agent's updates are not read. */
  #paused: { readonly promise: Promise<void>; readonly open: () => void } | undefined;

  constructor(
    private readonly start: ModelAgentStart,
    private readonly deps: ModelAgentDeps,
    private readonly report: (message: ModelAgentMessage) => void,
  ) {
    const { agent, cwd, protocol = 1, extensions = [] } = start;
    this.#begin = start.begin;
    this.#tools = start;
    this.#session = new AgentSession({
      pool: deps.pool,
      key: { agent, cwd, protocol, role: "lm", extensions },
      post: report,
      failure: error => ({ message: this.#failureText(error) }),
      onSending: agentSessionId => deps.log("info", "Sending prompt", { agentSessionId }),
      opening: opening => this.#opening(opening),
      onRefused: (how, error) => deps.log("info", "A session could not be continued", { how, error: String(error) }),
      watch: (connection, sessionId) => this.#watchTools(connection, sessionId),
    });
    this.#prompts = this.#promptsOf(0);
  }

  isLate(message: ModelAgentMessage): boolean {
    return message.kind === "call" || message.kind === "uncovered"
      ? !this.#session.isCurrent(message.of)
      : this.#session.isLate(message);
  }

  open(): void {
    this.#session.open();
  }

  #opening(opening: number): SessionOpening {
    this.#prompts = this.#promptsOf(opening);
    const terms = {
      ...this.#tools,
      called: (call: OfferedCall) => this.#called(opening, call),
      refused: (given: string, args: JsonObject) => this.#announced.arrived(given, args),
    };
    const offer = this.deps.offers.open(terms, this.#renewedServer),
      { isOneShot, isForeign } = this.start;
    this.#renewedServer = undefined;
    this.#offer = offer;
    return {
      begin: this.#begin,
      setup: { meta: { ...offering(offer), ...(isOneShot === true || isForeign ? SIDE_SESSION_META : {}) } },
      listener: (connection, isNew) => this.#listener(connection, opening, isNew),
      enter: (_, open) => open(),
    };
  }

  /** Handles `opened`. */
  opened(message: Extract<ModelAgentMessage, { readonly kind: "opened" }>): AgentCapabilities {
    const { session, isContinued: remembers } = message;
    this.#session.opened(message);
    this.#remembers = remembers;
    this.#begin = {
      kind: "again",
      agentSession: session.id,
      ...(this.#begin.kind === "new" ? {} : { modeReturn: this.#begin.modeReturn }),
    };
    this.deps.log("info", "Session created", { agentSessionId: session.id, agent: this.start.agent.id, remembers });
    return session.lease.connection.capabilities;
  }

  /**
   * Reports missing tools once in the answer and in the log, with the counts of all servers (issue 14 item 1). One-shot
   * sessions use only the log, because a program reads their answers.
   */
  #watchTools({ extensions }: AgentConnection, agentSession: string): Disposable | undefined {
    const notify = this.#session.notifier();
    return extensions?.listen(agentSession, () => {
      const sentence = extensions.missingTools(agentSession);
      if (sentence === undefined || sentence === this.#missingTools) return;
      this.#missingTools = sentence;
      const tools = extensions.toolLines(agentSession);
      this.deps.log("warn", sentence, { agent: this.start.agent.id, tools });
      if (this.start.isOneShot !== true)
        notify({ kind: "notice", sentence: `${sentence} ${l10n.t`Tools of this chat: ${tools.join("; ")}.`}` });
    });
  }

  /** Logs the counts of tools after a turn that changed them (issue 14 item 1). */
  turnEnded(): void {
    const { current } = this.#session,
      tools = current?.lease.connection.extensions?.toolLines(current.id) ?? [];
    if (tools.length === 0 || tools.join() === this.#toolLines.join()) return;
    this.#toolLines = tools;
    this.deps.log("info", "Tools of the session", { agent: this.start.agent.id, tools });
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

  /** `ready`: resolves when the agent may begin. */
  prompt(prompt: ModelPrompt, ready?: Promise<void>): void {
    this.#session.prompt((session, stopped) => {
      const remembers = this.#remembers;
      this.#remembers = true;
      const prepared = this.#prompts.prepare(session, prompt, remembers, stopped);
      return ready === undefined ? prepared : Promise.all([prepared, ready]).then(([first]) => first);
    });
  }

  cancel(): void {
    this.#announced.stopped();
    this.#session.cancel();
  }

  /** The question for a tool call. */
  tool({ call }: Extract<ModelAgentMessage, { readonly kind: "call" }>): AgentQuestion {
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
    { kind, request, of, subagent }: Extract<ModelAgentMessage, { readonly kind: "request" | "uncovered" }>,
    isTurn: boolean,
  ): Permission {
    const { agent, isForeign } = this.start,
      { log } = this.deps,
      respond = (answer: JsonObject): void => answerRequest(request, answer);
    if (!isTurn || !this.#offer) return void respond(PERMISSION_CANCELLED);
    const call = questionedCall(request.params),
      claim = this.#announced.claim(call, this.#offer.qualified, subagent),
      { permission: offered, grouped } = this.#offer;
    const verdict = questionOf(request.params, {
      agent: agent.name,
      group: this.start.permissionGroup,
      offered,
      grouped: kind === "uncovered" ? NONE : grouped,
      claim,
      announced: this.#announced.of(request.params, subagent),
      policy: this.deps.policy(),
      isForeign,
    });
    switch (verdict.kind) {
      case "allow":
        if (verdict.why === "bypass") log("info", "Permission answered", { agent: agent.id, why: verdict.why });
        else this.#announced.allowed(call, claim, subagent);
        return void respond(verdict.answer);
      case "reject":
        log("info", "Permission refused", { agent: agent.id });
        respond(verdict.answer);
        return this.start.isOneShot === true ? undefined : { sentence: verdict.sentence };
      // Any result of the tool leads to another evaluation of the permission request.
      case "uncover":
        return {
          question: {
            kind: "tool",
            toolName: verdict.toolName,
            parameters: {},
            answer: answer =>
              answer.kind === "result"
                ? this.report({ kind: "uncovered", request, of, subagent })
                : respond(verdict.reject),
          },
        };
      case "ask": {
        const questionId = randomBytes(16).toString("hex"),
          { toolName, question, about } = verdict;
        return {
          question: {
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

  /** Handles an update, or a call of a subagent. */
  announced(update: unknown, subagent?: string): AnnouncedUpdate {
    const announced = this.#announced.onEvent(update, this.#offer?.qualified, subagent),
      { broken } = announced;
    if (broken !== undefined) {
      if (this.#offer) this.deps.offers.addForeign(this.#offer.server);
      this.deps.log("warn", "An allowed call of a VS Code tool did not arrive", {
        agent: this.start.agent.id,
        tool: broken,
      });
    }
    return announced;
  }

  /** `call`: an update that was passed to `announced`. */
  originOf(call: JsonObject): CallOrigin {
    return this.#announced.originOf(call);
  }

  pause(): void {
    let open = (): void => undefined;
    const promise = new Promise<void>(resolve => {
      open = resolve;
    });
    this.#paused = { promise, open };
  }

  release(): void {
    this.#paused?.open();
    this.#paused = undefined;
  }

  /**
   * Call when the agent exited, could not be opened, or requires a sign-in. Closes the session, because a running agent
   * resumes only a closed session. If possible, the next opening continues the session. The lease of a failed opening
   * is released.
   */
  lost(): void {
    this.#end(closeSession);
  }

  /**
   * Closes the agent's session if the agent ignored a changed list of tools (issue 14 item 2). The next opening resumes
   * the session with the current tools. Returns whether the session was closed. Call after a turn, because other agents
   * send `tools/list` during the turn.
   */
  renew(): boolean {
    const { resume, load } = this.#session.current?.lease.connection.capabilities ?? {};
    if (this.#offer?.isOutdated !== true || !(resume || load)) return false;
    this.deps.log("info", "The agent ignored a changed list of tools. Its session is resumed with the next prompt", {
      agent: this.start.agent.id,
    });
    this.#renewedServer = this.#offer.server;
    this.#end(closeSession);
    return true;
  }

  /** Closes the session. The next opening starts a new session. */
  leave(): void {
    this.#begin = { kind: "new" };
    this.#end(closeSession);
  }

  /** Answers a late message. */
  refuse(message: ModelAgentMessage): void {
    switch (message.kind) {
      case "call":
        return message.call.answer(refusal(l10n.t("This chat has ended: VS Code's tools are no longer available.")));
      case "uncovered":
        return answerLate(message.request);
      case "event":
      case "request":
      case "opened":
        return this.#session.refuse(message);
      default:
        return assertNever(message, "message of an agent");
    }
  }

  #end(close: (session: OpenAgentSession) => void): void {
    this.#session.leave(close);
    this.#offer?.close();
    this.#offer = undefined;
  }

  #promptsOf(opening: number): ModelPrompts {
    const { agent } = this.start,
      begin = this.#begin,
      notify = this.#notifierOf(opening);
    return new ModelPrompts(agent.name, begin.kind === "new" ? undefined : begin.modeReturn, {
      log: this.deps.log,
      clock: this.deps.clock,
      listing: () => this.#offer?.listing,
      onNotice: sentence => notify({ kind: "notice", sentence }),
      onModeReturn: modeReturn => notify({ kind: "modeReturn", modeReturn }),
    });
  }

  #listener({ version }: AgentConnection, opening: number, isNew: boolean): SessionUpdates {
    const prompts = this.#prompts,
      v2 = version === 2 ? new V2Updates() : undefined,
      calls = version === 2 ? new SubagentCalls() : undefined,
      notify = this.#notifierOf(opening);
    return {
      opened: result => prompts.opened(result, isNew),
      isAsking: () => false,
      update: update => {
        prompts.updated(update);
        for (const each of v2?.inV1(update) ?? [update])
          if (this.start.isOneShot !== true || objectOr(each).sessionUpdate === UPDATE_KINDS.agent_message_chunk)
            notify({ kind: "updated", update: each });
        return this.#paused?.promise;
      },
      subagentUpdate: (subagent, update) => {
        for (const each of calls?.inV1(subagent, update) ?? [update])
          notify({ kind: "subagentCall", update: each, subagent });
        return this.#paused?.promise;
      },
      elicitationCompleted: () => undefined,
    };
  }

  /**
   * Reports a call after the text before it. Call and text use different connections, and the text is already in the
   * pipe.
   */
  #called(opening: number, call: OfferedCall): void {
    setImmediate(() => this.report({ kind: "call", call, of: opening }));
  }

  #notifierOf(opening: number): (event: ModelAgentEvent) => void {
    return event => this.report({ kind: "event", event, of: opening });
  }

  /** The message for the user, with the last lines of the program's output (issue 13 item 20). The cause is logged. */
  #failureText(error: unknown): string {
    if (error instanceof UnsentPrompt) {
      this.deps.log("error", "A prompt could not be created", { error: String(error.cause) });
      return error.message;
    }
    const { message, output = "", cause } = failureOf(error);
    this.deps.log("error", "Agent failed", {
      agent: this.start.agent.id,
      message,
      ...(cause === undefined ? {} : { cause }),
    });
    return output.trim() === "" ? message : l10n.t`${message} Its last output:\n\n${fenced(output.trim())}`;
  }
}
