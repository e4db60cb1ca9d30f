/**
 * Tracks whether an agent has listed the tools of one MCP server in one session (issue 14 item 4). The server itself
 * observes the request, so that native MCP over ACP, other conductors and renamed servers are supported.
 *
 * Invariants: `isListed` never changes back to false. `settled` resolves within `LISTING_MS` and never rejects.
 */
import type { SessionToolsRequest } from "../mcp/delivery/delivery";
import type { Neighbour } from "./proxy";
import type { Clock } from "../rpc/clock";
import { EXTENSION_METHODS } from "../acp/methods";

/** Milliseconds. Longer than the delay of the first prompt in the MCP bridge. */
export const LISTING_MS = 6_000;

export class ToolListing {
  #isListed = false;
  #onListed: () => void = () => undefined;
  readonly #listed = new Promise<void>(resolve => {
    this.#onListed = resolve;
  });

  get isListed(): boolean {
    return this.#isListed;
  }

  /** Call when the server responds to `tools/list`. */
  listed(): void {
    this.#isListed = true;
    this.#onListed();
  }

  /**
   * Waits for agents whose MCP client is slower than the first prompt. The wait ends when the tools are listed, the
   * chain responds (with an error if it has no bridge), or `signal` aborts. Returns `isListed`.
   */
  async settled(
    sessionId: string,
    successor: Pick<Neighbour, "request">,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#isListed || signal.aborted) return this.#isListed;
    const ends = new AbortController(),
      ended = new Promise<void>(resolve =>
        signal.addEventListener("abort", () => resolve(), { once: true, signal: ends.signal }),
      );
    const params: SessionToolsRequest = { sessionId, wait: true };
    const request = successor.request(EXTENSION_METHODS.session_tools, params, { signal: ends.signal }).then(
      () => undefined,
      () => undefined,
    );
    const expired = new Promise<void>(resolve => {
      const alarm = clock.after(LISTING_MS, resolve);
      ends.signal.addEventListener("abort", () => alarm[Symbol.dispose](), { once: true });
    });
    await Promise.race([this.#listed, request, expired, ended]);
    ends.abort();
    return this.#isListed;
  }
}
