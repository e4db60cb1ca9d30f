/** Requests to an agent with a timeout, and user-readable reasons for failed requests. */
import { agentReturnedError, agentNeedsSignIn, agentUnresponsive, AgentError } from "../errors";
import type { Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { objectOr } from "../rpc/json";
import { RpcCode, type RpcError } from "../rpc/message";
import { ConnectionClosed, type Outcome, type Peer } from "../rpc/peer";
import type { AgentRole } from "./initialize";

export interface RequestDeps {
  /** The agent's display name. */
  readonly name: string;
  readonly role?: AgentRole;
  readonly clock: Clock;
  /** The agent's last output on stderr. */
  readonly lastWords: () => string;
  /** The reason why the chain behind the channel ends, as soon as it is known. */
  readonly failure?: () => Closed | undefined;
  /** The reason if Symposium has ended the connection. */
  readonly ended: () => Closed | undefined;
  /** Called when a response reports that the user is not signed in. */
  readonly needsSignIn: () => void;
}

export interface LimitedRequest<T> {
  readonly method: string;
  readonly params: unknown;
  readonly limitMs: number;
  /** Called with the result in wire order, before any later message. An error that it throws rejects the request. */
  readonly take: (result: unknown) => T;
  /** Called instead of `take` after the timeout. */
  readonly late?: (result: unknown) => void;
  /** Extends the timeout while it returns true. */
  readonly isHeldUp?: () => boolean;
}

export class LimitedRequests {
  constructor(
    private readonly peer: Pick<Peer, "call">,
    private readonly deps: RequestDeps,
  ) {}

  /** Rejects with an `AgentError`, also after a timeout, or with the error of `take`. */
  request<T>({ method, params, limitMs, take, late, isHeldUp }: LimitedRequest<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isLate = false,
        limit: Disposable;
      const settle = (outcome: Outcome): void => {
        limit[Symbol.dispose]();
        if (isLate) return outcome.ok ? late?.(outcome.result) : undefined;
        if (!outcome.ok) return reject(this.explain(outcome.error));
        try {
          resolve(take(outcome.result));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const begin = (): Disposable =>
        this.deps.clock.after(limitMs, () => {
          if (isHeldUp?.()) {
            limit = begin();
            return;
          }
          isLate = true;
          call.cancel();
          reject(agentUnresponsive(this.deps.name, limitMs / 1000, this.deps.lastWords()));
        });
      limit = begin();
      const call = this.peer.call(method, params, settle);
    });
  }

  explain(error: RpcError): AgentError {
    const { name, role, ended, failure, needsSignIn } = this.deps,
      why = ended(),
      failed = failure?.();
    if (why) return new AgentError("closed", why.message, { cause: error });
    if (failed)
      return failed instanceof AgentError ? failed : new AgentError("exited", failed.message, { cause: failed.cause });
    if (error instanceof ConnectionClosed)
      return error.reason instanceof AgentError
        ? error.reason
        : new AgentError("exited", error.message, { cause: error.cause });
    if (error.code === RpcCode.authRequired) {
      needsSignIn();
      return agentNeedsSignIn(name, role !== "lm");
    }
    const details = objectOr(error.data).details ?? objectOr(error.data).message;
    return agentReturnedError(
      name,
      typeof details === "string" && details !== error.message ? `${error.message} (${details})` : error.message,
      error,
    );
  }
}
