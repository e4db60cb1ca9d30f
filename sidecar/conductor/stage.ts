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
  /** Aborts when the chain ends. */
  readonly ending: AbortSignal;
  /** `down` is from the client to the agent, `up` the other direction. */
  readonly down: Backpressure;
  readonly up: Backpressure;
  readonly notice: (notice: Notice) => void;
  readonly onWarning: (component: string, what: string, detail: unknown) => void;
  /** Reports that a required component has ended. The first report is the reason why the chain ends. */
  readonly failed: (component: string, reason: Closed) => void;
  /**
   * Returns the error for the unanswered requests of a component. The error names that component, or the one whose
   * failure ended the chain.
   */
  readonly unanswered: (component: string, reason: Closed) => RpcErrorObject;
}

/** Time after which a start is reported as slow. A first start with a cold cache may take this long. */
export const SLOW_MS = 10_000;

/** Sends a frame. Returns a promise while the receiver is full. */
export function pass(frame: Frame, to: Channel): void | Promise<void> {
  if (!to.send(frame)) return to.drained();
}

/**
 * Returns an error that names the ended component and contains its last stderr output. `component` is undefined if the
 * client closed the chain.
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

/** Runs `work` in the background and reports its error to `failed`. */
export function runInBackground(work: () => Promise<void>, failed: (error: unknown) => void): void {
  work().catch(failed);
}

/** Starts a component. Never rejects: after a failed start, the channel of the result closes with the reason. */
export async function started(name: string, start: Start, signal: AbortSignal): Promise<Running> {
  try {
    return await start(signal);
  } catch (error) {
    return { channel: closedChannel(closedReason(name, error)), stop: () => Promise.resolve(), lastWords: () => "" };
  }
}

/** `error`: of a failed start. `name`: the component. */
export function closedReason(name: string, error: unknown): Closed {
  return error instanceof Error
    ? { message: error.message, cause: error.cause }
    : { message: `${name} could not be started.`, cause: error };
}

/** Closes at the first message, so that a request is answered with the reason. */
function closedChannel(reason: Closed): Channel {
  let close = (): void => undefined;
  return {
    start: receiver => {
      close = () => {
        close = () => undefined;
        queueMicrotask(() => receiver.closed(reason));
      };
    },
    send: () => {
      close();
      return true;
    },
    drained: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
