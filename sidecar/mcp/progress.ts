/**
 * That somebody is at it, for a client that asked to hear so: a person may have to answer a call, and clients give up
 * after a minute (the SDK's limit) unless they hear something.
 */
import type { ProgressToken } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../rpc/clock";

/** The params of `notifications/progress`; `progress` only grows (specification 2025-06-18, Progress). */
export interface Progress extends Record<string, unknown> {
  readonly progressToken: ProgressToken;
  readonly progress: number;
  readonly message: string;
}

/** A quarter of the SDK's limit. */
export const PROGRESS_MS = 15_000;

/** Says the same word again and again until it is disposed, and another one at once. */
export interface Beating extends Disposable {
  say(message: string): void;
}

/** `progressToken`: of the request; without one nobody hears anything. */
export function beating(
  clock: Clock,
  progressToken: ProgressToken | undefined,
  message: string,
  tell: (progress: Progress) => void,
): Beating {
  if (progressToken === undefined) return { say: () => undefined, [Symbol.dispose]: () => undefined };
  let timer: Disposable,
    progress = 0,
    last = message,
    isOver = false;
  const beat = (): void => {
    tell({ progressToken, progress: ++progress, message: last });
    timer = wait();
  };
  const wait = (): Disposable => clock.after(PROGRESS_MS, beat);
  timer = wait();
  return {
    say: message => {
      if (isOver) return; // a late word begins nothing anew
      timer[Symbol.dispose]();
      last = message;
      beat();
    },
    [Symbol.dispose]: () => {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
