/**
 * The components of a chain. All components start at the first `initialize`. Each external component contains the
 * function that starts it.
 */
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import type { Ids } from "../rpc/hop";
import type { DialectMemory } from "./proxy-dialect";

/** A running component and its channel. The channel closes with the reason when the component ends. */
export interface Running {
  readonly channel: Channel;
  /** Stops the component; idempotent. */
  stop(): Promise<void>;
  /** Last output on stderr; empty if none. */
  lastWords(): string;
}

/**
 * Starts a component. A proxy that exits when it receives the methods of another dialect is started once more. If a
 * component cannot be started, the channel closes with the reason, or the promise rejects. `signal` aborts when the
 * chain ends, for example during an installation.
 */
export type Start = (signal: AbortSignal) => Running | Promise<Running>;

export type ProxyComponent =
  /** A process, or any other implementation of the proxies' wire protocol. */
  | { readonly kind: "external"; readonly name: string; readonly start: Start; readonly memory?: DialectMemory }
  /** Runs in this process, without serialisation or envelopes. `serve` takes ownership of both channels. */
  | {
      readonly kind: "internal";
      readonly name: string;
      readonly serve: (client: Channel, successor: Channel, ids: Ids) => AsyncDisposable;
    }
  /**
   * Known when the chain starts, for example after an installation. If `resolve` rejects, the component is bypassed.
   * `signal` aborts when the chain ends. `of`: the expected kind, for observers of the chain.
   */
  | {
      readonly kind: "deferred";
      readonly name: string;
      readonly of: "internal" | "external";
      readonly resolve: (signal: AbortSignal) => Promise<ProxyComponent>;
    };

export type LastComponent =
  | { readonly kind: "agent"; readonly name: string; readonly start: Start }
  /** The conductor is itself a proxy, and its chain ends in its own successor. */
  | { readonly kind: "successor" };

/** A notification about the chain for the user. `message` is a sentence. */
export interface Notice {
  readonly kind: "slow" | "bypassed" | "failed";
  readonly component: string;
  readonly message: string;
  readonly cause?: unknown;
  /** The close reason of the component's connection, if that is the cause. */
  readonly reason?: Closed;
}

/**
 * Receives every message that crosses a hop. Calls must be cheap. An untraced chain has no `Trace`. `link` is the index
 * of the hop; 0 is the hop between the client and the first component. "down" is towards the agent.
 */
export interface Trace {
  message(from: string, to: string, frame: Frame, link: number, way: "down" | "up"): void;
}

export interface ConductorClosed extends Closed {
  /**
   * The component whose failure ended the chain, and how its channel closed. Undefined when the client disconnected or
   * the conductor was disposed.
   */
  readonly component?: string;
  readonly reason?: Closed;
}
