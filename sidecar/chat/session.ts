/**
 * The actor that owns one session: it feeds `step` with what happens and does what `step` decides. All judgement is in
 * `session-state.ts`; here are only the agent's connection, the clock, and the people who wait for an answer.
 *
 * Invariants: events are handled one at a time, in the order in which they came off the wire; what an agent says that
 * this session has left (restarted, died) is not heard any more; closing answers everybody who still waits.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import { emptyConversation, settled, type Conversation, type Entry, type SessionId } from "../../src/protocol/chat";
import type { ControlValue, ControlValues } from "../../src/protocol/controls";
import type { Position } from "../../src/protocol/delivery";
import type { Installable } from "../../src/protocol/agent-service";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { LogLevel } from "../../src/protocol/log";
import type { Attention, BypassUntil } from "../../src/protocol/sidecar";
import { assertNever } from "../../src/protocol/wire";
import type { AcpVersion } from "../agents/connection";
import type { AgentPool } from "../agents/pool";
import type { AuthMethod } from "../agents/sign-in-methods";
import type { Journal } from "../journal/journal";
import type { BypassPolicy } from "../permissions/policy";
import { Actor } from "../rpc/actor";
import type { Clock } from "../rpc/clock";
import type { EditorFiles } from "./agent-files";
import type { StartCommand } from "./agent-terminals";
import { attention, concernsAttention } from "./attention";
import { AgentLine, type Word } from "./agent-line";
import { Outbox, type Outlet } from "./outbox";
import type { Effect, Prompt, SessionEvent, State } from "./session-model";
import { start, step } from "./session-state";

/** What a session needs of the world around it. */
export interface SessionWorld {
  readonly bootId: string;
  readonly clock: Clock;
  readonly pool: AgentPool;
  readonly policy: BypassPolicy;
  readonly journal: Journal;
  readonly outlet: Outlet;
  readonly setBypass: (agentId: string) => void;
  /** For the agent's next sessions. */
  readonly keepControl: (agentId: string, controlId: string, value: ControlValue) => void;
  /** What the conversation wants now. */
  readonly attention: (wants: Attention, conversation: Conversation) => void;
  readonly editor: EditorFiles;
  /** Starts a command of an agent. Never throws. */
  readonly startCommand: StartCommand;
  readonly signIn: {
    /**
     * The agent's program with what the method adds, in a terminal of the editor's: its exit code, or `undefined` when
     * it was closed before its end.
     */
    readonly runInTerminal: (
      agent: AgentConfig,
      cwd: string,
      method: Extract<AuthMethod, { readonly kind: "terminal" }>,
    ) => Promise<number | undefined>;
    /** Kept secret, and given to each later start of the agent. */
    readonly keepEnvironment: (agentId: string, env: Readonly<Record<string, string>>) => Promise<void>;
  };
  /** In the user's browser: http or https. */
  readonly openPage: (url: string) => void;
  readonly log: (
    level: LogLevel,
    category: "agent" | "approval",
    message: string,
    detail?: Readonly<Record<string, unknown>>,
  ) => void;
}

export interface SessionStart {
  readonly sessionId: SessionId;
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** All folders of the workspace; absent: `cwd` alone. */
  readonly folders?: readonly string[];
  readonly shown: readonly Entry[];
  readonly why?: string;
  /** What its tab was called. */
  readonly title?: string;
  /** What the user chose for this agent before. */
  readonly controls?: ControlValues;
  /** The highest version of ACP that the agent is offered; absent: 1. */
  readonly protocol?: AcpVersion;
  /** Of now, for all of its agent's starts; absent: none. */
  readonly extensions?: readonly ExtensionConfig[];
}

/** What has to be settled for a prompt: accepted into the conversation, or refused with a sentence. */
export interface PromptResponder {
  accept(): void;
  refuse(why: string): void;
}

type Message =
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "prompt"; readonly prompt: Prompt; readonly responder: PromptResponder }
  | { readonly kind: "word"; readonly word: Word }
  | { readonly kind: "replay"; readonly at: Position | undefined; readonly asked: number };

export class Session extends Actor<Message> {
  #state: State;
  #wants: Attention = "nothing";
  readonly #outbox: Outbox;
  readonly #line: AgentLine;
  readonly #responders = new Map<string, PromptResponder>();

  constructor(
    private readonly begin: SessionStart,
    private readonly world: SessionWorld,
  ) {
    super(`session ${begin.sessionId}`);
    const why = begin.why ?? "The process behind this tab is gone.";
    const conversation: Conversation = {
      ...emptyConversation({ id: begin.agent.id, name: begin.agent.name }, begin.cwd),
      ...(begin.title === undefined ? {} : { title: begin.title }),
      entries: settled(begin.shown, why),
    };
    const [state, effects] = start(
      conversation,
      `${begin.sessionId.slice(0, 8)}-`,
      begin.shown.length > 0 ? why : undefined,
    );
    this.#state = state;
    this.#outbox = new Outbox(world.bootId, () => this.#state.conversation, world.journal, world.outlet, world.clock);
    this.#line = new AgentLine(begin, world, word => this.post({ kind: "word", word }));
    for (const effect of effects) this.#do(effect);
  }

