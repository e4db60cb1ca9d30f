/**
 * The parts of one response on their way to VS Code. Texts wait and become one while the wire is behind, and on a wire
 * that says so also as long as more of them arrive at the same moment. All else goes at once, behind them.
 *
 * Invariants: order is kept; what waits is bounded; nothing goes out after the end.
 */
import type { ChatPart } from "../../../src/protocol/lm";
import type { Clock } from "../../rpc/clock";

export interface Wire {
  send(part: ChatPart): void;
  /** So much waits in it that more would only be kept. */
  isCongested(): boolean;
  /** Calls back after what happens now. Absent: each text goes as it comes. */
  readonly soon?: ((run: () => void) => Disposable) | undefined;
}

const PAUSE_MS = 50;
/** Then it goes out all the same: an answer is not worth less than the memory that it takes. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class PartsOut {
  #text = "";
  /** Until the text that waits is looked at again. */
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
    if (this.#text.length > MOST_CHARACTERS || (!soon && !this.wire.isCongested())) return this.flush();
    this.#pause ??= soon ? soon(() => this.#look()) : this.#later();
  }

  /** What waits goes out now. */
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
