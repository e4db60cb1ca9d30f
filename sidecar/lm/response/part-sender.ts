/**
 * Sends the parts of one response to VS Code. Texts are buffered and merged while the wire is congested. If the wire
 * has `soon`, they are also merged while more texts arrive in the same moment. All other parts are sent at once, after
 * the buffered text.
 *
 * Invariants: the order is kept; the buffer is bounded; nothing is sent after the end.
 */
import type { ChatPart } from "../../../src/protocol/lm/lm";
import type { Clock } from "../../rpc/clock";

export interface Wire {
  send(part: ChatPart): void;
  /** The wire has so much buffered that further parts would only be queued. */
  isCongested(): boolean;
  /** Calls back after the current burst of events. If absent, each text is sent as it arrives. */
  readonly soon?: ((run: () => void) => Disposable) | undefined;
}

const PAUSE_MS = 50;
/** Above this size the text is sent even if the wire is congested: answers are never dropped to save memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

export class PartsOut {
  #text = "";
  /** Timer of the next check of the buffered text. */
  #pause: Disposable | undefined;

  constructor(
    private readonly wire: Wire,
    private readonly clock: Clock,
  ) {}

  add(part: ChatPart): void {
    if (part.type !== "text") {
      this.flush();
      return this.wire.send(part);
    }
    this.#text += part.value;
    const { soon } = this.wire;
    if (this.#text.length > MAX_CHARACTERS || (!soon && !this.wire.isCongested())) return this.flush();
    this.#pause ??= soon ? soon(() => this.#look()) : this.#later();
  }

  /** Sends the buffered text now. */
  flush(): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    const value = this.#text;
    this.#text = "";
    if (value !== "") this.wire.send({ type: "text", value });
  }

  #look(): void {
    if (this.wire.isCongested()) this.#pause = this.#later();
    else this.flush();
  }

  #later(): Disposable {
    return this.clock.after(PAUSE_MS, () => this.#look());
  }
}
