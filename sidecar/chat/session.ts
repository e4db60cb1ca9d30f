/**
 * The actor that owns one session: it feeds `step` with what happens and does what `step` decides. All judgement is in
 * `session-state.ts`; here are only the agent's connection, the clock, and the people who wait for an answer.
 *
 * Invariants: events are handled one at a time, in the order in which they came off the wire; what an agent says that
 * this session has left (restarted, died) is not heard any more; closing answers everybody who still waits.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import { emptyConversation, settled, type ActionId, type Conversation, type Entry, type SessionId } from "../../src/protocol/chat";
import type { Position } from "../../src/protocol/delivery";
import type { LogLevel } from "../../src/protocol/log";
import { assertNever } from "../../src/protocol/wire";
import type { AgentPool, Lease } from "../agents/pool";
import { AgentError } from "../errors";
import type { Journal } from "../journal/journal";
import type { BypassPolicy } from "../permissions/policy";
import { Actor } from "../rpc/actor";
import type { Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { objectOr } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed, type IncomingRequest } from "../rpc/peer";
import { permissionOptions } from "./acp-v1";
import { Outbox, type Outlet } from "./outbox";
import { start, step, type Effect, type Prompt, type SessionEvent, type State, type Trouble } from "./session-state";

/** What a session needs of the world around it. */
export interface SessionWorld {
  readonly bootId: string;
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly policy: BypassPolicy;
  readonly journal: Journal;
  readonly outlet: Outlet;
  readonly setBypass: (agentId: string) => void;
  readonly log: (level: LogLevel, category: "agent" | "approval", message: string, detail?: Readonly<Record<string, unknown>>) => void;
}

export interface SessionStart {
  readonly sessionId: SessionId;
  readonly agent: AgentConfig;
  readonly cwd: string;
  readonly shown: readonly Entry[];
  readonly why?: string;
}

/** What has to be settled for a prompt: accepted into the conversation, or refused with a sentence. */
export interface PromptResponder { accept(): void; refuse(why: string): void }

/** After this long without an end of the cancelled turn the user is offered a restart. */
const CANCEL_PATIENCE_MS = 10_000;

type Message =
  /** `of` is the connection that it came from; one that was left is not heard. */
  | { readonly kind: "event"; readonly event: SessionEvent; readonly of?: number }
  | { readonly kind: "prompt"; readonly prompt: Prompt; readonly responder: PromptResponder }
  | { readonly kind: "permission"; readonly request: IncomingRequest; readonly of: number }
  | { readonly kind: "opened"; readonly lease: Lease; readonly agentSession: string; readonly of: number }
  | { readonly kind: "replay"; readonly at: Position | undefined; readonly asked: number };

/** The session that the agent opened for us. */
interface AgentSession { readonly lease: Lease; readonly id: string }

export class Session extends Actor<Message> {
  #state: State;
  readonly #outbox: Outbox;
  /** Counts openings: what comes from an earlier one is late. */
  #opening = 0;
  #agent: AgentSession | undefined;
  #asked = 0;
  readonly #questions = new Map<string, IncomingRequest>();
  readonly #responders = new Map<string, PromptResponder>();
  #patience: Disposable | undefined;

  constructor(private readonly begin: SessionStart, private readonly world: SessionWorld) {
    super(`session ${begin.sessionId}`);
    const why = begin.why ?? "The process behind this tab is gone.";
    const conversation: Conversation = { ...emptyConversation({ id: begin.agent.id, name: begin.agent.name }, begin.cwd), entries: settled(begin.shown, why) };
    const [state, effects] = start(conversation, `${begin.sessionId.slice(0, 8)}-`, begin.shown.length > 0 ? why : undefined);
    this.#state = state;
    this.#outbox = new Outbox(world.bootId, () => this.#state.conversation, world.journal, world.outlet, world.clock);
    for (const effect of effects) this.#do(effect);
  }

