/**
 * Sends the parts of one response to VS Code. Texts are buffered and merged while the wire is congested. If the wire
 * has `soon`, the texts of one burst are also merged. Other parts are sent immediately, after the buffered text.
 *
 * Invariants: parts keep their order, the buffer is bounded, and `flush` leaves no timer.
 */
import type { ChatPart } from "../../../src/protocol/lm/lm";
import type { Clock } from "../../rpc/clock";

export interface Wire {
  send(part: ChatPart): void;
  /** Whether the wire's send buffer is full. */
  isCongested(): boolean;
  /** Calls back after the current burst of events. If absent, each text is sent as it arrives. */
  readonly soon?: ((run: () => void) => Disposable) | undefined;
}

const PAUSE_MS = 50;
/** Above this size, the text is sent even if the wire is congested. Answers are never dropped. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

export class PartSender {
  #text = "";
  /** Timer of the next check of the buffered text. */
  #timer: Disposable | undefined;

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
    this.#timer ??= soon ? soon(() => this.#flushUnlessCongested()) : this.#startTimer();
  }

  /** Sends the buffered text now. */
  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const value = this.#text;
    this.#text = "";
    if (value !== "") this.wire.send({ type: "text", value });
  }

  #flushUnlessCongested(): void {
    if (this.wire.isCongested()) this.#timer = this.#startTimer();
    else this.flush();
  }

  #startTimer(): Disposable {
    return this.clock.after(PAUSE_MS, () => this.#flushUnlessCongested());
  }
}
