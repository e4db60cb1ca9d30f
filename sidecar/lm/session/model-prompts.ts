/**
 * Prepares the prompts of one open session of an agent. First sets the session mode that matches the chat mode. A
 * prompt that mentions tools then waits for the agent's `tools/list` (issue 14 item 4). The prompt contains the context
 * that the session has not received yet.
 *
 * Invariants:
 * - A prompt mentions tools only if the agent has their list. The wait ends within `LISTING_MS`.
 * - Context counts as received only after a turn that ended regularly.
 */
import * as l10n from "@vscode/l10n";
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { AgentConnection } from "../../acp/connection";
import type { PromptContent } from "../../agent-session/agent-session";
import type { OpenAgentSession } from "../../agent-session/agent-session-handle";
import type { ToolListing } from "../../proxies/tool-listing";
import type { Neighbour } from "../../proxies/proxy";
import type { Clock } from "../../rpc/clock";
import { objectOr } from "../../rpc/json";
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
  /** Tracks the agent's `tools/list` for VS Code's tools. Undefined if the session has no tools. */
  readonly listing: () => ToolListing | undefined;
  /** Persists the mode to return to, for a later process. */
  readonly onModeReturn: (back: ModeReturn | undefined) => void;
}

export class ModelPrompts {
  #mode: SessionMode;
  #received: ReadonlyMap<string, ContextSection> = new Map();

  constructor(
    private readonly agent: string,
    back: ModeReturn | undefined,
    private readonly deps: ModelPromptsDeps,
  ) {
    this.#mode = { ...NO_MODE, back };
  }

  /** Handles the response that opened the session. `isNew`: the session is in the agent's default mode. */
  opened(result: unknown, isNew: boolean): void {
    this.#mode = modeOpened(isNew ? NO_MODE : this.#mode, result);
  }
  updated(update: unknown): void {
    this.#mode = modeUpdated(this.#mode, update);
  }

  /** Throws or rejects if the prompt cannot be created. `stopped` aborts when the prompt is cancelled. */
  prepare(
    { lease: { connection }, id }: OpenAgentSession,
    prompt: ModelPrompt,
    remembers: boolean,
    stopped: AbortSignal,
  ): PromptContent | Promise<PromptContent> {
    const context = prompt.context(),
      change = modeChange(this.#mode, context.mode);
    if (!remembers) this.#received = new Map();
    const { images, embedded } = connection.capabilities;
    const contextChanges = contextBlocks(context.sections, this.#received),
      listing = this.deps.listing(),
      isListed = listing?.isListed === true;
    const contentFor = (hasTools: boolean): PromptContent => ({
      blocks: prompt.blocks({ images, embedded, remembers, hasTools, context: contextChanges }),
      onEnded: outcome => {
        const isRegular = outcome.kind === "stopped" && outcome.reason !== "cancelled" && outcome.reason !== "refusal";
        this.#received = new Map(isRegular ? context.sections.map(section => [section.id, section]) : []);
      },
    });
    const content = contentFor(isListed),
      awaited = isListed || !prompt.namesTools() ? undefined : listing;
    if (!change && !awaited) return content;
    const prepare = async (): Promise<PromptContent> => {
      if (change) await this.#set(connection, id, change);
      return (await awaited?.settled(id, chainOf(connection, id), this.deps.clock, stopped))
        ? contentFor(true)
        : content;
    };
    return prepare();
  }

  /** If the agent rejects the mode, the prompt is still sent, because it contains the mode's instructions. */
  async #set(connection: AgentConnection, sessionId: string, change: ModeChange): Promise<void> {
    const { agent, deps } = this;
    try {
      await connection.setControl(sessionId, change.control, change.value, result => {
        this.#mode = modeOpened(change.next, result);
      });
      deps.log("info", "Session mode set", { agent, mode: change.value });
      deps.onModeReturn(change.next.back);
    } catch (error) {
      const why = errorMessage(error);
      deps.log("warn", "Session mode was not set", { agent, mode: change.value, why });
      deps.onNotice(l10n.t`${agent} did not switch to its mode “${change.name}”: ${why}`);
    }
  }
}

function chainOf(connection: AgentConnection, sessionId: string): Pick<Neighbour, "request"> {
  return {
    request: (method, params) => connection.request(sessionId, method, objectOr(params), () => undefined),
  };
}