  prompt(prompt: Prompt, responder: PromptResponder): void { this.post({ kind: "prompt", prompt, responder }); }
  cancel(): void { this.#tell({ kind: "cancelled" }); }
  restartAgent(): void { this.#tell({ kind: "restarted" }); }
  answerPermission(permissionId: string, choice: Extract<SessionEvent, { readonly kind: "answered" }>["choice"]): void { this.#tell({ kind: "answered", permissionId, choice }); }
  replay(at: Position | undefined, asked: number): void { this.post({ kind: "replay", at, asked }); }

  protected override handle(message: Message): void {
    switch (message.kind) {
      case "event": return message.of === undefined || message.of === this.#opening ? this.#step(message.event) : undefined;
      case "prompt":
        this.#responders.set(message.prompt.messageId, message.responder);
        return this.#step({ kind: "prompted", prompt: message.prompt });
      case "permission": return this.#question(message.request, message.of);
      case "opened":
        if (message.of !== this.#opening) return this.#abandon(message.lease, message.agentSession);
        this.#agent = { lease: message.lease, id: message.agentSession };
        this.world.log("info", "agent", "Session created", { sessionId: this.begin.sessionId, agentSessionId: message.agentSession, agent: this.begin.agent.id });
        return this.#step({ kind: "opened" });
      case "replay": return this.#outbox.replay(message.at, message.asked);
      default: return assertNever(message, "session message");
    }
  }

  protected override failed(message: Message, error: unknown): void {
    this.world.log("error", "agent", "A session message failed", { kind: message.kind, error: String(error) });
    if (message.kind === "prompt") message.responder.refuse("Symposium could not take this prompt. See the log.");
    if (message.kind === "permission") message.request.respond({ outcome: { outcome: "cancelled" } });
  }

  protected override refused(message: Message): void {
    switch (message.kind) {
      case "prompt": return message.responder.refuse("This tab is closed.");
      case "permission": return message.request.respond({ outcome: { outcome: "cancelled" } });
      case "opened": return this.#abandon(message.lease, message.agentSession);
      case "event": case "replay": return;
      default: return assertNever(message, "session message");
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#state.phase.kind !== "closed") this.#step({ kind: "closed" });
    this.#patience?.[Symbol.dispose]();
    this.#outbox[Symbol.dispose]();
  }

  #tell(event: SessionEvent, of?: number): void {
    this.post({ kind: "event", event, ...(of === undefined ? {} : { of }) });
  }

  #step(event: SessionEvent): void {
    const [state, effects] = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "emit": return this.#outbox.add(effect.event);
      case "open": return this.#open();
      case "sendPrompt": return this.#send(effect.prompt);
      case "acceptPrompt": return this.#respond(effect.messageId, responder => responder.accept());
      case "refusePrompt": return this.#respond(effect.messageId, responder => responder.refuse(effect.why));
      case "sendCancel":
        this.#agent?.lease.connection.cancel(this.#agent.id);
        this.#patience?.[Symbol.dispose]();
        this.#patience = this.world.clock.after(CANCEL_PATIENCE_MS, () => this.#tell({ kind: "cancelOverdue" }));
        return;
      case "answerAgent": return this.#answer(effect.permissionId, effect.optionId);
      case "setBypass":
        this.world.policy.add(this.begin.agent.id);
        return this.world.setBypass(this.begin.agent.id);
      case "restartAgent":
        this.#leave();
        return this.world.pool.restart({ agent: this.begin.agent, cwd: this.begin.cwd }, { message: `${this.begin.agent.name} was restarted from another tab. Your next prompt starts it again.` });
      case "leave": return this.#leave();
      case "unexpected": return this.world.log("error", "agent", "Unexpected session event", { what: effect.what });
      default: return assertNever(effect, "session effect");
    }
  }

  // --- the agent

  #open(): void {
    const of = ++this.#opening;
    const { agent, cwd } = this.begin;
    const slow = () => this.#tell({ kind: "slow", text: `${agent.name} is still starting…` }, of);
    this.world.pool.acquire({ agent, cwd }, slow).then(async lease => {
      if (of !== this.#opening) return lease.release(); // closed or restarted meanwhile
      try {
        const agentSession = await lease.connection.newSession(cwd, {
          update: update => this.#tell({ kind: "updated", update }, of),
          permission: request => this.post({ kind: "permission", request, of }),
          closed: reason => this.#tell({ kind: "agentDown", ...this.#trouble(reason) }, of),
        });
        this.post({ kind: "opened", lease, agentSession, of });
      } catch (error) {
        lease.release();
        throw error;
      }
    }).catch((error: unknown) => this.#tell({ kind: "openFailed", ...this.#trouble(error) }, of));
  }

  #send(prompt: Prompt): void {
    const of = this.#opening;
    if (!this.#agent) return this.#tell({ kind: "agentDown", text: `${this.begin.agent.name} is not there.`, actions: ["restartAgent"] }, of);
    this.world.log("info", "agent", "Sending prompt", { sessionId: this.begin.sessionId });
    this.#agent.lease.connection.prompt(this.#agent.id, [{ type: "text", text: prompt.text }], outcome => {
      this.#patience?.[Symbol.dispose]();
      this.#tell({ kind: "turnEnded", outcome: outcome.kind === "stopped" ? outcome : { kind: "failed", ...this.#trouble(outcome.error) } }, of);
    });
  }

  #leave(): void {
    this.#patience?.[Symbol.dispose]();
    this.#opening++;
    if (this.#agent) this.#abandon(this.#agent.lease, this.#agent.id);
    this.#agent = undefined;
    for (const request of this.#questions.values()) request.respond({ outcome: { outcome: "cancelled" } });
    this.#questions.clear();
  }

  #abandon(lease: Lease, agentSession: string): void {
    lease.connection.leave(agentSession);
    lease.release();
  }

  // --- permissions

  #question(request: IncomingRequest, of: number): void {
    if (of !== this.#opening) return request.respond({ outcome: { outcome: "cancelled" } });
    const { toolCall, options: offered } = objectOr(request.params);
    const options = permissionOptions(offered);
    if (options.length === 0) return request.fail(new RpcError(RpcCode.invalidParams, "options: none of them has an optionId"));
    const permissionId = `${this.begin.sessionId.slice(0, 8)}-p${++this.#asked}`;
    this.#questions.set(permissionId, request);
    request.signal.addEventListener("abort", () => {
      // An agent that is gone has withdrawn nothing: its end settles the question, and says why.
      if (!(request.signal.reason instanceof ConnectionClosed)) this.#tell({ kind: "withdrawn", permissionId }, of);
    }, { once: true });
    this.#step({ kind: "asked", asked: { permissionId, toolCall, options, policy: this.world.policy.decide(this.begin.agent.id) } });
  }

  #answer(permissionId: string, optionId: string | undefined): void {
    const request = this.#questions.get(permissionId);
    this.#questions.delete(permissionId);
    this.world.log("info", "approval", "Permission answered", { sessionId: this.begin.sessionId, permissionId, optionId: optionId ?? "cancelled" });
    if (request?.signal.aborted) return request.fail(new RpcError(RpcCode.requestCancelled, "the question was withdrawn"));
    request?.respond({ outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } });
  }

  #respond(messageId: string, settle: (responder: PromptResponder) => void): void {
    const responder = this.#responders.get(messageId);
    this.#responders.delete(messageId);
    if (responder) settle(responder);
  }

  /** What a person reads; what made it so goes to the log. */
  #trouble(error: unknown): Trouble {
    const reason: Closed = error instanceof Error || isClosed(error) ? error : { message: String(error) };
    this.world.log("error", "agent", "Agent failed", { sessionId: this.begin.sessionId, agent: this.begin.agent.id, message: reason.message, cause: describe(reason.cause) });
    const actions: readonly ActionId[] = error instanceof AgentError && (error.code === "notFound" || error.code === "unsupported") ? ["selectAgent", "showLogs"] : ["restartAgent", "showLogs"];
    return { text: reason.message, actions };
  }
}

function isClosed(value: unknown): value is Closed { return typeof objectOr(value).message === "string"; }

function describe(cause: unknown): string | undefined {
  return cause === undefined ? undefined : cause instanceof Error ? cause.message : typeof cause === "string" ? cause : JSON.stringify(cause);
}
