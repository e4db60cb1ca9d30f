/**
 * The actor that owns one session of an agent behind VS Code's chat. Feeds events to `stepModelSession` and performs
 * the effects. `session-state.ts` contains all decisions, and `model-agent-client.ts` is the client of the agent.
 *
 * Invariants:
 * - Events are handled one at a time, in the order in which they were received.
 * - Messages to the owner are sent in the order in which they were decided.
 * - Closing answers all open requests and questions.
 */
import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import type { ChatPart, ChatTool, RequestId } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import type { AgentEvent } from "../../agent-session/agent-message";
import { OpenQuestions } from "../../agent-session/open-questions";
import type { MissingExtension } from "../../acp/chain-extensions";
import { Actor } from "../../rpc/actor";
import {
  contextSizeOf,
  lineOf,
  nextTurn,
  noticeOf,
  NO_TEXT,
  partsOfUsage,
  partsOfUpdate,
  type TextState,
} from "../response/updates-to-text";
import { ModelAgentClient } from "./model-agent-client";
import type { AgentQuestion, ModelAgentEvent, ModelAgentMessage } from "./model-agent-message";
import type { Recording } from "../../review/review-service";
import { RecordedModelTurns } from "./recorded-turns";
import { QuestionDebounce } from "./question-debounce";
import { startModelSession, stepModelSession } from "./session-state";
import {
  partOf,
  type Answer,
  type ModelFailure,
  type ModelSessionEffect,
  type ModelPrompt,
  type Result,
  type ModelSessionEvent,
  type ModelSessionState,
} from "./session-state-model";
import { type ModelSessionStart, type ModelSessionDeps } from "./session-message";

type Message =
  | { readonly kind: "event"; readonly event: ModelSessionEvent }
  | { readonly kind: "agent"; readonly message: ModelAgentMessage }
  /** `watch`: number of the expired watch. */
  | { readonly kind: "overdue"; readonly watch: number }
  | { readonly kind: "tools"; readonly tools: readonly ChatTool[]; readonly duplicates: boolean }
  | { readonly kind: "decide"; readonly questionId: string; readonly settle: (isTaken: boolean) => void };

/** Phases without a turn. */
const ENDED: ReadonlySet<ModelSessionState["phase"]["kind"]> = new Set(["idle", "down", "closed"]);

export class SessionActor extends Actor<Message> {
  #state: ModelSessionState;
  #text: TextState = NO_TEXT;
  readonly #agent: ModelAgentClient;
  readonly #questionDebounce: QuestionDebounce;
  readonly #recording: Recording | undefined;
  readonly #recorded: RecordedModelTurns | undefined;
  #watch: Disposable | undefined;
  /** Number of the current watch, so that the expiry of an earlier watch is ignored. */
  #watchNumber = 0;
  /** The request that began the current turn. */
  #turn: RequestId = "";
  /** Open requests of the agent, by call id. */
  readonly #questions = new OpenQuestions<Answer, AgentQuestion>(callId => this.#notify({ kind: "withdrew", callId }));
  /** Call ids of the permissions shown to the user, by question id. */
  readonly #shown = new Map<string, string>();
  #calls = 0;
  /** Size of the agent's context window in tokens, as last reported. */
  #contextSize: number | undefined;
  /** Sentences about missing extensions that were shown, and those that are not shown yet. */
  readonly #shownNotices = new Set<string>();
  #pendingNotices: readonly string[] = [];

