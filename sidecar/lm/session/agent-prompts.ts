/**
 * Sends the prompts of one open session of an agent. It first sets the session mode that matches the chat mode. A
 * prompt that mentions tools then waits until the agent has requested their list (issue 14 item 4). Then the prompt is
 * sent with the context that the session has not received yet.
 *
 * Invariants:
 * - `ended` is called at most once per prompt.
 * - A prompt that is cancelled while it waits is never sent.
 * - A prompt mentions tools only if the agent has requested their list. The wait ends within `LISTING_MS`.
 * - Context counts as received only after a turn that ended regularly.
 */
import type { AgentConnection, PromptOutcome } from "../../acp/connection";
import { AgentError, agentAnswered } from "../../errors";
import type { ToolListing } from "../../proxies/tool-listing";
import type { Neighbour } from "../../proxies/proxy";
import type { Clock } from "../../rpc/clock";
import { objectOr, type JsonObject } from "../../rpc/json";
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
import type { ModelPrompt } from "./session-state-model";

export interface ModelPromptsDeps {
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
  /** Shows a sentence to the user in the chat. */
  readonly onNotice: (sentence: string) => void;
  readonly clock: Clock;
  /** Whether the agent has requested the list of VS Code's tools. Undefined if the session has no tools. */
  readonly listing: () => ToolListing | undefined;
  /** Persists the mode to return to, for a later process. */
  readonly onModeReturn: (back: ModeReturn | undefined) => void;
}

/** A prompt that was not sent yet. `stopped` is aborted when it is cancelled or dropped. */
interface Held {
  readonly ended: (outcome: PromptOutcome) => void;
  readonly stopped: AbortController;
}

export class ModelPrompts {
  #mode: SessionMode;
  #known: ReadonlyMap<string, ContextSection> = new Map();
  #held: Held | undefined;

  constructor(
    private readonly agent: string,
    back: ModeReturn | undefined,
    private readonly deps: ModelPromptsDeps,
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
    prompt: ModelPrompt,
    remembers: boolean,
    ended: (outcome: PromptOutcome) => void,
  ): void {
    const context = prompt.context(),
      change = modeChange(this.#mode, context.mode);
    if (!remembers) this.#known = new Map();
    const { images, embedded } = connection.capabilities;
    const notifications = contextBlocks(context.sections, this.#known),
      listing = this.deps.listing(),
      isListed = listing?.isListed === true;
    const blocksFor = (hasTools: boolean): readonly JsonObject[] =>
      prompt.blocks({ images, embedded, remembers, hasTools, context: notifications });
    const blocks = blocksFor(isListed);
    const send = (prepared: readonly JsonObject[]): void =>
      connection.prompt(sessionId, prepared, outcome => {
        const isRegular = outcome.kind === "stopped" && outcome.reason !== "cancelled" && outcome.reason !== "refusal";
        this.#known = new Map(isRegular ? context.sections.map(section => [section.id, section]) : []);
        ended(outcome);
      });
    const awaited = isListed || !prompt.namesTools() ? undefined : listing;
    if (!change && !awaited) return send(blocks);
    const held: Held = { ended, stopped: new AbortController() };
    this.#held = held;
    const prepare = async (): Promise<readonly JsonObject[]> => {
      if (change) await this.#set(connection, sessionId, change);
      return (await awaited?.settled(sessionId, chainOf(connection, sessionId), this.deps.clock, held.stopped.signal))
        ? blocksFor(true)
        : blocks;
    };
    prepare()
      .then(prepared => {
        if (this.#held !== held) return;
        this.#held = undefined;
        send(prepared);
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
    held?.stopped.abort();
    held?.ended({ kind: "stopped", reason: "cancelled" });
    return held !== undefined;
  }

  /** The session has ended. A prompt that was not sent yet is dropped. */
  leave(): void {
    this.#held?.stopped.abort();
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

function chainOf(connection: AgentConnection, sessionId: string): Pick<Neighbour, "request"> {
  return {
    request: (method, params) => connection.request(sessionId, method, objectOr(params), () => undefined),
  };
}
