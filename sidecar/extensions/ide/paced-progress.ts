/**
 * Progress at a bounded rate: the first message at once, then the newest one per interval. A message is not repeated.
 */
import type { Clock } from "../../rpc/clock";

export const INTERVAL_MS = 500;

export interface PacedProgress extends Disposable {
  send(message: string): void;
}

const DISPOSED: Disposable = { [Symbol.dispose]: () => undefined };

/** `send` is not called after the result is disposed; a pending message is dropped. */
export function pacedProgress(clock: Clock, send: (message: string) => void): PacedProgress {
  let pause: Disposable | undefined, sent: string | undefined, newest: string | undefined;
  const flush = (): void => {
    pause = undefined;
    if (newest === undefined || newest === sent) return;
    sent = newest;
    pause = clock.after(INTERVAL_MS, flush);
    send(sent);
  };
  return {
    send: message => {
      newest = message;
      if (!pause) flush();
    },
    [Symbol.dispose]: () => {
      pause?.[Symbol.dispose]();
      pause = DISPOSED;
    },
  };
}
