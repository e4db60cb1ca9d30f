/** Connects two channels (`join`), or buffers frames until a stage has started (`ChainEntry`). */
import type { Channel, Closed, Receiver } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { runInBackground, pass } from "./stage";

/** Forwards all frames in both directions until either channel closes. */
export function join(up: Channel, down: Channel): AsyncDisposable {
  const end = async (): Promise<void> => {
    await Promise.all([up[Symbol.asyncDispose](), down[Symbol.asyncDispose]()]);
  };
  const closed = (): void => runInBackground(end, () => undefined);
  up.start({ receive: frame => pass(frame, down), closed });
  down.start({ receive: frame => pass(frame, up), closed });
  return { [Symbol.asyncDispose]: end };
}

/**
 * The client's channel for the first stage. Until the stage starts, received frames are buffered and the client is
 * paused.
 */
export class ChainEntry implements Channel {
  #receiver: Receiver | undefined;
  #ready: () => void = () => undefined;
  readonly #started = new Promise<void>(resolve => {
    this.#ready = resolve;
  });
  #reason: Closed | undefined;

  constructor(
    private readonly client: Channel,
    private readonly disposed: () => void,
  ) {}

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#ready();
    if (this.#reason) receiver.closed(this.#reason);
  }

  arrived(frame: Frame): void | Promise<void> {
    return this.#receiver ? this.#receiver.receive(frame) : this.#started.then(() => this.#receiver?.receive(frame));
  }

  end(reason: Closed): void {
    this.#reason = reason;
    this.#receiver?.closed(reason);
  }

  send(frame: Frame): boolean {
    return this.client.send(frame);
  }
  drained(): Promise<void> {
    return this.client.drained();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed();
  }
}