  constructor(
    private readonly begin: ModelSessionStart,
    private readonly deps: ModelSessionDeps,
  ) {
    super(`model session ${begin.id}`);
    this.#agent = new ModelAgentClient(begin, deps, message => this.post({ kind: "agent", message }));
    if (!begin.isForeign && begin.isOneShot !== true)
      this.#recording = deps.record?.({
        id: begin.id,
        kind: "picker",
        agentName: begin.agent.name,
        folders: begin.folders ?? [begin.cwd],
      });
    this.#recorded = this.#recording && new RecordedModelTurns(this.#recording, begin.cwd);
    this.#questionDebounce = new QuestionDebounce(deps.clock, () => this.#notify({ kind: "quiet" }));
    const [state, effects] = startModelSession(begin.agent.name);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
  }

  ask(prompt: ModelPrompt): void {
    this.#notify({ kind: "prompted", prompt });
  }
  resume(requestId: RequestId, results: readonly Result[], prompt: ModelPrompt | undefined): void {
    this.#notify({ kind: "resumed", requestId, results, prompt });
  }
  repeat(requestId: RequestId): void {
    this.#notify({ kind: "repeated", requestId });
  }
  cancel(requestId: RequestId): void {
    this.#notify({ kind: "cancelled", requestId });
  }
  /** Cancels the running turn, if any, because the user removed it. */
  takeBack(): void {
    this.#notify({ kind: "takenBack" });
  }
  /** Updates the tools to those of the newest request. */
  offer(tools: readonly ChatTool[], duplicates: boolean): void {
    this.post({ kind: "tools", tools, duplicates });
  }
  /** Handles the user's consent. `settle` receives whether the agent still waited for the decision. */
  decide(questionId: string, settle: (isTaken: boolean) => void): void {
    this.post({ kind: "decide", questionId, settle });
  }

  /** Answers all open requests and questions. `why`: the error of open requests. */
  async close(why: string): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#step({ kind: "closed", message: why });
    this.#questionDebounce[Symbol.dispose]();
    this.#watch?.[Symbol.dispose]();
    if (this.#recording) await this.#recording[Symbol.asyncDispose]();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.close(l10n.t("Symposium was stopped."));
  }

  protected override handle(message: Message): void {
    switch (message.kind) {
      case "event":
        this.#step(message.event);
        return this.#reportMissing();
      case "agent":
        return this.#handleMessage(message.message);
      case "overdue":
        return message.watch === this.#watchNumber ? this.#step({ kind: "overdue" }) : undefined;
      case "tools":
        return this.#agent.offer(message.tools, message.duplicates);
      case "decide":
        return this.#decide(message.questionId, message.settle);
      default:
        return assertNever(message, "message to a model's session");
    }
  }

  protected override failed(message: Message, error: unknown): void {
    this.deps.log("error", "A message to a model's session failed", { kind: message.kind, error: String(error) });
    this.refused(message);
  }

  protected override refused(message: Message): void {
    switch (message.kind) {
      case "event":
        return this.#refuse(message.event);
      case "agent":
        return this.#agent.refuse(message.message);
      case "decide":
        return message.settle(false);
      case "tools":
      case "overdue":
        return;
      default:
        return assertNever(message, "message to a model's session");
    }
  }

  #notify(event: ModelSessionEvent): void {
    this.post({ kind: "event", event });
  }

  /** Answers a request that will not be handled. */
  #refuse(event: ModelSessionEvent): void {
    const error = l10n.t("This chat's session was closed. Send the message again.");
    if (event.kind === "prompted") this.deps.notify({ kind: "finished", requestId: event.prompt.requestId, error });
    if (event.kind === "resumed" || event.kind === "repeated")
      this.deps.notify({ kind: "finished", requestId: event.requestId, error });
  }

  #handleMessage(message: ModelAgentMessage): void {
    if (this.#agent.isLate(message)) return this.#agent.refuse(message);
    switch (message.kind) {
      case "opened":
        this.deps.notify({
          kind: "opened",
          agentSession: message.session.id,
          capabilities: this.#agent.opened(message),
        });
        this.#pendingNotices = this.#newNotices(message.session.lease.connection.missing);
        this.#step({ kind: "opened" });
        return this.#reportMissing();
      case "event":
        return this.#handleEvent(message.event);
      case "call":
        return this.#ask(this.#agent.tool(message), message.call.signal);
      case "request":
      case "uncovered": {
        const { kind } = this.#state.phase,
          permission = this.#agent.permission(message, kind === "streaming" || kind === "blocked");
        if (permission === undefined) return;
        return "question" in permission
          ? this.#ask(permission.question, message.request.signal)
          : this.#report(lineOf(this.#text, permission.sentence));
      }
      default:
        return assertNever(message, "message of an agent");
    }
  }

  #handleEvent(event: AgentEvent<ModelFailure> | ModelAgentEvent): void {
    switch (event.kind) {
      case "openFailed":
      case "agentDown":
        this.#agent.lost();
        return this.#step({ kind: event.kind, message: event.message });
      case "turnEnded":
        if (event.outcome.kind === "stopped" && event.outcome.usage)
          this.#report(partsOfUsage(this.#text, event.outcome.usage));
        this.#agent.turnEnded();
        this.#step({ kind: "turnEnded", outcome: event.outcome });
        if (this.#state.phase.kind === "idle" && this.#agent.renew()) this.#step({ kind: "agentDown", message: "" });
        return;
      case "notice":
        return this.#report(noticeOf(this.#text, event.sentence));
      case "modeReturn":
        this.#agent.returnTo(event.modeReturn);
        return this.deps.notify({ kind: "modeReturn", modeReturn: event.modeReturn });
      case "subagentCall":
        return this.#announced(event.update, event.subagent);
      case "updated": {
        this.#measure(contextSizeOf(event.update));
        this.#announced(event.update);
        return this.#report(partsOfUpdate(this.#text, event.update, call => this.#agent.originOf(call)));
      }
      default:
        return assertNever(event, "event of an agent");
    }
  }

  #announced(update: unknown, subagent?: string): void {
    this.#recorded?.onUpdate(update, subagent);
    const { expectsCall, broken } = this.#agent.announced(update, subagent);
    if (expectsCall) this.#questionDebounce.prolong();
    if (broken !== undefined) this.#report(noticeOf(this.#text, brokenAllowance(this.begin.agent.name, broken)));
  }

  /**
   * Sentences that were not shown yet. Only a new session of a user's chat shows them, because another program could
   * use them as the answer.
   */
  #newNotices(missing: readonly MissingExtension[]): readonly string[] {
    const { begin, isForeign, isOneShot } = this.begin;
    return begin.kind !== "new" || isForeign || isOneShot === true
      ? []
      : missing.map(({ sentence }) => sentence).filter(sentence => !this.#shownNotices.has(sentence));
  }

  #measure(tokens: number | undefined): void {
    if (tokens === undefined || tokens === this.#contextSize) return;
    this.#contextSize = tokens;
    this.deps.notify({ kind: "contextSize", tokens });
  }

  /** Shows the pending sentences before the next answer. */
  #reportMissing(): void {
    if (this.#pendingNotices.length === 0 || this.#state.phase.kind !== "streaming") return;
    for (const sentence of this.#pendingNotices) {
      this.#shownNotices.add(sentence);
      this.#report(noticeOf(this.#text, l10n.t`${sentence} This chat continues without it.`));
    }
    this.#pendingNotices = [];
  }

  #report([text, parts]: readonly [TextState, readonly ChatPart[]]): void {
    this.#text = text;
    for (const part of parts) this.#step({ kind: "spoke", part });
  }

  /** Call ids contain the session's id for the log. VS Code returns them unchanged. */
  #ask(question: AgentQuestion, withdrawal: AbortSignal): void {
    const callId = `sy1_${this.begin.id.slice(0, 8)}_${randomBytes(16).toString("hex")}_${++this.#calls}`;
    this.#questions.add(callId, question, withdrawal);
    this.#step({
      kind: "asked",
      question: { callId, kind: question.kind, toolName: question.toolName, parameters: question.parameters },
    });
  }

  #decide(questionId: string, settle: (isTaken: boolean) => void): void {
    const callId = this.#shown.get(questionId);
    if (callId !== undefined) this.#step({ kind: "decided", callId });
    settle(callId !== undefined);
  }

  #step(event: ModelSessionEvent): void {
    const before = this.#state.phase.kind,
      [state, effects] = stepModelSession(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    if (state.phase.kind !== before && ENDED.has(state.phase.kind)) this.#recorded?.end();
    if (state.phase.kind !== before) this.deps.notify({ kind: "phase", phase: state.phase.kind });
  }

  #do(effect: ModelSessionEffect): void {
    switch (effect.kind) {
      case "open":
        return this.#agent.open();
      case "prompt":
        this.#turn = effect.prompt.requestId;
        this.#text = nextTurn(this.#text);
        return this.#agent.prompt(effect.prompt, this.#recorded?.begin(effect.prompt.text));
      case "emit":
        return this.deps.notify({ kind: "part", requestId: effect.requestId, part: effect.part });
      case "askHost": {
        const question = this.#questions.get(effect.question.callId);
        if (question?.kind === "permission") {
          this.#shown.set(question.questionId, effect.question.callId);
          this.deps.notify({
            kind: "asked",
            questionId: question.questionId,
            callId: effect.question.callId,
            toolName: question.toolName,
            question: question.question,
          });
        }
        return this.deps.notify({ kind: "part", requestId: effect.requestId, part: partOf(effect.question) });
      }
      case "finish":
        this.#questionDebounce.end();
        return this.deps.notify({ ...effect, kind: "finished" });
      case "turnOver":
        return this.deps.notify({ kind: "turnOver", turn: this.#turn, how: effect.how });
      case "answer": {
        const question = this.#questions.get(effect.callId);
        if (question?.kind === "permission") {
          this.#shown.delete(question.questionId);
          this.deps.notify({ kind: "settled", questionId: question.questionId });
        }
        return this.#questions.answer(effect.callId, effect.answer);
      }
      case "cancelAgent":
        return this.#agent.cancel();
      case "awaitQuiet":
        return this.#questionDebounce.begin();
      case "watch":
        return this.#watchFor(effect.ms);
      case "unwatch":
        return this.#unwatch();
      case "pause":
        return this.#agent.pause();
      case "release":
        return this.#agent.release();
      case "leave":
        return this.#agent.leave();
      case "discard":
        return;
      case "unexpected":
        return this.deps.log("error", "Unexpected event of a model's session", { what: effect.what });
      default:
        return assertNever(effect, "effect of a model's session");
    }
  }

  #watchFor(ms: number): void {
    this.#unwatch();
    const watch = this.#watchNumber;
    this.#watch = this.deps.clock.after(ms, () => this.post({ kind: "overdue", watch }));
  }

  #unwatch(): void {
    this.#watchNumber++;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}

function brokenAllowance(agent: string, tool: string): string {
  return l10n.t`${agent} was allowed to call VS Code's tool “${tool}”, but did not call it. Symposium asks about each of its further calls in this session.`;
}
