/**
 * A session's client of its agent, for chat sessions and sessions of the model picker; `AgentSessionPolicy` contains
 * their differences. Opens and closes the agent's session and sends its prompts. The agent's messages are posted to the
 * owner's queue, and take effect when the owner handles them.
 *
 * Invariants:
 * - Messages of an opening that has ended are late: their requests are answered and their sessions are closed.
 * - A lease without an open session is released. Closing the session releases its lease.
 * - A prompt that is cancelled during its preparation is never sent. Each prompt ends its turn once, unless the opening
 *   ends.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConnection, OpenedSession, PromptOutcome, SessionListener, SessionSetup } from "../acp/connection";
import type { AgentKey, AgentPool, Lease } from "../agents/pool";
import { assertNever } from "../../src/protocol/wire/wire";
import { AgentError } from "../errors";
import type { ContentBlock } from "../acp/schema";
import { answerLate } from "./agent-answers";
import { requiresSignIn } from "./agent-failure";
import type { AgentEvent, AgentMessage } from "./agent-message";
import { AgentSessionHandle, closeSession, type OpenAgentSession } from "./agent-session-handle";
import { openAgentSession, type SessionBegin } from "./open-agent-session";
import { PromptPreparation, UnsentPrompt } from "./prompt-preparation";

/** Callbacks for an agent's messages about a session. Requests and the end are posted as an `AgentMessage`. */
export type SessionUpdates = Omit<SessionListener, "request" | "closed">;

/** The owner's part of one opening. */
export interface SessionOpening {
  readonly begin: SessionBegin;
  readonly setup: SessionSetup;
  /** Called for each session request. `isNew`: the session does not contain an earlier conversation. */
  listener(connection: AgentConnection, isNew: boolean): SessionUpdates;
  /**
   * Opens the session with `open`, before or after further requests. Resolves with `otherProcess` if the session must
   * be opened with another process of the agent. Rejects with the reason if the session cannot be opened.
   */
  enter<S extends OpenedSession>(connection: AgentConnection, open: () => Promise<S>): Promise<S | "otherProcess">;
}

/** A prepared prompt. */
export interface PromptContent {
  /** ACP content blocks. A prompt without blocks is not sent. */
  readonly blocks: readonly ContentBlock[];
  /** Called before the prompt is sent. */
  readonly onReady?: () => void;
  /** Called when the agent has ended the turn, before the event. */
  readonly onEnded?: (outcome: PromptOutcome) => void;
}

export interface AgentSessionPolicy<F, E> {
  readonly pool: AgentPool;
  readonly key: AgentKey;
  readonly post: (message: AgentMessage<F, E>) => void;
  /** Describes a failure for the user, and logs it. The reason may be an `UnsentPrompt`. */
  readonly failure: (error: unknown) => F;
  /** Called before a prompt is sent to the agent's session with this id. */
  readonly onSending: (sessionId: string) => void;
  /** `abandoned` aborts when the opening ends. */
  readonly opening: (openingNumber: number, abandoned: AbortSignal) => SessionOpening;
  /** Called when the agent could not continue the earlier session. `how`: `fork`, `resume` or `load`. */
  readonly onRefused: (how: string, error: unknown) => void;
  /** Watches the extensions of an open session until disposal. */
  readonly watch: (connection: AgentConnection, sessionId: string) => Disposable | undefined;
}

export class AgentSession<F extends object, E> {
  readonly #handle = new AgentSessionHandle();
  readonly #preparation = new PromptPreparation();
  #watch: Disposable | undefined;

  constructor(private readonly policy: AgentSessionPolicy<F, E>) {}

  /** Number of the current opening. */
  get opening(): number {
    return this.#handle.opening;
  }

  /** Undefined unless open. */
  get current(): OpenAgentSession | undefined {
    return this.#handle.session;
  }

  isCurrent(opening: number): boolean {
    return this.#handle.isCurrent(opening);
  }

