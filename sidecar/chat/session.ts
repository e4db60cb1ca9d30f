/**
 * The actor of one session: passes events to `stepSession` and performs the effects. All decisions are in
 * `session-state.ts`. This module handles only the agent's connection, the clock and the prompt responders.
 *
 * Invariants:
 * - Events are handled one at a time, in the order in which they were received.
 * - Messages of an agent that the session has left (restarted, exited) are ignored.
 * - Closing answers every open request.
 */
import * as l10n from "@vscode/l10n";
import { emptyConversation, type Conversation } from "../../src/protocol/chat/chat";
import type { Position } from "../../src/protocol/chat/delivery";
import type { Installable, InstallProgress } from "../../src/protocol/agents/agent-service";
import type { SessionAction } from "../../src/protocol/chat/session-actions";
import type { ReviewSummary } from "../../src/protocol/review/review";
import type { Attention, BypassUntil } from "../../src/protocol/sidecar";
import { assertNever } from "../../src/protocol/wire/wire";
import type { InstallConfig } from "../agents/install/install-options";
import { Actor } from "../rpc/actor";
import { attention, concernsAttention, concernsList } from "./attention";
import { AgentClient } from "./agent/agent-client";
import type { ChatAgentMessage } from "./agent/chat-agent-message";
import { ConversationSearch } from "./conversation-search";
import { Outbox } from "./outbox";
import { PlaceFinder } from "./place-finder";
import { RecordedTurns } from "./recorded-turns";
import type { Effect, Prompt, SessionEvent, State } from "./session-model";
import { startSession, stepSession } from "./session-state";
import type { SessionStart, SessionDeps } from "./session-deps";

/** Settles a prompt: accepts it into the conversation, or refuses it with a sentence. */
export interface PromptResponder {
  accept(): void;
  refuse(why: string): void;
}

/** `conversation`: its id. */
export interface OpenConversation {
  readonly conversation: string;
  readonly state: Conversation;
  readonly attention: Attention;
}

type Message =
  | { readonly kind: "event"; readonly event: SessionEvent }
  | { readonly kind: "prompt"; readonly prompt: Prompt; readonly responder: PromptResponder }
  | { readonly kind: "agent"; readonly message: ChatAgentMessage }
  | { readonly kind: "replay"; readonly at: Position | undefined; readonly requestNumber: number };

export class Session extends Actor<Message> {
  #state: State;
  #attention: Attention = "nothing";
  readonly #outbox: Outbox;
  readonly #search: ConversationSearch;
  readonly #places: PlaceFinder;
  readonly #agent: AgentClient;
  readonly #recorded: RecordedTurns | undefined;
  readonly #responders = new Map<string, PromptResponder>();

