/**
 * The parts of one response on their way to VS Code. While the wire is behind, texts wait and become one; all else goes at once, behind them.
 *
 * Invariants: order is kept; what waits is bounded; nothing goes out after the end.
 */
import type { ChatPart } from "../../src/protocol/lm";
import type { Clock } from "../rpc/clock";

export interface Wire {
  send(part: ChatPart): void;
  /** So much waits in it that more would only be kept. */
  isCongested(): boolean;
}

const PAUSE_MS = 50;
/** Then it goes out all the same: an answer is not worth less than the memory that it takes. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

export class PartsOut {
  #text = "";
  #pause: Disposable | undefined;

  constructor(private readonly wire: Wire, private readonly clock: Clock) {}

  add(part: ChatPart): void {
    if (part.type !== "text") {
      this.flush();
      return this.wire.send(part);
    }
    this.#text += part.value;
    this.#send();
  }

  /** What waits goes out now. */
  flush(): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    const value = this.#text;
    this.#text = "";
    if (value !== "") this.wire.send({ type: "text", value });
  }

  #send(): void {
    if (!this.wire.isCongested() || this.#text.length > MOST_CHARACTERS) return this.flush();
    this.#pause ??= this.clock.after(PAUSE_MS, () => {
      this.#pause = undefined;
      this.#send();
    });
  }
}
