/**
 * What a chain is made of. Components are started at the first `initialize`, all at once; how each is started is the
 * business of whoever makes the list.
 */
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import type { Ids } from "../rpc/hop";
import type { DialectMemory } from "./proxy-dialect";

/** A component that runs, reached through its channel; the channel closes with the reason when it dies. */
export interface Running {
  readonly channel: Channel;
  /** Ends it; idempotent. */
  stop(): Promise<void>;
  /** What it said last on stderr; empty when it has none. */
  lastWords(): string;
}

/**
 * Starts a component; a proxy that exits at the methods of another dialect is started once more. A component that
 * cannot be started is a channel that closes with the reason, or a rejection.
 */
export type Start = () => Running | Promise<Running>;

export type ProxyComponent =
  /** A process, or anything else that speaks the wire protocol of proxies. */
  | { readonly kind: "external"; readonly name: string; readonly start: Start; readonly memory?: DialectMemory }
  /** In this process: nothing is serialised, nothing wrapped. `serve` takes both channels over. */
  | {
      readonly kind: "internal";
      readonly name: string;
      readonly serve: (client: Channel, successor: Channel, ids: Ids) => AsyncDisposable;
    };

export type LastComponent =
  | { readonly kind: "agent"; readonly name: string; readonly start: Start }
  /** The conductor is a proxy itself: its chain ends in its own successor. */
  | { readonly kind: "successor" };

/** What a user should know of the chain. `message` is a sentence. */
export interface Notice {
  readonly kind: "slow" | "bypassed" | "failed";
  readonly component: string;
  readonly message: string;
  readonly cause?: unknown;
  /** How its connection ended, where that is why. */
  readonly reason?: Closed;
}

/**
 * Hears every message that crosses a hop. Calling it must be cheap: what is not traced has none. `link`: from 0, which
 * is between the client and the first component. Down is to the agent.
 */
export interface Trace {
  message(from: string, to: string, frame: Frame, link: number, way: "down" | "up"): void;
}

export interface ConductorClosed extends Closed {
  /**
   * The component whose failure ended the chain, and how its channel closed; undefined when the client left, or the
   * conductor was disposed.
   */
  readonly component?: string;
  readonly reason?: Closed;
}
