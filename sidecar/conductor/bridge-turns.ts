/**
 * Tracks the turns of the sessions behind an MCP bridge. The delivery of a session is decided at the end of its first
 * completed turn (`mcp/delivery/delivery.ts`), unless the agent lists tools on demand. In ACP v1, the response to
 * `session/prompt` ends a turn. In v2, that response is a receipt, and `state_update` with `idle` ends the turn.
 *
 * Invariants: the decision precedes the end of the turn at the client. Messages are neither changed nor reordered.
 */
import type { McpCapabilities } from "../mcp/agent-mcp-capabilities";
import type { Delivery, DeliveryTracker } from "../mcp/delivery/delivery-tracker";
import type { InterceptedNotification, InterceptedRequest } from "../proxies/proxy";
import { objectOr, stringOr } from "../rpc/json";
import { UPDATE_KINDS } from "../acp/methods";

/** Stop reasons of a turn that may not have reached the agent's model. */
const INCOMPLETE: ReadonlySet<unknown> = new Set(["cancelled", "refusal", "error"]);

export interface BridgeTurnsDeps {
  readonly deliveries: DeliveryTracker;
  /** From the agent's `initialize` result. */
  readonly agent: () => McpCapabilities;
  /** Called before the client receives the notification. */
  readonly onUpdate: (notification: InterceptedNotification) => void;
  readonly onDecided: (delivery: Delivery) => void;
  /** Called at the end of each completed turn, after `onDecided`. */
  readonly onCompleted: (sessionId: string) => void;
}

export class BridgeTurns {
  /** First prompts that wait for `tools/list`, by session. `passed` resolves when the prompt is sent to the agent. */
  readonly #held = new Map<string, { readonly delivery: Delivery; readonly passed: Promise<void> }>();
  /**
   * Running turns of agents that use ACP v2, by session. "waiting": before the receipt and before the state `running`.
   */
  readonly #running = new Map<string, "waiting" | "started">();

  constructor(private readonly deps: BridgeTurnsDeps) {}

  async prompted(request: InterceptedRequest): Promise<unknown> {
    const sessionId = stringOr(objectOr(request.params).sessionId, ""),
      delivery = this.deps.deliveries.of(sessionId);
    const { version } = this.deps.agent();
    if (!delivery) return request.pass();
    this.deps.deliveries.used(sessionId);
    const startsTurn = !this.#running.has(sessionId); // in v2 a prompt may join the running turn
    if (startsTurn) delivery.add({ kind: "turnStarted" });
    if (startsTurn && version >= 2) this.#running.set(sessionId, "waiting");
    try {
      const answer = await this.#send(request, sessionId, delivery);
      if (version < 2) await this.#ended(sessionId, delivery, objectOr(answer).stopReason);
      else if (this.#running.has(sessionId)) this.#running.set(sessionId, "started");
      return answer;
    } catch (error) {
      if (startsTurn) {
        this.#running.delete(sessionId);
        delivery.add({ kind: "turnEnded", isCompleted: false });
      }
      throw error;
    }
  }

  /** Handles `session/cancel`. A waiting prompt is sent first, so that the agent receives both in this order. */
  async cancelled(notification: InterceptedNotification): Promise<void> {
    await this.sendHeld(objectOr(notification.params).sessionId);
    notification.pass();
  }

  /** Sends the session's waiting prompt, if any. */
  async sendHeld(sessionId: unknown): Promise<void> {
    const held = this.#held.get(stringOr(sessionId, ""));
    held?.delivery.release();
    await held?.passed;
  }

  updated(notification: InterceptedNotification): void | Promise<void> {
    this.deps.onUpdate(notification);
    if (this.#running.size === 0) return notification.pass();
    const { sessionId, update } = objectOr(notification.params),
      id = stringOr(sessionId, "");
    const { sessionUpdate, state, stopReason } = objectOr(update),
      turn = this.#running.get(id);
    if (turn === undefined || sessionUpdate !== UPDATE_KINDS.state_update) return notification.pass();
    if (state === "running") this.#running.set(id, "started");
    if (state !== "idle" || turn !== "started") return notification.pass();
    this.#running.delete(id);
    const delivery = this.deps.deliveries.of(id);
    return delivery ? this.#ended(id, delivery, stopReason).then(() => notification.pass()) : notification.pass();
  }

  /**
   * Sends the prompt. The first prompt of a session is delayed until the agent has requested the tools
   * (`Delivery.ready`), without delaying other sessions.
   */
  async #send(request: InterceptedRequest, sessionId: string, delivery: Delivery): Promise<unknown> {
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

  async #ended(sessionId: string, delivery: Delivery, stopReason: unknown): Promise<void> {
    const wasDecided = delivery.isDecided,
      isEvidence = !this.deps.agent().onDemand,
      isCompleted = !INCOMPLETE.has(stopReason);
    await ended(delivery, isEvidence && isCompleted);
    if (!wasDecided && delivery.isDecided) this.deps.onDecided(delivery);
    if (isCompleted) this.deps.onCompleted(sessionId);
  }
}

async function ended(delivery: Delivery, isCompleted: boolean): Promise<void> {
  if (isCompleted && !delivery.isDecided && !delivery.isComplete) {
    await delivery.countUnlisted();
    // forward the updates of the turn to the client first
    await new Promise<void>(resolve => setImmediate(resolve));
  }
  delivery.add({ kind: "turnEnded", isCompleted });
}