  prompt(prompt: Prompt, responder: PromptResponder): void {
    this.post({ kind: "prompt", prompt, responder });
  }
  withdraw(messageId: string): void {
    this.#tell({ kind: "promptWithdrawn", messageId });
  }
  sendQueued(): void {
    this.#tell({ kind: "queueSent" });
  }
  cancel(): void {
    this.#tell({ kind: "cancelled" });
  }
  installing(of: Installable, id: string, isInstalling: boolean): void {
    const { agent, extensions = [] } = this.begin,
      what = of === "agent" ? [agent] : extensions,
      name = what.find(one => one.id === id)?.name;
    if (name !== undefined && this.#line.installing(`${of} ${id}`, isInstalling))
      this.#tell({ kind: "installing", name: of === "agent" ? name : `The agent extension “${name}”` });
  }
  restartAgent(): void {
    this.#tell({ kind: "restarted" });
  }
  answerPermission(permissionId: string, choice: Extract<SessionEvent, { readonly kind: "answered" }>["choice"]): void {
    this.#tell({ kind: "answered", permissionId, choice });
  }
  bypass(until: BypassUntil): void {
    this.#tell({ kind: "bypassed", until });
  }
  endBypass(): void {
    this.#tell({ kind: "bypassEnded" });
  }
  answerElicitation(
    id: string,
    choice: Extract<SessionEvent, { readonly kind: "elicitationAnswered" }>["choice"],
  ): void {
    this.#tell({ kind: "elicitationAnswered", id, choice });
  }
  setControl(controlId: string, value: ControlValue): void {
    this.#tell({ kind: "controlChosen", controlId, value });
  }
  replay(at: Position | undefined, asked: number): void {
    this.post({ kind: "replay", at, asked });
  }

  protected override handle(message: Message): void {
    switch (message.kind) {
      case "event":
        return this.#step(message.event);
      case "prompt":
        this.#responders.set(message.prompt.messageId, message.responder);
        return this.#step({ kind: "prompted", prompt: message.prompt });
      case "word": {
        const event = this.#line.heard(message.word);
        return event && this.#step(event);
      }
      case "replay":
        return this.#outbox.replay(message.at, message.asked);
      default:
        return assertNever(message, "session message");
    }
  }

  protected override failed(message: Message, error: unknown): void {
    this.world.log("error", "agent", "A session message failed", { kind: message.kind, error: String(error) });
    if (message.kind === "prompt") message.responder.refuse("Symposium could not take this prompt. See the log.");
    if (message.kind === "word") this.#line.refuse(message.word);
  }

  protected override refused(message: Message): void {
    switch (message.kind) {
      case "prompt":
        return message.responder.refuse("This tab is closed.");
      case "word":
        return this.#line.refuse(message.word);
      case "event":
      case "replay":
        return;
      default:
        return assertNever(message, "session message");
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#state.phase.kind !== "closed") this.#step({ kind: "closed" });
    this.#line[Symbol.dispose]();
    this.#outbox[Symbol.dispose]();
  }

  #tell(event: SessionEvent): void {
    this.post({ kind: "event", event });
  }

  #step(event: SessionEvent): void {
    const { conversation: before } = this.#state,
      [state, effects] = step(this.#state, event, this.world.clock.now());
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    const isConcerned = effects.some(effect => effect.kind === "emit" && concernsAttention(effect.event));
    const wants =
      state.phase.kind === "closed"
        ? "nothing"
        : isConcerned
          ? attention(this.#wants, before, state.conversation)
          : this.#wants;
    if (wants !== this.#wants) this.world.attention(wants, state.conversation);
    this.#wants = wants;
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "emit":
        return this.#outbox.add(effect.event);
      case "open":
        return this.#line.open();
      case "sendPrompt":
        return this.#line.send(effect.prompt);
      case "acceptPrompt":
        return this.#respond(effect.messageId, responder => responder.accept());
      case "refusePrompt":
        return this.#respond(effect.messageId, responder => responder.refuse(effect.why));
      case "sendCancel":
        return this.#line.cancel();
      case "answerAgent":
        return this.#line.answerPermission(effect.permissionId, effect.optionId);
      case "answerElicitation":
        return this.#line.answerElicitation(effect.id, effect.response);
      case "openPage":
        return this.world.openPage(effect.url);
      case "setControl":
        return this.#line.setControl(effect.control, effect.value);
      case "setBypass":
        this.world.policy.add(this.begin.agent.id);
        return this.world.setBypass(this.begin.agent.id);
      case "restartAgent":
        return this.#line.restart();
      case "reopenLater":
        return this.#line.reopenLater(effect.ms);
      case "leave":
        return this.#line.leave();
      case "unexpected":
        return this.world.log("error", "agent", "Unexpected session event", { what: effect.what });
      default:
        return assertNever(effect, "session effect");
    }
  }

  #respond(messageId: string, settle: (responder: PromptResponder) => void): void {
    const responder = this.#responders.get(messageId);
    this.#responders.delete(messageId);
    if (responder) settle(responder);
  }
}
