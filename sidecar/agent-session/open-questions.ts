/**
 * Requests of an agent that wait for an answer of the user, under ids of Symposium.
 *
 * Invariants:
 * - A question is answered at most once. An answer to any other id has no effect.
 * - `onWithdrawn` is called only for open questions, which the owner then answers.
 * - The exit of an agent withdraws no question. The handler of the exit settles the questions, with the reason.
 */
import { ConnectionClosed } from "../rpc/peer";

/** `R`: the response. */
export interface OpenQuestion<R> {
  readonly answer: (response: R) => void;
}

export class OpenQuestions<R, Q extends OpenQuestion<R> = OpenQuestion<R>> {
  readonly #open = new Map<string, Q>();

  constructor(private readonly onWithdrawn: (id: string) => void) {}

  /** Ids of the open questions, oldest first. */
  get ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  get(id: string): Q | undefined {
    return this.#open.get(id);
  }

  /** `withdrawal` aborts when the agent no longer waits for the answer. */
  add(id: string, question: Q, withdrawal?: AbortSignal): void {
    this.#open.set(id, question);
    const withdraw = (): void => {
      if (this.#open.get(id) === question && !(withdrawal?.reason instanceof ConnectionClosed)) this.onWithdrawn(id);
    };
    if (withdrawal?.aborted === true) withdraw();
    else withdrawal?.addEventListener("abort", withdraw, { once: true });
  }

  answer(id: string, response: R): void {
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.answer(response);
  }
}
