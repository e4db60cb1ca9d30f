/**
 * Stdin and stdout as the connection with the client, and what ends it from outside: a signal is as if the client had
 * gone, a second one does what signals do. Stdout carries the protocol and nothing else.
 */
import type { Writable } from "node:stream";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { ndjsonChannel } from "../rpc/ndjson";
import type { Tell } from "./log";

export function clientOnStdio(tell: Tell): Channel {
  return ndjsonChannel(process.stdin, process.stdout, {
    garbage: (line, why) => tell("warn", `A line of the client was not understood: ${why}`, { line }),
  });
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code that tells of it, as shells have it. */
export function firstSignal(): Promise<number> {
  return new Promise(resolve => {
    for (const [signal, number] of Object.entries(SIGNALS)) process.once(signal, () => resolve(128 + number));
  });
}

const PATIENCE_MS = 1000;

/** What was written last reaches who reads; one that does not is not waited for. */
export function flushed(clock: Clock, output: Writable = process.stdout): Promise<void> {
  return new Promise(resolve => {
    const late = clock.after(PATIENCE_MS, resolve);
    const done = (): void => {
      late[Symbol.dispose]();
      resolve();
    };
    // Not `writableFinished`: Node's stdout forgets that it was ended.
    if (output.writableLength === 0 || output.destroyed) return done();
    output.once("finish", done).once("close", done).once("error", done);
    if (!output.writableEnded) output.write("", done);
  });
}
