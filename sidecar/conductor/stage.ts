/** A stage connects two channels of the chain, takes ownership of both, and closes both when either closes. */
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import type { Frame } from "../rpc/frame";
import type { Ids } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import type { Notice, Running, Start } from "./component";
import type { Backpressure } from "./backpressure";

/** Shared by all stages of a chain. */
export interface StageDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** `down` is from the client to the agent, `up` the other direction. */
  readonly down: Backpressure;
  readonly up: Backpressure;
  readonly notice: (notice: Notice) => void;
  readonly onWarning: (component: string, what: string, detail: unknown) => void;
  /** Reports that a required component has ended. The first report is the reason why the chain ends. */
  readonly failed: (component: string, reason: Closed) => void;
  /**
   * The error for requests that a component leaves unanswered. It names this component, or the one whose failure ended
   * it.
   */
  readonly unanswered: (component: string, reason: Closed) => RpcErrorObject;
}

/** First starts with a cold cache take this long. */
export const SLOW_MS = 10_000;

/** Forwards a frame, and waits when the receiver is behind. */
export function pass(frame: Frame, to: Channel): void | Promise<void> {
  if (!to.send(frame)) return to.drained();
}

/**
 * An error that names the component that has ended, with its last stderr output. `undefined`: no component has ended;
 * the client closed the chain.
 */
export function unanswered(component: string | undefined, { message, cause }: Closed): RpcErrorObject {
  if (component === undefined) return { code: RpcCode.internalError, message };
  const details = typeof cause === "string" ? { details: cause } : {};
  return {
    code: RpcCode.internalError,
    message: message.includes(component) ? message : `${component}: ${message}`,
    data: { component, ...details },
  };
}

/** Runs in the background; errors go to `failed`. */
export function letGo(work: () => Promise<void>, failed: (error: unknown) => void): void {
  work().catch(failed);
}

/** Represents a component that cannot be started as one whose connection has closed with that reason. */
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
