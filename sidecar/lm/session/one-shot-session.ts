/**
 * Agent sessions for a single answer, with a time limit. They have no tools, and their permission requests are
 * rejected.
 *
 * Invariant: each stream is ended once and each session is closed, even if the agent does not answer within the limit.
 */
import type { ContentBlock } from "../../acp/schema";
import * as l10n from "@vscode/l10n";
import type { RequestId } from "../../../src/protocol/lm/lm";
import { NO_CONTEXT } from "../history/chat-context";
import type { ResponseStream } from "../response/response-sink";
import { SessionActor } from "./session-actor";
import type { ModelSessionDeps, ModelSessionStart } from "./session-message";

export const ONE_SHOT_LIMIT_MS = 20_000;

interface OneShot {
  readonly session: SessionActor;
  readonly limit: Disposable;
  readonly stream: ResponseStream;
}

export class OneShotSessions implements AsyncDisposable {
  readonly #open = new Map<RequestId, OneShot>();
  readonly #closing = new Set<Promise<void>>();

  constructor(private readonly deps: Omit<ModelSessionDeps, "notify">) {}

  ask(
    requestId: RequestId,
    start: Pick<ModelSessionStart, "id" | "agent" | "cwd" | "extensions" | "protocol">,
    blocks: readonly ContentBlock[],
    stream: ResponseStream,
  ): void {
    const session = new SessionActor(
      { ...start, begin: { kind: "new" }, tools: [], duplicates: false, isForeign: false, isOneShot: true },
      {
        ...this.deps,
        notify: message => {
          if (message.kind === "part") this.#open.get(requestId)?.stream.part(message.part);
          if (message.kind === "finished") this.#end(requestId, message.error);
        },
      },
    );
    const limit = this.deps.clock.after(ONE_SHOT_LIMIT_MS, () =>
      this.#end(requestId, l10n.t`${start.agent.name} did not respond within ${ONE_SHOT_LIMIT_MS / 1000} seconds.`),
    );
    this.#open.set(requestId, { session, limit, stream });
    session.ask({ requestId, text: "", context: () => NO_CONTEXT, namesTools: () => false, blocks: () => blocks });
  }

  /** Ends the request without an answer. */
  cancel(requestId: RequestId): void {
    this.#end(requestId, undefined);
  }

  has(requestId: RequestId): boolean {
    return this.#open.has(requestId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const requestId of [...this.#open.keys()]) this.#end(requestId, l10n.t("Symposium was stopped."));
    await Promise.all(this.#closing);
  }

  #end(requestId: RequestId, error: string | undefined): void {
    const oneShot = this.#open.get(requestId);
    if (!oneShot) return;
    this.#open.delete(requestId);
    oneShot.limit[Symbol.dispose]();
    if (error === undefined) oneShot.stream.done();
    else oneShot.stream.failed(error);
    const closing = oneShot.session
      .close(l10n.t("The answer is complete."))
      .catch((failure: unknown) => this.deps.log("error", "A session could not be closed", { error: String(failure) }))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
