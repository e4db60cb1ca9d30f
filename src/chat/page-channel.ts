/**
 * The host's end of the connection to the page. Posts the messages that `page-flow-control.ts` permits and forwards
 * valid messages of the page. Independent of VS Code, so that tests can run this code between a page and a sidecar.
 */
import type { Log } from "../log";
import { pageToHost } from "../protocol/page/page-to-host";
import { validated } from "../protocol/wire/schema";
import type { HostToPage, PageToHost } from "../protocol/page/host-to-page";
import { DISCONNECTED, step, type PageFlowControl, type PageFlowEvent } from "./page-flow-control";

export interface PageDeps {
  /** VS Code's `postMessage`. Resolves with whether the message was delivered. `undefined`: no view exists. */
  send(message: HostToPage): PromiseLike<boolean> | undefined;
  onMessage(message: PageToHost): void;
  readonly log: Log;
}

export class PageChannel {
  #flowControl: PageFlowControl = DISCONNECTED;

  constructor(private readonly deps: PageDeps) {}

  /** Whether a page is loaded and has sent `webviewReady`. */
  get isLive(): boolean {
    return this.#flowControl.kind !== "absent";
  }

  /**
   * Drops the message if no page is ready or too many messages are unacknowledged. The page requests dropped content
   * again.
   */
  post(message: HostToPage): void {
    if (this.#apply({ kind: "offered", counted: message.type === "event" || message.type === "snapshot" }) === "post")
      void this.#send(message);
  }

  /** Like `post`; resolves with whether the message was delivered. */
  async deliver(message: HostToPage): Promise<boolean> {
    return this.#apply({ kind: "offered", counted: false }) === "post" && (await this.#send(message));
  }

  receive(value: unknown): void {
    const validation = validated(pageToHost, value);
    if (!validation.ok)
      return this.deps.log.warn("webview", "Ignored an invalid page message", { why: validation.why });
    const { message } = validation;
    if (message.type === "webviewReady") this.#apply({ kind: "pageReady" });
    if (message.type === "ack" && this.#apply({ kind: "acknowledged", handled: message.handled }) === "requestReplay")
      void this.#send({ type: "requestReplay" });
    this.deps.onMessage(message);
  }

  /** Call it when the view is hidden or disposed, which destroys the page. */
  hidden(): void {
    this.#apply({ kind: "hidden" });
  }

  #apply(event: PageFlowEvent): ReturnType<typeof step>[1] {
    const [flowControl, effect] = step(this.#flowControl, event);
    if (flowControl.kind === "lagging" && this.#flowControl.kind === "live")
      this.deps.log.info("webview", "The page has too many unacknowledged messages; sending is paused");
    this.#flowControl = flowControl;
    return effect;
  }

  async #send(message: HostToPage): Promise<boolean> {
    const { page } = this.#flowControl;
    const delivered = await this.#trySend(message);
    if (!delivered) this.#apply({ kind: "refused", page });
    return delivered;
  }

  async #trySend(message: HostToPage): Promise<boolean> {
    try {
      return (await this.deps.send(message)) ?? false;
    } catch {
      return false;
    }
  }
}
