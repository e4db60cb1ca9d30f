/** A stage stands between two channels of the chain, takes both over, and ends both when either ends. */
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import type { Frame } from "../rpc/frame";
import type { Ids } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import type { Notice, Running, Start } from "./component";
import type { Backpressure } from "./backpressure";

/** What every stage of a chain shares. */
export interface StageDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** From the client to the agent, and back. */
  readonly down: Backpressure;
  readonly up: Backpressure;
  readonly notice: (notice: Notice) => void;
  readonly odd: (component: string, what: string, detail: unknown) => void;
  /** A component that the chain cannot do without has ended. The first one is the reason why the chain does. */
  readonly failed: (component: string, reason: Closed) => void;
  /**
   * The error for what a component's end leaves unanswered: it names that one, or the one whose failure took it along.
   */
  readonly unanswered: (component: string, reason: Closed) => RpcErrorObject;
}

/** First starts with a cold cache take so long. */
export const SLOW_MS = 10_000;

/** Passes a frame on, and waits when the receiver is behind. */
export function pass(frame: Frame, to: Channel): void | Promise<void> {
  if (!to.send(frame)) return to.drained();
}

/** Names the component that has ended, with its last words. `undefined`: none has; the client closed the chain. */
export function unanswered(component: string | undefined, { message, cause }: Closed): RpcErrorObject {
  if (component === undefined) return { code: RpcCode.internalError, message };
  const details = typeof cause === "string" ? { details: cause } : {};
  return {
    code: RpcCode.internalError,
    message: message.includes(component) ? message : `${component}: ${message}`,
    data: { component, ...details },
  };
}

/** What goes on without anybody waiting for it; what goes wrong is logged. */
export function letGo(work: () => Promise<void>, failed: (error: unknown) => void): void {
  work().catch(failed);
}

/** A component that cannot be started is one whose connection has ended, for the reason why it cannot. */
export async function started(name: string, start: Start): Promise<Running> {
  try {
    return await start();
  } catch (error) {
    const reason: Closed =
      error instanceof Error
        ? { message: error.message, cause: error.cause }
        : { message: `${name} could not be started.`, cause: error };
    return { channel: closedChannel(reason), stop: () => Promise.resolve(), lastWords: () => "" };
  }
}

function closedChannel(reason: Closed): Channel {
  return {
    start: receiver => queueMicrotask(() => receiver.closed(reason)),
    send: () => true,
    drained: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
