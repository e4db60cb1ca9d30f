/**
 * The turns of the sessions behind an MCP bridge: at the end of a session's first completed turn its delivery is decided (`mcp/delivery.ts`), unless the
 * agent says that it lists tools on demand.
 * In ACP v1 the answer to `session/prompt` ends a turn; in v2 that is a receipt, and `state_update` with `idle` ends it.
 *
 * Invariants: the decision is taken before the client receives the end of the turn; nothing is changed or reordered.
 */
import type { McpAbilities } from "../mcp/abilities";
import type { Delivery, DeliveryTracker } from "../mcp/delivery-tracker";
import type { PassingNotification, PassingRequest } from "../proxies/proxy";
import { objectOr, stringOr } from "../rpc/json";

/** Stop reasons of a turn in which the agent's model may not have been asked. */
const INCOMPLETE: ReadonlySet<unknown> = new Set(["cancelled", "refusal", "error"]);

export class BridgeTurns {
  /** Of v2: turns that run, by session; "waiting": neither the receipt nor `running` has come. */
  readonly #running = new Map<string, "waiting" | "going">();

  /** `agent`: as it answered `initialize`. */
  constructor(private readonly deliveries: DeliveryTracker, private readonly agent: () => McpAbilities) {}

  async prompted(request: PassingRequest): Promise<unknown> {
    const sessionId = stringOr(objectOr(request.params).sessionId, ""), delivery = this.deliveries.of(sessionId);
    const { onDemand, version } = this.agent();
    if (!delivery || onDemand) return request.pass();
    delivery.add({ kind: "turnStarted" });
    if (version >= 2) this.#running.set(sessionId, "waiting");
    try {
      const answer = await request.pass();
      if (version < 2) await ended(delivery, objectOr(answer).stopReason);
      else if (this.#running.has(sessionId)) this.#running.set(sessionId, "going");
      return answer;
    } catch (error) {
      this.#running.delete(sessionId);
      delivery.add({ kind: "turnEnded", isCompleted: false });
      throw error;
    }
  }

  updated(notification: PassingNotification): void | Promise<void> {
    if (this.#running.size === 0) return notification.pass();
    const { sessionId, update } = objectOr(notification.params), id = stringOr(sessionId, "");
    const { sessionUpdate, state, stopReason } = objectOr(update), turn = this.#running.get(id);
    if (turn === undefined || sessionUpdate !== "state_update") return notification.pass();
    if (state === "running") this.#running.set(id, "going");
    if (state !== "idle" || turn !== "going") return notification.pass();
    this.#running.delete(id);
    const delivery = this.deliveries.of(id);
    return delivery ? ended(delivery, stopReason).then(() => notification.pass()) : notification.pass();
  }
}

async function ended(delivery: Delivery, stopReason: unknown): Promise<void> {
  const isCompleted = !INCOMPLETE.has(stopReason);
  if (isCompleted && !delivery.isDecided && !delivery.isComplete) {
    await delivery.countUnlisted();
    await new Promise<void>(resolve => setImmediate(resolve)); // the turn's updates are on their way to the client: those first
  }
  delivery.add({ kind: "turnEnded", isCompleted });
}
