/**
 * The configuration agent: an ACP agent (v1) that creates `~/.symposium/config.jsonc`. `wizard.ts` decides; this module
 * sends and receives.
 *
 * Invariants:
 * - Each prompt is answered once, after its last update, also when it is cancelled or its session is closed.
 * - It sends no requests to the client.
 */
import { randomUUID } from "node:crypto";
import { AGENT_METHODS, CLIENT_METHODS, UPDATE_KINDS } from "../../acp/methods";
import { promptText } from "../../eliza/prompt-text";
import type { Channel } from "../../rpc/channel";
import { objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { methodNotFound, Peer, type IncomingRequest } from "../../rpc/peer";
import { ASKING, step, type SaveOutcome, type WizardEffect, type WizardEvent, type WizardState } from "./wizard";

export interface ConfigurationAgentDeps {
  readonly version: string;
  /** Never rejects. */
  save(text: string): Promise<SaveOutcome>;
  /** Starts the configured agent. Resolves with a sentence if it cannot be started. Never rejects. */
  start(): Promise<string | undefined>;
  /** Reports protocol violations for the log. */
  onWarning(what: string, detail: unknown): void;
}

/** The only version of the protocol, also for the agent that answers later sessions of the same client. */
export const PROTOCOL_VERSION = 1;

interface Session {
  readonly id: string;
  state: WizardState;
  /** The prompt that is not answered yet. */
  turn: IncomingRequest | undefined;
}

export class ConfigurationAgent implements AsyncDisposable {
  readonly #deps: ConfigurationAgentDeps;
  readonly #peer: Peer;
  readonly #sessions = new Map<string, Session>();

  constructor(client: Channel, deps: ConfigurationAgentDeps) {
    this.#deps = deps;
    this.#peer = new Peer(client, {
      request: request => this.#request(request),
      notification: (method, params) => {
        const session = this.#sessions.get(String(objectOr(params).sessionId));
        if (method === AGENT_METHODS.session_cancel && session) this.#dispatch(session, { kind: "cancelled" });
      },
      closed: () => this.#sessions.clear(),
      onWarning: (what, detail) => deps.onWarning(what, detail),
    });
  }

  /** Whether this agent has the session. */
  has(sessionId: unknown): boolean {
    return typeof sessionId === "string" && this.#sessions.has(sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }

  /** A thrown error becomes the response. */
  #request(request: IncomingRequest): void {
    const params = objectOr(request.params);
    switch (request.method) {
      case AGENT_METHODS.initialize:
        return request.respond(this.#initialize());
      case AGENT_METHODS.session_new:
        return this.#open(request);
      case AGENT_METHODS.session_prompt:
        return this.#prompt(request, params);
      case AGENT_METHODS.session_close: {
        const session = this.#session(params);
        this.#sessions.delete(session.id);
        session.turn?.respond({ stopReason: "cancelled" });
        return request.respond({});
      }
      default:
        throw methodNotFound(request.method);
    }
  }

  /** Without optional capabilities, because the agent of later sessions may lack them. */
  #initialize(): JsonObject {
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "symposium", title: "Symposium", version: this.#deps.version },
      agentCapabilities: { loadSession: false, sessionCapabilities: { close: {} } },
      authMethods: [],
    };
  }

  #open(request: IncomingRequest): void {
    const session: Session = { id: randomUUID(), state: ASKING, turn: undefined };
    this.#sessions.set(session.id, session);
    request.respond({ sessionId: session.id });
    this.#dispatch(session, { kind: "opened" });
  }

  #prompt(request: IncomingRequest, params: JsonObject): void {
    const session = this.#session(params),
      text = promptText(params.prompt);
    if (session.turn)
      throw new RpcError(RpcCode.invalidRequest, "This session is still processing the previous prompt.");
    session.turn = request;
    request.signal.addEventListener("abort", () => this.#dispatch(session, { kind: "cancelled" }), { once: true });
    this.#dispatch(session, { kind: "prompted", text });
  }

  #session({ sessionId }: JsonObject): Session {
    const session = this.#sessions.get(String(sessionId));
    if (!session) throw new RpcError(RpcCode.notFound, `Unknown session “${String(sessionId)}”.`, { sessionId });
    return session;
  }

  /** Ignores the events of a closed session. */
  #dispatch(session: Session, event: WizardEvent): void {
    if (this.#sessions.get(session.id) !== session) return;
    const [state, effects] = step(session.state, event);
    session.state = state;
    for (const effect of effects) this.#run(session, effect);
  }

  #run(session: Session, effect: WizardEffect): void {
    switch (effect.kind) {
      case "send":
        return this.#send(session, effect.text);
      case "save":
        void this.#deps.save(effect.text).then(outcome => this.#dispatch(session, { kind: "saved", outcome }));
        return;
      case "start":
        void this.#deps.start().then(problem => this.#dispatch(session, { kind: "started", problem }));
        return;
      case "endTurn": {
        const { turn } = session;
        session.turn = undefined; // before the response, because the next prompt may follow immediately
        return turn?.respond({ stopReason: effect.stopReason });
      }
      case "unexpected":
        return this.#deps.onWarning("an event that the wizard does not expect", effect.event);
    }
  }

  #send({ id }: Session, text: string): void {
    this.#peer.notify(CLIENT_METHODS.session_update, {
      sessionId: id,
      update: {
        sessionUpdate: UPDATE_KINDS.agent_message_chunk,
        messageId: randomUUID(),
        content: { type: "text", text },
      },
    });
  }
}
