/**
 * Sends the prompts of one open session of an agent. It first sets the session mode that matches the chat mode. Then it
 * sends the prompt with the context that the session has not received yet.
 *
 * Invariants:
 * - `ended` is called at most once per prompt.
 * - A prompt that is cancelled while its mode is being set is never sent.
 * - Context counts as received only after a turn that ended regularly.
 */
import type { AgentConnection, PromptOutcome } from "../../acp/connection";
import { AgentError, agentAnswered } from "../../errors";
import { contextBlocks, type ContextSection } from "../history/chat-context";
import {
  modeChange,
  modeOpened,
  modeUpdated,
  NO_MODE,
  type ModeChange,
  type ModeReturn,
  type SessionMode,
} from "./session-mode";
import type { Prompt } from "./session-state-model";

export interface AgentPromptsDeps {
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
  /** Shows a sentence to the user in the chat. */
  readonly onNotice: (sentence: string) => void;
  /** The agent has requested the list of VS Code's tools in this session. */
  readonly isListed: () => boolean;
  /** Persists the mode to return to, for a later process. */
  readonly onModeReturn: (back: ModeReturn | undefined) => void;
}

/** A prompt whose session mode is being set. */
interface Held {
  readonly ended: (outcome: PromptOutcome) => void;
}

export class AgentPrompts {
  #mode: SessionMode;
  #known: ReadonlyMap<string, ContextSection> = new Map();
  #held: Held | undefined;
  /** A turn of the session ended regularly: an agent that gives its model tools has listed them by then. */
  #hadTurn = false;

  constructor(
    private readonly agent: string,
    back: ModeReturn | undefined,
    private readonly deps: AgentPromptsDeps,
  ) {
    this.#mode = { ...NO_MODE, back };
  }

  /** The session is open. `isNew`: it is in the agent's default mode. */
  opened(result: unknown, isNew: boolean): void {
    this.#mode = modeOpened(isNew ? NO_MODE : this.#mode, result);
  }
  updated(update: unknown): void {
    this.#mode = modeUpdated(this.#mode, update);
  }

  /** Throws if the prompt cannot be created. */
  send(
    connection: AgentConnection,
    sessionId: string,
    prompt: Prompt,
    remembers: boolean,
    ended: (outcome: PromptOutcome) => void,
  ): void {
    const context = prompt.context(),
      change = modeChange(this.#mode, context.mode);
    if (!remembers) this.#known = new Map();
    const { images, embedded } = connection.capabilities;
    const told = contextBlocks(context.sections, this.#known),
      hasTools = !this.#hadTurn || this.deps.isListed();
    const blocks = prompt.blocks({ images, embedded, remembers, hasTools, context: told });
    const send = (): void =>
      connection.prompt(sessionId, blocks, outcome => {
        const isRegular = outcome.kind === "stopped" && outcome.reason !== "cancelled" && outcome.reason !== "refusal";
        this.#hadTurn ||= isRegular;
        this.#known = new Map(isRegular ? context.sections.map(section => [section.id, section]) : []);
        ended(outcome);
      });
    if (!change) return send();
    const held: Held = { ended };
    this.#held = held;
    this.#set(connection, sessionId, change)
      .then(() => {
        if (this.#held !== held) return;
        this.#held = undefined;
        send();
      })
      .catch((error: unknown) => {
        const failure = error instanceof AgentError ? error : agentAnswered(this.agent, String(error), error);
        ended({ kind: "failed", error: failure });
      });
  }

  /** Ends a prompt that was not sent yet. Returns false if there is none. */
  cancel(): boolean {
    const held = this.#held;
    this.#held = undefined;
    held?.ended({ kind: "stopped", reason: "cancelled" });
    return held !== undefined;
  }

  /** The session has ended. A prompt that was not sent yet is dropped. */
  leave(): void {
    this.#held = undefined;
  }

  /** If the agent rejects the mode, the prompt is sent anyway: it contains the mode's instructions. */
  async #set(connection: AgentConnection, sessionId: string, change: ModeChange): Promise<void> {
    const { agent, deps } = this;
    try {
      await connection.setControl(sessionId, change.control, change.value, result => {
        this.#mode = modeOpened(change.next, result);
      });
      deps.log("info", "Session mode set", { agent, mode: change.value });
      deps.onModeReturn(change.next.back);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      deps.log("warn", "Session mode was not set", { agent, mode: change.value, why });
      deps.onNotice(`${agent} did not switch to its mode “${change.name}”: ${why}`);
    }
  }
}
