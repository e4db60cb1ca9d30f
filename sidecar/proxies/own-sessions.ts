/**
 * Sessions that a proxy opens at its successor, invisible to the client.
 *
 * Invariants:
 * - Messages are inspected only while such a session exists or is being opened.
 * - A message of such a session is delivered to its listener only, in order of arrival.
 *
 * An agent may send messages of a session before the response that contains the session id. While a session is being
 * opened, a notification of an unknown session is buffered until that response, with all later messages. The buffer is
 * delivered to the client if the agent sends a request, because the agent may respond only after that request is
 * answered. The buffer is also delivered at `HIGH_WATER_MARK` messages.
 */
import type { Envelope, Frame } from "../rpc/frame";
import { isObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { Outcome } from "../rpc/peer";
import { paramsOr, type Claimant, type Router } from "./router";
import type { OwnRequests } from "./own-requests";
import type { OwnSession, OwnSessionListener } from "./proxy";
import { AGENT_METHODS, CLIENT_METHODS } from "../acp/methods";

const HIGH_WATER_MARK = 1000;

export class OwnSessions implements Claimant {
  readonly #successor: OwnRequests;
  readonly #onWarning: (what: string, detail: unknown) => void;
  readonly #sessions = new Map<string, Session>();
  /** Sessions that cannot belong to the proxy. */
  readonly #clientSessions = new Set<string>();
  #opening = 0;
  #buffered: Frame[] = [];
  #direction: Router | undefined;

  constructor(successor: OwnRequests, onWarning: (what: string, detail: unknown) => void) {
    this.#successor = successor;
    this.#onWarning = onWarning;
  }

  get areMade(): boolean {
    return this.#opening > 0 || this.#sessions.size > 0 || this.#buffered.length > 0;
  }

  open(params: unknown, listener: OwnSessionListener): Promise<OwnSession> {
    this.#opening++;
    const opened = new Promise<OwnSession>((resolve, reject) => {
      this.#successor.call(AGENT_METHODS.session_new, params, outcome => {
        this.#opening--;
        try {
          resolve(this.#createSession(outcome, listener));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        this.#routeAgain();
      });
    });
    opened.catch(() => {}); // the caller may ignore the result
    return opened;
  }

  claim(frame: Frame, envelope: Envelope, direction: Router): boolean {
    const sessionId = envelope.kind === "response" ? undefined : sessionOf(frame);
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (session) return session.take(frame, envelope, direction);
    if (envelope.kind === "request") this.#deliverToClient();
    else if (
      this.#buffered.length > 0 ||
      (sessionId !== undefined && this.#opening > 0 && !this.#clientSessions.has(sessionId))
    )
      return this.#buffer(frame, direction);
    this.#addClientSession(sessionId);
    return false;
  }

  #buffer(frame: Frame, direction: Router): true {
    this.#direction = direction;
    this.#buffered.push(frame);
    if (this.#buffered.length >= HIGH_WATER_MARK) {
      this.#onWarning("opening a session takes too long; its held messages are forwarded", HIGH_WATER_MARK);
      this.#deliverToClient();
    }
    return true;
  }

  /** Delivers the buffered messages to the client. */
  #deliverToClient(): void {
    for (const frame of this.#buffered) this.#addClientSession(sessionOf(frame));
    this.#routeAgain();
  }

  /**
   * Routes all buffered messages again. A message of a session that is still unknown is buffered again, with all later
   * ones.
   */
  #routeAgain(): void {
    this.#direction?.again(this.#buffered.splice(0));
  }

  #addClientSession(sessionId: string | undefined): void {
    if (this.#clientSessions.size >= HIGH_WATER_MARK) this.#clientSessions.clear();
    if (sessionId !== undefined) this.#clientSessions.add(sessionId);
  }

  #createSession(outcome: Outcome, listener: OwnSessionListener): Session {
    if (!outcome.ok) throw outcome.error;
    const sessionId = isObject(outcome.result) ? outcome.result.sessionId : undefined;
    if (typeof sessionId !== "string")
      throw new RpcError(RpcCode.internalError, "The response to session/new has no session id.");
    const session = new Session(sessionId, outcome.result, listener, this.#successor, {
      forget: () => this.#sessions.delete(sessionId),
      onWarning: this.#onWarning,
    });
    this.#sessions.set(sessionId, session);
    return session;
  }
}

interface Owner {
  forget(): void;
  onWarning(what: string, detail: unknown): void;
}

class Session implements OwnSession {
  /** Undefined after disposal. Later messages are dropped until the agent has answered every request. */
  #listener: OwnSessionListener | undefined;
  #unanswered = 0;

  constructor(
    readonly sessionId: string,
    readonly opened: unknown,
    listener: OwnSessionListener,
    private readonly successor: OwnRequests,
    private readonly owner: Owner,
  ) {
    this.#listener = listener;
  }

  prompt(prompt: readonly unknown[], options: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
    const { sessionId } = this;
    if (!this.#listener) return rejected(new RpcError(RpcCode.invalidRequest, "This session was closed."));
    return this.#count(
      this.successor.ask(AGENT_METHODS.session_prompt, { sessionId, prompt }, () => this.#cancel(), options.signal),
    );
  }

  take(frame: Frame, envelope: Envelope, direction: Router): true {
    const listener = this.#listener;
    if (envelope.kind === "request")
      direction.serve(direction.inspect(frame, envelope), ({ method, params, signal }) => {
        if (!listener) throw new RpcError(RpcCode.notFound, "This session was closed.");
        return listener.request(method, params, signal);
      });
    else if (envelope.kind === "notification" && envelope.method === CLIENT_METHODS.session_update && listener)
      this.#update(listener, paramsOr(frame));
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#listener) return;
    this.#listener = undefined;
    if (this.#unanswered > 0) this.#cancel(); // not every agent supports session/close
    void this.#count(this.successor.request(AGENT_METHODS.session_close, { sessionId: this.sessionId })).catch(
      () => {},
    );
  }

  #cancel(): void {
    this.successor.notify(AGENT_METHODS.session_cancel, { sessionId: this.sessionId });
  }

  #update(listener: OwnSessionListener, params: unknown): void {
    try {
      listener.update(isObject(params) ? params.update : undefined);
    } catch (error) {
      this.owner.onWarning("the listener of a session failed", error);
    }
  }

  #count(answer: Promise<unknown>): Promise<unknown> {
    const settled = () => {
      if (--this.#unanswered === 0 && !this.#listener) this.owner.forget();
    };
    this.#unanswered++;
    answer.then(settled, settled);
    return answer;
  }
}

function rejected(error: RpcError): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}

function sessionOf(frame: Frame): string | undefined {
  const params = paramsOr(frame);
  return isObject(params) && typeof params.sessionId === "string" ? params.sessionId : undefined;
}
