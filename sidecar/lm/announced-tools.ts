/** What an agent's updates say of calls that it makes of VS Code's tools. */
import { isBridgedCall } from "../mcp/bridged-calls";
import { AnnouncedCalls } from "../permissions/announced-calls";
import { objectOr, stringOr, type JsonObject } from "../rpc/json";
import type { ToolOffer } from "./tool-offer";

/** Ids of calls of bridged tools that are remembered. */
const MOST_BRIDGED = 500;

export class AnnouncedTools {
  readonly #calls = new AnnouncedCalls();
  readonly #bridged = new Set<string>();

  /** True: it announces that a tool of VS Code's, as `offer` has them, is to be called. */
  heard(update: unknown, offer: Pick<ToolOffer, "qualified" | "server"> | undefined): boolean {
    this.#calls.heard(update);
    const said = objectOr(update), { sessionUpdate, toolCallId, status } = said;
    if ((sessionUpdate !== "tool_call" && sessionUpdate !== "tool_call_update") || typeof toolCallId !== "string" || !offer) return false;
    // For the eye a title is enough.
    if (isBridgedCall(said, offer.qualified) || stringOr(said.title, "").startsWith(`${offer.server}::`)) this.#bridged.add(toolCallId);
    const [oldest] = this.#bridged;
    if (this.#bridged.size > MOST_BRIDGED && oldest !== undefined) this.#bridged.delete(oldest);
    return this.#bridged.has(toolCallId) && status !== "completed" && status !== "failed";
  }

  /** What was announced of the call that a question is about. */
  of(params: unknown): ReturnType<AnnouncedCalls["of"]> { return this.#calls.of(params); }

  /** `call`: of an update that was heard. */
  isBridged({ toolCallId }: JsonObject): boolean { return typeof toolCallId === "string" && this.#bridged.has(toolCallId); }
}
