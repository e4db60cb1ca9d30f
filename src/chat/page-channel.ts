/**
 * The host's end of the wire to the page: posts what `page-flow-control.ts` lets through, and passes on what the page says when it
 * is a message. Knows no VS Code, so that tests can put the production code between a page and a sidecar.
 */
import type { Log } from "../log";
import type { HostToPage, PageToHost } from "../protocol/webview";
import { ABSENT, step, type PageFlowControl, type OutletEvent } from "./page-flow-control";
import { validate } from "./validate-page-message";

export interface PageDeps {
  /** VS Code's `postMessage`: resolves with whether the message was delivered; `undefined`: there is no view. */
  send(message: HostToPage): PromiseLike<boolean> | undefined;
  heard(message: PageToHost): void;
  readonly log: Log;
}

export class PageChannel {
  #outlet: PageFlowControl = ABSENT;

  constructor(private readonly deps: PageDeps) {}

  /** A page is there and has said so. */
  get isLive(): boolean {
    return this.#outlet.kind !== "absent";
  }

  /** Dropped when no page is there or it is too far behind: what a session holds comes again when the page asks. */
  post(message: HostToPage): void {
    if (this.#take({ kind: "offered", counted: message.type === "event" || message.type === "snapshot" }) === "post")
      void this.#send(message);
  }

  /** As `post`; resolves with whether it got there. */
  async deliver(message: HostToPage): Promise<boolean> {
    return this.#take({ kind: "offered", counted: false }) === "post" && (await this.#send(message));
  }

  receive(value: unknown): void {
    const validated = validate(value);
    if (!validated.ok)
      return this.deps.log.warn("webview", "A message of the page was ignored", { why: validated.why });
    const { message } = validated;
    if (message.type === "webview-ready") this.#take({ kind: "pageReady" });
    if (message.type === "ack" && this.#take({ kind: "acknowledged", handled: message.handled }) === "askAgain")
      void this.#send({ type: "askAgain" });
    this.deps.heard(message);
  }

  /** The view is hidden or gone, and its page with it. */
  hidden(): void {
    this.#take({ kind: "hidden" });
  }

  #take(event: OutletEvent): ReturnType<typeof step>[1] {
    const [outlet, effect] = step(this.#outlet, event);
    if (outlet.kind === "lagging" && this.#outlet.kind === "live")
      this.deps.log.info("webview", "The page is behind and is sent nothing until it has caught up");
    this.#outlet = outlet;
    return effect;
  }

  async #send(message: HostToPage): Promise<boolean> {
    const { page } = this.#outlet;
    const delivered = await this.#sent(message);
    if (!delivered) this.#take({ kind: "refused", page });
    return delivered;
  }

  async #sent(message: HostToPage): Promise<boolean> {
    try {
      return (await this.deps.send(message)) ?? false;
    } catch {
      return false;
    }
  }
}