  /** Posts `opened` or `openFailed`, unless the opening has ended before. */
  open(): void {
    this.#preparation.stop();
    const { opening, abandoned } = this.#handle.begin(),
      notify = this.notifier();
    this.#enter(this.policy.opening(opening, abandoned), opening, abandoned).catch((error: unknown) =>
      notify({ kind: "openFailed", ...this.policy.failure(error) }),
    );
  }

  /** Stores the session of a current message. */
  opened({ session }: Extract<AgentMessage<F, E>, { readonly kind: "opened" }>): void {
    this.#handle.opened(session);
    this.#watch?.[Symbol.dispose]();
    this.#watch = this.policy.watch(session.lease.connection, session.id);
  }

  /** Whether the message belongs to an ended opening, or the agent has withdrawn the request meanwhile. */
  isLate(message: AgentMessage<F, E>): boolean {
    return !this.isCurrent(message.of) || (message.kind === "request" && message.request.signal.aborted);
  }

  /** Answers a message that is not handled. */
  refuse(message: AgentMessage<F, E>): void {
    switch (message.kind) {
      case "event":
        return;
      case "request":
        return answerLate(message.request);
      case "opened":
        return closeSession(message.session);
      default:
        return assertNever(message, "message of an agent");
    }
  }

  /** Prepares and sends a prompt. `stopped` aborts if the prompt is cancelled during the preparation. */
  prompt(prepare: (session: OpenAgentSession, stopped: AbortSignal) => PromptContent | Promise<PromptContent>): void {
    const { session } = this.#handle,
      notify = this.notifier(),
      { agent } = this.policy.key,
      failed = (error: unknown): void =>
        notify({ kind: "turnEnded", outcome: { kind: "failed", ...this.policy.failure(error) } });
    if (!session)
      return notify({
        kind: "agentDown",
        ...this.policy.failure(new AgentError("closed", l10n.t`${agent.name} is not available.`)),
      });
    this.#preparation.begin(
      stopped => prepare(session, stopped),
      content => this.#send(session, content, failed),
      error =>
        failed(
          error instanceof AgentError
            ? error
            : new UnsentPrompt(l10n.t("Symposium could not convert this message to a prompt. See the log."), {
                cause: error,
              }),
        ),
    );
  }

  #send(
    { lease: { connection }, id }: OpenAgentSession,
    { blocks, onReady, onEnded }: PromptContent,
    failed: (error: unknown) => void,
  ): void {
    const notify = this.notifier();
    onReady?.();
    if (blocks.length === 0) return failed(new UnsentPrompt(l10n.t("No part of this prompt could be sent.")));
    this.policy.onSending(id);
    connection.prompt(id, blocks, outcome => {
      onEnded?.(outcome);
      if (outcome.kind === "stopped") return notify({ kind: "turnEnded", outcome });
      // The agent's session is unusable: the next prompt opens another, where the user can sign in.
      if (requiresSignIn(outcome.error)) notify({ kind: "agentDown", ...this.policy.failure(outcome.error) });
      else failed(outcome.error);
    });
  }

  /** Cancels the turn. Returns false if the prompt was not sent yet; the turn then ends immediately. */
  cancel(): boolean {
    if (this.#preparation.stop()) {
      this.notifier()({ kind: "turnEnded", outcome: { kind: "stopped", reason: "cancelled" } });
      return false;
    }
    const { session } = this.#handle;
    session?.lease.connection.cancel(session.id);
    return true;
  }

  /** Ends the opening. `close` receives the open session; by default it closes the session at the agent. */
  leave(close: (session: OpenAgentSession) => void = closeSession): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#preparation.stop();
    this.#handle.end(close);
  }

  /** Returns a function that posts events of the current opening. Events after the end of that opening are late. */
  notifier(): (event: AgentEvent<F> | E) => void {
    const { opening } = this;
    return event => this.policy.post({ kind: "event", event, of: opening });
  }

  async #enter(opening: SessionOpening, openingNumber: number, abandoned: AbortSignal): Promise<void> {
    const lease = await this.policy.pool.acquire(this.policy.key, abandoned);
    if (abandoned.aborted) return lease.release();
    const opened = await opening
      .enter(lease.connection, () => this.#session(lease, opening, openingNumber))
      .catch((error: unknown) => {
        lease.release();
        throw error;
      });
    if (opened !== "otherProcess")
      return this.policy.post({
        kind: "opened",
        session: { lease, id: opened.sessionId },
        isContinued: opened.isContinued,
        of: openingNumber,
      });
    lease.release();
    if (!abandoned.aborted) await this.#enter(opening, openingNumber, abandoned);
  }

  #session({ connection }: Lease, opening: SessionOpening, openingNumber: number): ReturnType<typeof openAgentSession> {
    const { begin, setup } = opening,
      { cwd } = this.policy.key,
      { version, agentName, agentVersion } = connection,
      notify = (event: AgentEvent<F>): void => this.policy.post({ kind: "event", event, of: openingNumber });
    const listener = (isNew: boolean): SessionListener => ({
      ...opening.listener(connection, isNew),
      request: (request, subagent) =>
        this.policy.post({ kind: "request", request, version, agentName, agentVersion, subagent, of: openingNumber }),
      closed: reason => notify({ kind: "agentDown", ...this.policy.failure(reason) }),
    });
    return openAgentSession(connection, { cwd, begin, setup, listener, onRefused: this.policy.onRefused });
  }
}
