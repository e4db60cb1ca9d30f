/**
 * Locks between windows: one holder per name, in this and all other processes. A held lock is refreshed. The lock of a
 * dead process expires after fifteen seconds and is then taken over. A suspended holder (a closed laptop) may resume
 * beside a new holder, so no critical section may corrupt an installation in that case.
 */
import path from "node:path";
import { lock } from "proper-lockfile";
import type { Clock } from "../../../rpc/clock";
import type { Files } from "./files";

/** Acquires the lock immediately, or rejects with the code `ELOCKED`. */
export type TryLock = (file: string) => Promise<() => Promise<void>>;

const STALE_MS = 15_000;
export const fileLock: TryLock = file =>
  lock(file, { realpath: false, lockfilePath: file, stale: STALE_MS, onCompromised: () => undefined });

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once while another process holds the lock. */
  readonly waiting?: (() => void) | undefined;
  /** The error if the lock is not acquired within `limitMs`. */
  readonly busy: () => Error;
  readonly limitMs: number;
}

const RETRY_MS = 200;

export class Locks {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #files: Files;
  readonly #tryLock: TryLock;
  /** Queues of callers within this process. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(folder: string, clock: Clock, files: Files, tryLock: TryLock = fileLock) {
    this.#folder = folder;
    this.#clock = clock;
    this.#files = files;
    this.#tryLock = tryLock;
  }

  /** `name`: a valid folder name. Rejects with `busy`, the signal's reason, or a file system error. */
  async holding<T>(name: string, wish: LockOptions, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name);
    const turn = (async () => {
      await before?.catch(() => undefined);
      wish.signal?.throwIfAborted();
      const release = await this.#take(name, wish);
      try {
        return await work();
      } finally {
        await release().catch(() => undefined); // another process has taken over the lock
      }
    })();
    this.#queues.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(name) === turn) this.#queues.delete(name);
    }
  }

  async #take(name: string, { signal, waiting, busy, limitMs }: LockOptions): Promise<() => Promise<void>> {
    await this.#files.mkdir(this.#folder, { recursive: true });
    const until = this.#clock.now() + limitMs;
    for (let isNotified = false; ; isNotified = true) {
      try {
        return await this.#tryLock(path.join(this.#folder, name));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ELOCKED")) throw error;
      }
      if (!isNotified) waiting?.();
      if (this.#clock.now() >= until) throw busy();
      await pause(RETRY_MS, this.#clock, signal);
    }
  }
}

/** Rejects with the reason of `signal` when it aborts. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
