/**
 * The actor that routes VS Code's requests to their sessions. Owns the records of all conversations and the session
 * actors. `classify-request.ts` and `match-history.ts` are pure and choose the session of a request.
 *
 * Invariants:
 * - A request is answered once, even if its session fails.
 * - The record of an answer contains only parts that were actually sent.
 * - Only messages of a session's current turn change its record.
 */
import * as l10n from "@vscode/l10n";
import { assertNever } from "../../src/protocol/wire/wire";
import {
  LM_DEFAULTS,
  type ChatRequest,
  type Decision,
  type LmSettings,
  type PermissionQuestion,
  type RequestId,
} from "../../src/protocol/lm/lm";
import { Actor } from "../rpc/actor";
import { OneShotSessions } from "./session/one-shot-session";
import { chatContextOf } from "./history/chat-context";
import { classify } from "./history/classify-request";
import { admit, match, type Verdict } from "./history/match-history";
import type { ChatRequestMessage, HistoryDeps, Message, PersistedState, SessionQuestion } from "./history-model";
import { agentKey, agentOf, identityOf } from "./history/request-identity";
import { isIdle, createLiveSession, LiveSessions, type LiveSession } from "./live-sessions";
import { namesTools, promptFor } from "./session/prompt";
import type { MessageHistory } from "./history/message-history";
import { commonRecords, newResults, type Reading } from "./history/parse-history";
import type { ResponseStream } from "./response/response-sink";
import { prune, restore, save } from "./persisted-records";
import { SessionActor } from "./session/session-actor";
import type { SessionMessage } from "./session/session-message";
import { emitted, ended, waits, type SessionRecord } from "./history/session-record";
import type { ModelPrompt } from "./session/session-state-model";
import { SideRequestHandler, sidePrompt } from "./history/side-request";

export class HistoryActor extends Actor<Message> {
  readonly #lives: LiveSessions;
  readonly #oneShots: OneShotSessions;
  readonly #sideRequests: SideRequestHandler;
  /** Streams of the open requests. */
  readonly #streams = new Map<RequestId, { readonly stream: ResponseStream; readonly live: LiveSession }>();
  readonly #questions = new Map<string, SessionQuestion>();
  readonly #closing = new Set<Promise<void>>();
  #settings: LmSettings = LM_DEFAULTS;
  #persisted: PersistedState = { kind: "unasked" };

