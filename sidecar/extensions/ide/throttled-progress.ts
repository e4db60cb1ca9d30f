/** Progress at a bounded rate: the first message at once, then the newest message per interval, without repetitions. */
import type { Clock } from "../../rpc/clock";

export const INTERVAL_MS = 500;

export interface PacedProgress extends Disposable {
  send(message: string): void;
}

const DISPOSED: Disposable = { [Symbol.dispose]: () => undefined };

/** After the result is disposed, `send` is not called and a pending message is dropped. */
export function pacedProgress(clock: Clock, send: (message: string) => void): PacedProgress {
  let timer: Disposable | undefined, sent: string | undefined, newest: string | undefined;
  const flush = (): void => {
    timer = undefined;
    if (newest === undefined || newest === sent) return;
    sent = newest;
    timer = clock.after(INTERVAL_MS, flush);
    send(sent);
  };
  return {
    send: message => {
      newest = message;
      if (!timer) flush();
    },
    [Symbol.dispose]: () => {
      timer?.[Symbol.dispose]();
      timer = DISPOSED;
    },
  };
}
