/**
 * A session's client of its agent, for chat sessions and sessions of the model picker. Opens the agent's session and
 * closes it, and sends its prompts. Messages of the agent are posted to the owner's queue and take effect only when the
 * owner handles them. The owner's policy decides what differs between the two.
 *
 * Invariants:
 * - Messages of an opening that has ended are late: their requests are answered and their sessions are closed.
 * - A lease is released unless a session was opened on it. Closing the session releases it.
 * - A prompt that is cancelled before it was sent is never sent. Each prompt ends its turn once, unless the opening
 *   ends.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConnection, OpenedSession, PromptOutcome, SessionListener, SessionSetup } from "../acp/connection";
import type { AgentKey, AgentPool, Lease } from "../agents/pool";
import { assertNever } from "../../src/protocol/wire/wire";
import { AgentError } from "../errors";
import type { ContentBlock } from "../acp/schema";
import { answerLate } from "./agent-answers";
import { wantsSignIn } from "./agent-failure";
import type { AgentEvent, AgentMessage } from "./agent-message";
import { AgentSessionHandle, closeSession, type OpenAgentSession } from "./agent-session-handle";
import { openAgentSession, type SessionBegin } from "./open-agent-session";
import { PromptPreparation, UnsentPrompt } from "./prompt-preparation";

/** The agent's messages about a session. The owner receives its requests and its end as an `AgentMessage`. */
export type SessionUpdates = Omit<SessionListener, "request" | "closed">;

/** The owner's part of one opening. */
export interface SessionOpening {
  readonly begin: SessionBegin;
  readonly setup: SessionSetup;
  /** Called for each session that is requested. `isNew`: it does not contain an earlier conversation. */
  listener(connection: AgentConnection, isNew: boolean): SessionUpdates;
  /**
   * Opens the session with `open`, after or before other requests. Resolves with `otherProcess` if the session must be
   * opened with another process of the agent. Rejects with the reason if it cannot be opened.
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
  /** A prompt is being sent to the agent's session with this id. */
  readonly onSending: (sessionId: string) => void;
  /** `left` aborts when the opening ends. */
  readonly opening: (of: number, abandoned: AbortSignal) => SessionOpening;
  /** The agent could not continue the earlier session. */
  readonly onRefused: (how: string, error: unknown) => void;
  /** Watches the extensions of an open session until it ends. */
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
    const { opening: of, abandoned } = this.#handle.begin(),
      notify = this.notifier();
    this.#enter(this.policy.opening(of, abandoned), of, abandoned).catch((error: unknown) =>
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

  /** Sends a prompt once it is prepared. `stopped` aborts if it is cancelled before. */
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
      if (wantsSignIn(outcome.error)) notify({ kind: "agentDown", ...this.policy.failure(outcome.error) });
      else failed(outcome.error);
    });
  }

  /** Cancels the turn. Returns false if its prompt was not sent yet, which ends the turn at once. */
  cancel(): boolean {
    if (this.#preparation.stop()) {
      this.notifier()({ kind: "turnEnded", outcome: { kind: "stopped", reason: "cancelled" } });
      return false;
    }
    const { session } = this.#handle;
    session?.lease.connection.cancel(session.id);
    return true;
  }

  /** Ends the opening. The session is closed at the agent unless `close` does something else. */
  leave(close: (session: OpenAgentSession) => void = closeSession): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#preparation.stop();
    this.#handle.end(close);
  }

  /** Returns a function that posts events of the current opening. They are late after that opening has ended. */
  notifier(): (event: AgentEvent<F> | E) => void {
    const of = this.opening;
    return event => this.policy.post({ kind: "event", event, of });
  }

  async #enter(opening: SessionOpening, of: number, abandoned: AbortSignal): Promise<void> {
    const lease = await this.policy.pool.acquire(this.policy.key, abandoned);
    if (abandoned.aborted) return lease.release();
    const opened = await opening
      .enter(lease.connection, () => this.#session(lease, opening, of))
      .catch((error: unknown) => {
        lease.release();
        throw error;
      });
    if (opened !== "otherProcess")
      return this.policy.post({
        kind: "opened",
        session: { lease, id: opened.sessionId },
        isContinued: opened.isContinued,
        of,
      });
    lease.release();
    if (!abandoned.aborted) await this.#enter(opening, of, abandoned);
  }

  #session({ connection }: Lease, opening: SessionOpening, of: number): ReturnType<typeof openAgentSession> {
    const { begin, setup } = opening,
      { cwd } = this.policy.key,
      { version, agentName, agentVersion } = connection,
      notify = (event: AgentEvent<F>): void => this.policy.post({ kind: "event", event, of });
    const listener = (isNew: boolean): SessionListener => ({
      ...opening.listener(connection, isNew),
      request: (request, subagent) =>
        this.policy.post({ kind: "request", request, version, agentName, agentVersion, subagent, of }),
      closed: reason => notify({ kind: "agentDown", ...this.policy.failure(reason) }),
    });
    return openAgentSession(connection, { cwd, begin, setup, listener, onRefused: this.policy.onRefused });
  }
}
