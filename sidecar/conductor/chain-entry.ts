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

/** Number of buffered frames above which the client is paused. */
const HIGH_WATER_MARK = 64;

/**
 * The client's channel for the first stage. Until the stage starts, received frames are buffered. The client is paused
 * only above `HIGH_WATER_MARK`, because a paused client's disconnect is not noticed, and a stage may start after an
 * installation of minutes.
 */
export class ChainEntry implements Channel {
  #receiver: Receiver | undefined;
  /** Frames that the stage has not handled. The first one may be in progress. */
  readonly #buffer: Frame[] = [];
  #waiting: (() => void)[] = [];
  #reason: Closed | undefined;

  constructor(
    private readonly client: Channel,
    private readonly disposed: () => void,
  ) {}

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#reason) return receiver.closed(this.#reason);
    void this.#deliver(receiver);
  }

  arrived(frame: Frame): void | Promise<void> {
    if (this.#receiver && this.#buffer.length === 0) return this.#receiver.receive(frame);
    this.#buffer.push(frame);
    if (this.#buffer.length > HIGH_WATER_MARK) return new Promise(resolve => this.#waiting.push(resolve));
  }

  end(reason: Closed): void {
    this.#reason = reason;
    this.#buffer.length = 0;
    this.#release();
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

  async #deliver(receiver: Receiver): Promise<void> {
    for (let frame = this.#buffer[0]; frame; frame = this.#buffer[0]) {
      try {
        const handled = receiver.receive(frame);
        if (handled) await handled;
      } catch (cause) {
        return this.end({ message: "A message could not be handled.", cause });
      }
      this.#buffer.shift();
    }
    this.#release();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