  constructor(private readonly deps: HistoryDeps) {
    super("model history");
    this.#lives = new LiveSessions(
      deps.clock,
      id => this.post({ kind: "idle", id }),
      actor => this.#close(actor, UNUSED),
      dropped => deps.keeper.forget(dropped.filter(({ isPersisted }) => isPersisted).map(({ record }) => record.id)),
    );
    this.#oneShots = new OneShotSessions({ ...deps, policy: () => "ask" });
    this.#sideRequests = new SideRequestHandler((requestId, request, stream) =>
      this.#oneShots.ask(
        requestId,
        {
          id: deps.freshId(),
          agent: agentOf(request),
          cwd: request.cwd ?? deps.cwd,
          extensions: deps.extensions?.() ?? [],
          protocol: this.#settings.protocol ?? 1,
        },
        sidePrompt(request),
        stream,
      ),
    );
  }

  /** `history`: the request's messages. */
  ask(requestId: RequestId, request: ChatRequest, history: MessageHistory, stream: ResponseStream): void {
    this.post({ kind: "ask", requestId, request, history, stream });
  }
  cancel(requestId: RequestId): void {
    this.post({ kind: "cancel", requestId });
  }
  settings(settings: LmSettings): void {
    this.post({ kind: "settings", settings });
  }
  /** Resolves to `undefined` if no such question is open. */
  question(questionId: string): Promise<PermissionQuestion | undefined> {
    return new Promise(settle => this.post({ kind: "question", questionId, settle }));
  }
  /** Resolves to whether the user's consent was accepted. */
  decide(decision: Decision): Promise<boolean> {
    return new Promise(settle => this.post({ ...decision, kind: "decide", settle }));
  }

  protected override handle(message: Message): void {
    switch (message.kind) {
      case "ask":
        return this.#ask(message);
      case "cancel":
        return this.#cancel(message.requestId);
      case "settings":
        this.#settings = message.settings;
        return;
      case "word":
        return this.#handleMessage(message.id, message.actor, message.message);
      case "question":
        return message.settle(this.#questions.get(message.questionId)?.message.question);
      case "decide":
        return this.#decide(message);
      case "idle": {
        const live = this.#lives.get(message.id);
        return live && isIdle(live) ? this.#lives.end(live) : undefined;
      }
      case "kept":
        return this.#restore(message.sessions);
      default:
        return assertNever(message, "message to the history");
    }
  }

  protected override failed(message: Message, error: unknown): void {
    this.deps.log("error", "A message to the history failed", { kind: message.kind, error: String(error) });
    if (message.kind === "ask") {
      const open = this.#streams.get(message.requestId);
      if (open) open.live.open--;
      this.#streams.delete(message.requestId);
      message.stream.failed(l10n.t("Symposium could not process this message. See the log."));
    } else if (message.kind !== "word") this.refused(message);
  }

  protected override refused(message: Message): void {
    switch (message.kind) {
      case "ask":
        return message.stream.failed(STOPPED);
      case "word":
        return this.#handleMessage(message.id, message.actor, message.message); // open requests must still be answered
      case "question":
        return message.settle(undefined);
      case "decide":
        return message.settle(false);
      case "cancel":
      case "settings":
      case "idle":
      case "kept":
        return;
      default:
        return assertNever(message, "message to the history");
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#persisted.kind === "awaited") for (const { stream } of this.#persisted.waiting) stream.failed(STOPPED);
    for (const { actor } of this.#lives.all) if (actor) this.#close(actor, STOPPED);
    await this.#oneShots[Symbol.asyncDispose]();
    await Promise.all(this.#closing);
  }

  // --- requests

  #ask(ask: ChatRequestMessage): void {
    switch (this.#persisted.kind) {
      case "unasked":
        this.#persisted = { kind: "awaited", waiting: [ask] };
        this.deps.keeper.load().then(
          sessions => this.post({ kind: "kept", sessions }),
          (error: unknown) => {
            this.deps.log("warn", "Earlier chats could not be read", { error: String(error) });
            this.post({ kind: "kept", sessions: [] });
          },
        );
        return;
      case "awaited":
        this.#persisted = { kind: "awaited", waiting: [...this.#persisted.waiting, ask] };
        return;
      case "there":
        return this.#admit(ask);
      default:
        return assertNever(this.#persisted, "state of what is kept");
    }
  }

  #restore(sessions: readonly unknown[]): void {
    const waiting = this.#persisted.kind === "awaited" ? this.#persisted.waiting : [];
    this.#persisted = { kind: "there" };
    const { valid, forgotten } = prune(
      sessions.map(restore).filter(saved => saved !== undefined),
      this.deps.date(),
    );
    if (forgotten.length > 0) this.deps.keeper.forget(forgotten);
    for (const { session, agentSession, modeReturn } of valid.toSorted((a, b) => a.at - b.at))
      this.#lives.use({ ...createLiveSession(session, "", true), agentSession, modeReturn });
    for (const ask of waiting) this.post(ask);
  }

  #admit({ requestId, request, history, stream }: ChatRequestMessage): void {
    if (this.#streams.has(requestId) || this.#oneShots.has(requestId))
      return stream.failed(l10n.t("A request with this id is open already."));
    const { reading } = history,
      identity = identityOf(request),
      kind = classify(request, reading, identity);
    if (kind.kind !== "turn") {
      this.deps.log("debug", "Side request", { requestId, kind: kind.kind });
      return this.#sideRequests.answer(this.#settings.sideRequests, kind, requestId, request, reading, stream);
    }
    const asking = { agent: agentKey(request), identity, reading },
      verdict = match(asking, this.#lives.records);
    const [record, ...superseded] = admit(verdict, asking, this.deps.freshId);
    for (const sessionRecord of superseded) {
      const live = this.#lives.get(sessionRecord.id);
      if (!live) continue;
      this.#keep(live, sessionRecord);
      live.actor?.takeBack();
    }
    const live =
      this.#lives.get(record.id) ??
      createLiveSession(record, requestId, !identity.isForeign && identity.conversationId !== undefined);
    live.record = record;
    live.requestId = requestId;
    live.open++;
    this.deps.log("info", "Received request", {
      requestId,
      verdict: verdict.kind,
      session: record.id,
      model: request.modelId,
    });
    this.#lives.use(live);
    this.#streams.set(requestId, { stream, live });
    this.#send(live, verdict, request, reading);
  }

  #send(live: LiveSession, verdict: Verdict, request: ChatRequest, reading: Reading): void {
    const { requestId } = live,
      tools = request.options?.tools ?? [],
      { bridgeDuplicates } = this.#settings;
    const prompt: ModelPrompt = {
      requestId,
      text: reading.lastText,
      context: () => chatContextOf(request, request.cwd ?? this.deps.cwd),
      namesTools: () => namesTools(request, reading),
      blocks: to => promptFor(request, reading, verdict, to),
    };
    const continuesTurn =
      live.actor !== undefined && (verdict.kind === "repeat" || (verdict.kind === "resume" && !reading.isNew));
    if (!continuesTurn) live.turn = requestId;
    if (!live.actor) {
      this.#lives.makeRoom(live.record.agent);
      live.actor = this.#begin(live, verdict, request);
      return live.actor.ask(prompt);
    }
    live.actor.offer(tools, bridgeDuplicates);
    switch (verdict.kind) {
      case "resume":
        return live.actor.resume(requestId, newResults(request.messages), reading.isNew ? prompt : undefined);
      case "repeat":
        return live.actor.repeat(requestId);
      case "continue":
      case "behind":
      case "fork":
      case "new":
        return live.actor.ask(prompt);
      default:
        return assertNever(verdict, "verdict");
    }
  }

  #begin(live: LiveSession, verdict: Verdict, request: ChatRequest): SessionActor {
    const { record } = live,
      { deps } = this,
      { agentId, options, permissionGroup } = request;
    live.extensions ??= deps.extensions?.() ?? [];
    live.protocol ??= this.#settings.protocol ?? 1;
    const origin = verdict.kind === "fork" && verdict.isWhole ? this.#lives.get(verdict.session.id) : undefined,
      { agentSession } = live;
    live.modeReturn ??= origin?.modeReturn;
    const actor: SessionActor = new SessionActor(
      {
        id: record.id,
        agent: agentOf(request),
        cwd: request.cwd ?? deps.cwd,
        ...(request.folders === undefined ? {} : { folders: request.folders }),
        tools: options?.tools ?? [],
        duplicates: this.#settings.bridgeDuplicates,
        isForeign: identityOf(request).isForeign,
        extensions: live.extensions,
        protocol: live.protocol,
        ...(permissionGroup === undefined ? {} : { permissionGroup }),
        begin:
          agentSession !== undefined
            ? { kind: "again", agentSession, modeReturn: live.modeReturn }
            : origin?.agentSession !== undefined
              ? { kind: "fork", agentSession: origin.agentSession, modeReturn: live.modeReturn }
              : { kind: "new" },
      },
      {
        ...deps,
        policy: () => deps.policy(agentId),
        notify: message => {
          if (message.kind === "opened" && agentId !== undefined)
            deps.onFacts({ agentId, images: message.capabilities.images });
          if (message.kind === "contextSize" && agentId !== undefined)
            deps.onFacts({ agentId, contextTokens: message.tokens });
          this.post({ kind: "word", id: record.id, actor, message });
        },
      },
    );
    return actor;
  }

  #cancel(requestId: RequestId): void {
    if (this.#persisted.kind === "awaited") {
      const { waiting } = this.#persisted;
      for (const { stream } of waiting.filter(ask => ask.requestId === requestId)) stream.done();
      this.#persisted = { kind: "awaited", waiting: waiting.filter(ask => ask.requestId !== requestId) };
    }
    this.#streams.get(requestId)?.live.actor?.cancel(requestId);
    this.#oneShots.cancel(requestId);
  }

  #decide({ questionId, callId, toolName, settle }: Extract<Message, { readonly kind: "decide" }>): void {
    const question = this.#questions.get(questionId);
    if (
      !question ||
      (callId !== undefined && callId !== question.message.callId) ||
      (toolName !== undefined && toolName !== question.message.toolName)
    )
      return settle(false);
    question.actor.decide(questionId, settle);
  }

  // --- sessions

  #handleMessage(id: string, actor: SessionActor, message: SessionMessage): void {
    const live = this.#lives.get(id),
      isCurrent = live?.actor === actor;
    switch (message.kind) {
      case "part":
        if (isCurrent && message.requestId === live.requestId) live.record = emitted(live.record, message.part);
        return this.#streams.get(message.requestId)?.stream.part(message.part);
      case "finished":
        return this.#finished(isCurrent ? live : undefined, message);
      case "turnOver":
        if (isCurrent && message.turn === live.turn) this.#keep(live, ended(live.record, message.how));
        return;
      case "asked":
        this.#questions.set(message.questionId, { actor, message });
        return;
      case "settled":
        this.#questions.delete(message.questionId);
        return;
      case "opened":
        if (isCurrent) live.agentSession = message.agentSession;
        return;
      case "contextSize":
        return;
      case "modeReturn":
        if (isCurrent) live.modeReturn = message.modeReturn;
        return;
      case "phase":
        if (!isCurrent) return;
        live.phase = message.phase;
        return this.#lives.rest(live);
      default:
        return assertNever(message, "word of a session");
    }
  }

  #finished(
    live: LiveSession | undefined,
    { requestId, error, goesOn }: Extract<SessionMessage, { readonly kind: "finished" }>,
  ): void {
    if (live?.requestId === requestId) {
      if (goesOn) live.record = waits(live.record);
      else this.#keep(live, ended(live.record, "cut")); // no effect on an answered turn
    }
    const open = this.#streams.get(requestId);
    this.#streams.delete(requestId);
    if (open) {
      open.live.open--;
      this.#lives.rest(open.live);
    }
    if (error === undefined) open?.stream.done();
    else open?.stream.failed(error);
  }

  #keep(live: LiveSession, record: SessionRecord): void {
    if (record === live.record) return;
    live.record = record;
    if (!live.isPersisted || record.isBeside || live.agentSession === undefined) return;
    const { turns: _, ...session } = save(record, live.agentSession, this.deps.date(), live.modeReturn),
      from = commonRecords(live.savedTurns, record.turns);
    this.deps.keeper.save(record.id, session, { from, added: record.turns.slice(from) });
    live.savedTurns = record.turns;
  }

  #close(actor: SessionActor, why: string): void {
    const closing = actor
      .close(why)
      .catch((error: unknown) => this.deps.log("error", "A session could not be closed", { error: String(error) }))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

const UNUSED = l10n.t("This chat was not used for a while. Send the message again.");
const STOPPED = l10n.t("Symposium was stopped.");