  constructor(
    private readonly start: SessionStart,
    private readonly deps: SessionDeps,
  ) {
    super(`session ${start.sessionId}`);
    const {
      title = start.title,
      chosenTitle,
      origin,
      entries = [],
      usage,
      terminals = [],
      queue,
    } = start.earlier ?? {};
    const { id, name } = (deps.readOnly === undefined ? undefined : start.earlier?.agent) ?? start.agent;
    const conversation: Conversation = {
      ...emptyConversation({ id, name }, start.cwd),
      ...(title === undefined ? {} : { title }),
      ...(chosenTitle === undefined ? {} : { chosenTitle }),
      ...(origin === undefined ? {} : { origin }),
      entries,
      ...(usage === undefined ? {} : { usage }),
      ...(terminals.length === 0 ? {} : { terminals }),
      ...(queue === undefined ? {} : { queue }),
      ...(deps.recording?.summary === undefined ? {} : { review: deps.recording.summary }),
    };
    this.#recorded = deps.recording && new RecordedTurns(deps.recording, start.cwd);
    const [state, effects] = startSession(conversation, `${start.sessionId.slice(0, 8)}-`, {
      ...(start.interruption === undefined ? {} : { interruption: start.interruption }),
      ...(start.bringsTranscript ? { bringsTranscript: true } : {}),
      ...(deps.readOnly === undefined ? {} : { readOnly: deps.readOnly }),
    });
    this.#state = state;
    this.#outbox = new Outbox(
      deps.bootId,
      () => this.#state.conversation,
      deps.sink,
      deps.clock,
      (version, turnAt) => {
        deps.store(version, turnAt);
        if (this.#isTakenOver()) this.#notify({ kind: "takenOver" });
      },
    );
    this.#search = new ConversationSearch(deps.clock, event => this.#outbox.answer(event));
    this.#places = new PlaceFinder(
      deps.filesIn?.(start.folders ?? [start.cwd], deps.editor) ?? (async () => undefined),
      found => this.#notify({ kind: "placesFound", ...found }),
      error => deps.log("warn", "agent", "The lines of a change could not be found", { error: String(error) }),
    );
    this.#agent = new AgentClient(start, deps, message => this.post({ kind: "agent", message }));
    for (const effect of effects) this.#do(effect);
  }

  get conversation(): string {
    return this.start.conversation;
  }
  get current(): OpenConversation {
    return { conversation: this.start.conversation, state: this.#state.conversation, attention: this.#attention };
  }

  prompt(prompt: Prompt, responder: PromptResponder): void {
    this.post({ kind: "prompt", prompt, responder });
  }
  perform(action: SessionAction): void {
    this.#notify(action);
  }
  installing(of: Installable, id: string, progress: InstallProgress | undefined): void {
    const { agent, extensions = [] } = this.start,
      installables: readonly InstallConfig[] = of === "agent" ? [agent] : extensions,
      item = installables.find(each => each.id === id);
    if (item === undefined) return;
    this.#agent.installing(`${of} ${id}`, progress !== undefined);
    const { name, version } = item;
    this.#notify({
      kind: "installing",
      of,
      id,
      name,
      ...(version === undefined ? {} : { version }),
      ...(progress === undefined ? {} : { progress }),
    });
  }
  reviewed(review: ReviewSummary | undefined): void {
    this.#notify({ kind: "reviewed", ...(review === undefined ? {} : { review }) });
  }
  restartAgent(): void {
    this.#notify({ kind: "restarted" });
  }
  bypass(until: BypassUntil): void {
    this.#notify({ kind: "bypassed", until });
  }
  replay(at: Position | undefined, requestNumber: number): void {
    this.post({ kind: "replay", at, requestNumber });
  }

  protected override handle(message: Message): void {
    // Before a message of the user. A change by the agent is checked when it is stored.
    if ((message.kind === "prompt" || message.kind === "event") && this.#isTakenOver())
      this.#step({ kind: "takenOver" });
    switch (message.kind) {
      case "event":
        return this.#step(message.event);
      case "prompt":
        this.#responders.set(message.prompt.messageId, message.responder);
        return this.#step({ kind: "prompted", prompt: message.prompt });
      case "agent": {
        const event = this.#agent.onMessage(message.message);
        return event && this.#step(event);
      }
      case "replay":
        return this.#outbox.replay(message.at, message.requestNumber);
      default:
        return assertNever(message, "session message");
    }
  }

  protected override failed(message: Message, error: unknown): void {
    this.deps.log("error", "agent", "A session message failed", { kind: message.kind, error: String(error) });
    if (message.kind === "prompt")
      message.responder.refuse(l10n.t("Symposium could not process this prompt. See the log."));
    if (message.kind === "agent") this.#agent.refuse(message.message);
  }

  protected override refused(message: Message): void {
    switch (message.kind) {
      case "prompt":
        return message.responder.refuse(l10n.t("This tab is closed."));
      case "agent":
        return this.#agent.refuse(message.message);
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
    this.#agent[Symbol.dispose]();
    this.#search[Symbol.dispose]();
    this.#outbox[Symbol.dispose]();
    if (this.deps.recording) await this.deps.recording[Symbol.asyncDispose]();
    await this.deps.lease?.release();
  }

  #isTakenOver(): boolean {
    const { phase } = this.#state;
    return phase.kind !== "readOnly" && phase.kind !== "closed" && this.deps.lease?.isHeld() === false;
  }

  #notify(event: SessionEvent): void {
    this.post({ kind: "event", event });
  }

  #step(event: SessionEvent): void {
    const { conversation: before } = this.#state,
      [state, effects] = stepSession(this.#state, event, this.deps.clock.now());
    this.#state = state;
    for (const effect of effects) {
      this.#do(effect);
      if (effect.kind === "emit") this.#recorded?.onEvent(effect.event, before);
    }
    const isConcerned = effects.some(effect => effect.kind === "emit" && concernsAttention(effect.event));
    const current =
      state.phase.kind === "closed"
        ? "nothing"
        : isConcerned
          ? attention(this.#attention, before, state.conversation)
          : this.#attention;
    if (current !== this.#attention) this.deps.attention(current, state.conversation);
    this.#attention = current;
    if (effects.some(effect => effect.kind === "emit" && concernsList(effect.event))) this.deps.listChanged();
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "emit":
        return this.#outbox.add(effect.event);
      case "showEarlier":
        return this.#outbox.showEarlier();
      case "showEntry":
        return this.#outbox.showEntry(effect.entryId);
      case "find":
        return this.#search.start(effect, this.#state.conversation);
      case "findPlaces":
        return void this.#places.find(effect.search);
      case "open":
        return this.#agent.open();
      case "sendPrompt":
        return this.#agent.send(effect.prompt, this.#recorded?.begin(effect.prompt, this.#state.conversation));
      case "acceptPrompt":
        return this.#respond(effect.messageId, responder => responder.accept());
      case "refusePrompt":
        return this.#respond(effect.messageId, responder => responder.refuse(effect.why));
      case "sendCancel":
        return this.#agent.cancel();
      case "answerAgent":
        return this.#agent.answerPermission(effect.permissionId, effect.optionId);
      case "answerElicitation":
        return this.#agent.answerElicitation(effect.id, effect.response);
      case "openPage":
        return this.deps.openPage(effect.url);
      case "setControl":
        return this.#agent.setControl(effect.control, effect.value);
      case "setBypass":
        this.deps.policy.add(this.start.agent.id);
        return this.deps.setBypass(this.start.agent.id);
      case "cancelInstall":
        return this.deps.cancelInstall?.(effect.of, effect.id);
      case "restartAgent":
        return this.#agent.restart();
      case "reopenLater":
        return this.#agent.reopenLater(effect.ms);
      case "leave":
        return this.#agent.leave();
      case "unexpected":
        return this.deps.log("error", "agent", "Unexpected session event", { what: effect.what });
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
