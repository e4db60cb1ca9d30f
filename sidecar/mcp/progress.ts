/**
 * Progress notifications for clients that requested them. A call can wait for the user's answer, and clients time out
 * after a minute (the SDK's limit) without progress.
 */
import type { ProgressToken } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../rpc/clock";

/** Params of `notifications/progress`. `progress` only increases (specification 2025-06-18, Progress). */
export interface Progress extends Record<string, unknown> {
  readonly progressToken: ProgressToken;
  readonly progress: number;
  readonly message: string;
}

/** A quarter of the SDK's limit, in milliseconds. */
export const PROGRESS_MS = 15_000;

/** Repeats the last message every `PROGRESS_MS` until disposed. `report` sends a new message immediately. */
export interface ProgressHeartbeat extends Disposable {
  report(message: string): void;
}

/** `progressToken`: token of the request. Without a token, no notification is sent. */
export function startHeartbeat(
  clock: Clock,
  progressToken: ProgressToken | undefined,
  message: string,
  notify: (progress: Progress) => void,
): ProgressHeartbeat {
  if (progressToken === undefined) return { report: () => undefined, [Symbol.dispose]: () => undefined };
  let timer: Disposable,
    progress = 0,
    last = message,
    isOver = false;
  const beat = (): void => {
    notify({ progressToken, progress: ++progress, message: last });
    timer = wait();
  };
  const wait = (): Disposable => clock.after(PROGRESS_MS, beat);
  timer = wait();
  return {
    report: message => {
      if (isOver) return; // a late message does not restart the timer
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
