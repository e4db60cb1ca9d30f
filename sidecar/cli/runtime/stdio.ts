/**
 * Connection to the client over stdin and stdout, and its end by signals. The first signal has the same effect as a
 * disconnect of the client; a second one has its default effect. Stdout carries only the protocol.
 */
import type { Readable, Writable } from "node:stream";
import type { Channel } from "../../rpc/channel";
import type { Clock } from "../../rpc/clock";
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import type { Notify } from "./log";

export function clientOnStdio(notify: Notify): Channel {
  return ndjsonChannel(process.stdin, process.stdout, {
    garbage: (line, why) => notify("warn", `Invalid line from the client: ${why}`, { line }),
  });
}

/**
 * Resolves when input is available, without reading it. Never resolves without input. Call it before the input is read.
 */
export function firstInput(input: Readable = process.stdin): Promise<void> {
  return new Promise(resolve => {
    input.once("readable", () => {
      if (input.readableLength > 0) resolve();
    });
  });
}

/** Maximum number of characters buffered for a stderr that is not read. */
const MAX_BUFFERED = 64 * 1024;

/** Writes a line for the user, regardless of the log's level. It is dropped if stderr is not read. */
export function progressOnStderr(line: string): void {
  if (process.stderr.writableLength <= MAX_BUFFERED) process.stderr.write(`${line}\n`);
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the exit code for the signal, as in shells: 128 + signal number. */
export function firstSignal(): Promise<number> {
  return new Promise(resolve => {
    for (const [signal, number] of Object.entries(SIGNALS)) process.once(signal, () => resolve(128 + number));
  });
}

const FLUSH_TIMEOUT_MS = 1000;

/** Resolves when the pending output is written, or after `FLUSH_TIMEOUT_MS` if it is not read. */
export function flushed(clock: Clock, output: Writable = process.stdout): Promise<void> {
  return new Promise(resolve => {
    const late = clock.after(FLUSH_TIMEOUT_MS, resolve);
    const done = (): void => {
      late[Symbol.dispose]();
      resolve();
    };
    // `writableFinished` is not usable: Node's stdout loses its ended state.
    if (output.writableLength === 0 || output.destroyed) return done();
    output.once("finish", done).once("close", done).once("error", done);
    if (!output.writableEnded) output.write("", done);
  });
}
