/**
 * The turns of the sessions behind an MCP bridge: at the end of a session's first completed turn its delivery is
 * decided (`mcp/delivery/delivery.ts`), unless the agent says that it lists tools on demand. In ACP v1 the answer to
 * `session/prompt` ends a turn; in v2 that is a receipt, and `state_update` with `idle` ends it.
 *
 * Invariants: the decision is taken before the client receives the end of the turn; nothing is changed or reordered.
 */
import type { McpAbilities } from "../mcp/agent-mcp-capabilities";
import type { Delivery, DeliveryTracker } from "../mcp/delivery/delivery-tracker";
import type { PassingNotification, PassingRequest } from "../proxies/proxy";
import { objectOr, stringOr } from "../rpc/json";

/** Stop reasons of a turn in which the agent's model may not have been asked. */
const INCOMPLETE: ReadonlySet<unknown> = new Set(["cancelled", "refusal", "error"]);

export interface BridgeTurnsDeps {
  readonly deliveries: DeliveryTracker;
  /** As it answered `initialize`. */
  readonly agent: () => McpAbilities;
  /** Before the client receives it. */
  readonly onUpdate: (notification: PassingNotification) => void;
  readonly onDecided: (delivery: Delivery) => void;
}

export class BridgeTurns {
  /**
   * First prompts that wait for `tools/list`, by session. `passed` resolves when the prompt is on its way to the agent.
   */
  readonly #held = new Map<string, { readonly delivery: Delivery; readonly passed: Promise<void> }>();
  /** Running turns of agents that use ACP v2, by session; "waiting": neither the receipt nor `running` has come. */
  readonly #running = new Map<string, "waiting" | "going">();

  constructor(private readonly deps: BridgeTurnsDeps) {}

  async prompted(request: PassingRequest): Promise<unknown> {
    const sessionId = stringOr(objectOr(request.params).sessionId, ""),
      delivery = this.deps.deliveries.of(sessionId);
    const { version } = this.deps.agent();
    if (!delivery) return request.pass();
    this.deps.deliveries.used(sessionId);
    const startsTurn = !this.#running.has(sessionId); // in v2 a prompt may join the running turn
    if (startsTurn) delivery.add({ kind: "turnStarted" });
    if (startsTurn && version >= 2) this.#running.set(sessionId, "waiting");
    try {
      const answer = await this.#passed(request, sessionId, delivery);
      if (version < 2) await this.#ended(delivery, objectOr(answer).stopReason);
      else if (this.#running.has(sessionId)) this.#running.set(sessionId, "going");
      return answer;
    } catch (error) {
      if (startsTurn) {
        this.#running.delete(sessionId);
        delivery.add({ kind: "turnEnded", isCompleted: false });
      }
      throw error;
    }
  }

  /** `session/cancel`: a prompt that waits goes out first, so that the agent receives both in this order. */
  async cancelled(notification: PassingNotification): Promise<void> {
    await this.sendHeld(objectOr(notification.params).sessionId);
    notification.pass();
  }

  /** Sends the session's prompt that waits, if there is one. */
  async sendHeld(sessionId: unknown): Promise<void> {
    const held = this.#held.get(stringOr(sessionId, ""));
    held?.delivery.release();
    await held?.passed;
  }

  updated(notification: PassingNotification): void | Promise<void> {
    this.deps.onUpdate(notification);
    if (this.#running.size === 0) return notification.pass();
    const { sessionId, update } = objectOr(notification.params),
      id = stringOr(sessionId, "");
    const { sessionUpdate, state, stopReason } = objectOr(update),
      turn = this.#running.get(id);
    if (turn === undefined || sessionUpdate !== "state_update") return notification.pass();
    if (state === "running") this.#running.set(id, "going");
    if (state !== "idle" || turn !== "going") return notification.pass();
    this.#running.delete(id);
    const delivery = this.deps.deliveries.of(id);
    return delivery ? this.#ended(delivery, stopReason).then(() => notification.pass()) : notification.pass();
  }

  /**
   * The first prompt of a session waits until the agent has requested its tools (`Delivery.ready`); other sessions do
   * not.
   */
  async #passed(request: PassingRequest, sessionId: string, delivery: Delivery): Promise<unknown> {
    if (!delivery.isPrompted && !delivery.isComplete) {
      let passed = (): void => undefined;
      this.#held.set(sessionId, {
        delivery,
        passed: new Promise(resolve => {
          passed = resolve;
        }),
      });
      request.release();
      request.signal.addEventListener("abort", () => delivery.release(), { once: true });
      await delivery.ready();
      this.#held.delete(sessionId);
      delivery.prompted();
      const answer = request.pass();
      passed();
      return answer;
    }
    delivery.prompted();
    return request.pass();
  }

  async #ended(delivery: Delivery, stopReason: unknown): Promise<void> {
    const wasDecided = delivery.isDecided,
      isNews = !this.deps.agent().onDemand;
    await ended(delivery, isNews && !INCOMPLETE.has(stopReason));
    if (!wasDecided && delivery.isDecided) this.deps.onDecided(delivery);
  }
}

async function ended(delivery: Delivery, isCompleted: boolean): Promise<void> {
  if (isCompleted && !delivery.isDecided && !delivery.isComplete) {
    await delivery.countUnlisted();
    // the turn's updates are on their way to the client: those first
    await new Promise<void>(resolve => setImmediate(resolve));
  }
  delivery.add({ kind: "turnEnded", isCompleted });
}
